import { AlertDialog } from "radix-ui";
import type { ReactNode, RefObject } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "./Button";

/** A dialog that is opened by something else than a button of its own. */
type Control = { open: boolean; onOpenChange: (open: boolean) => void; opener: RefObject<HTMLElement | null> };

type Props = ({ trigger: ReactNode; control?: undefined } | { trigger?: undefined; control: Control }) & {
  title: string;
  description: string;
  action: string;
  look?: "danger" | "primary";
  onConfirm: () => void;
};

/** Asks once before something that should not happen by accident. Focus starts on Cancel. */
export function ConfirmDialog({ trigger, control, title, description, action, look = "danger", onConfirm }: Props) {
  const { t } = useTranslation();
  return (
    <AlertDialog.Root {...(control && { open: control.open, onOpenChange: control.onOpenChange })}>
      {trigger && <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>}
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <AlertDialog.Content
          className={dialogClass}
          onCloseAutoFocus={(event) => {
            if (!control) return;
            event.preventDefault();
            control.opener.current?.focus();
          }}
        >
          <AlertDialog.Title className="text-lg font-semibold break-words">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-sm break-words text-muted">{description}</AlertDialog.Description>
          <div className="flex flex-wrap justify-end gap-2 pt-2">
            <AlertDialog.Cancel asChild>
              <Button>{t("common.cancel")}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button look={look} onClick={onConfirm}>
                {action}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

export const dialogClass =
  "fixed top-1/2 left-1/2 z-50 w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 space-y-3 rounded-xl border border-line bg-surface p-5 shadow-xl max-h-[calc(100dvh-2rem)] overflow-y-auto";
