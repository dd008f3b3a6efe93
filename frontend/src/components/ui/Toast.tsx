import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Button, IconButton } from "./Button";
import { Icon } from "./Icon";

type Toast = {
  text: string;
  action?: { label: string; run: () => void };
  /** How long it stays, where its action does not work for longer. */
  ms?: number;
};

const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

const VISIBLE_MS = 30_000;

/** Shows one short message at a time, with at most one action such as Undo. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [toast, setToast] = useState<Toast>();
  const hide = useCallback(() => {
    setToast(undefined);
  }, []);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(hide, toast.ms ?? VISIBLE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [toast, hide]);
  const show = useMemo(() => setToast, []);
  return (
    <ToastContext value={show}>
      {children}
      <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex justify-center px-4">
        {toast && (
          <div className="pointer-events-auto flex max-w-full items-center gap-3 rounded-xl border border-line bg-surface py-2 pr-2 pl-4 text-sm shadow-xl">
            <span className="break-words">{toast.text}</span>
            {toast.action && (
              <Button
                onClick={() => {
                  hide();
                  toast.action?.run();
                }}
              >
                {toast.action.label}
              </Button>
            )}
            <IconButton label={t("common.close")} onClick={hide}>
              <Icon name="cross" />
            </IconButton>
          </div>
        )}
      </div>
    </ToastContext>
  );
}

export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext);
}
