import { useEffect, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker } from "react-router-dom";

import { ConfirmDialog } from "./ConfirmDialog";

type Props = {
  /** Something on the page would be lost. */
  dirty: boolean;
  /** Where the focus goes when the person stays. */
  home: RefObject<HTMLElement | null>;
};

/** Asks before a page is left whose changes have not been saved. */
export function LeaveGuard({ dirty, home }: Props) {
  const { t } = useTranslation();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return;
    // The browser asks in its own words.
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("beforeunload", ask);
    };
  }, [dirty]);
  return (
    <ConfirmDialog
      control={{
        open: blocker.state === "blocked",
        onOpenChange: (open) => {
          if (!open) blocker.reset?.();
        },
        opener: home,
      }}
      title={t("unsaved.title")}
      description={t("unsaved.text")}
      action={t("unsaved.leave")}
      onConfirm={() => blocker.proceed?.()}
    />
  );
}
