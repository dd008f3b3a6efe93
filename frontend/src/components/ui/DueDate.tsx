import { useTranslation } from "react-i18next";

import type { Task } from "@/api/types";
import { useFormat } from "@/lib/format";
import { useHasPassed } from "@/lib/hooks";

import { Badge } from "./Badge";
import { Icon } from "./Icon";

/** When a task is due, or was done; one that is late says so in words. */
export function DueDate({ task: { dueAt, doneAt } }: { task: Pick<Task, "dueAt" | "doneAt"> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const late = useHasPassed(dueAt) && !doneAt;
  if (doneAt) return <time dateTime={doneAt}>{t("tasks.doneAt", { when: format.dateTime(doneAt) })}</time>;
  if (!dueAt) return <span>{t("tasks.noDue")}</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      {late && (
        <Badge look="danger">
          <span className="inline-flex items-center gap-1">
            <Icon name="clock" className="size-3.5" />
            {t("tasks.overdue")}
          </span>
        </Badge>
      )}
      <time dateTime={dueAt}>{format.dateTime(dueAt)}</time>
    </span>
  );
}
