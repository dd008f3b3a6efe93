import { useRef, type BaseSyntheticEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "./Button";
import { LeaveGuard } from "./LeaveGuard";
import { Notice } from "./Notice";
import { ErrorNote } from "./States";

type Props = {
  busy: boolean;
  dirty: boolean;
  overtaken: boolean;
  error: unknown;
  action: string;
  onSubmit: (event: BaseSyntheticEvent) => Promise<void>;
  onCancel: () => void;
  children: ReactNode;
};

/** The frame of a form for a record: the fields, what went wrong, and the two ways out. */
export function RecordFormFrame({ busy, dirty, overtaken, error, action, onSubmit, onCancel, children }: Props) {
  const { t } = useTranslation();
  const home = useRef<HTMLFormElement>(null);
  return (
    <form
      ref={home}
      tabIndex={-1}
      noValidate
      autoComplete="off"
      className="space-y-4 outline-none"
      onSubmit={(event) => void onSubmit(event)}
    >
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">{children}</div>
      {overtaken ? <Notice look="danger">{t("form.overtaken")}</Notice> : Boolean(error) && <ErrorNote error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" busy={busy}>
          {action}
        </Button>
        <Button disabled={busy} onClick={onCancel}>
          {t("common.cancel")}
        </Button>
      </div>
      <LeaveGuard dirty={dirty} home={home} />
    </form>
  );
}
