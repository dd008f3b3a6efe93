import { useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import { can, useMe } from "@/api/session";
import type { Task } from "@/api/types";
import { cn } from "@/lib/cn";
import { recordPath } from "@/lib/routes";
import { marked } from "@/lib/unseen";

import { IconButton } from "./Button";
import { DueDate } from "./DueDate";
import { Icon } from "./Icon";
import { RecordLink } from "./RecordLink";
import { useTaskDone } from "./useTaskDone";

/** Tasks with a button each that completes it. */
export function TaskList({ tasks }: { tasks: readonly Task[] }) {
  const { t } = useTranslation();
  return (
    <ul tabIndex={-1} aria-label={t("tasks.title")} className="divide-y divide-line outline-none">
      {tasks.map((task) => (
        <TaskRow key={task.id} task={task} />
      ))}
    </ul>
  );
}

function TaskRow({ task }: { task: Task }) {
  const { id, title, doneAt, assigneeName } = task;
  return (
    <li className="flex items-start gap-1 px-2 py-1.5 text-sm hover:bg-raised">
      <DoneButton task={task} />
      <div className="min-w-0 flex-1 pt-1">
        <Link
          className={cn(
            "inline-block min-h-6 font-medium break-words text-accent hover:underline",
            doneAt && "text-muted line-through",
          )}
          to={recordPath("task", id) ?? ""}
        >
          {marked(title)}
        </Link>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-muted">
          <DueDate task={task} />
          {linksOf(task).map((record) => (
            <RecordLink
              key={record.type}
              record={record}
              className="inline-block min-h-6 content-center text-text hover:underline"
            />
          ))}
          <span>{assigneeName}</span>
        </p>
      </div>
    </li>
  );
}

/** What a task is about, as far as the person may see it. */
export function linksOf(task: Task) {
  const links = [
    { type: "deal", id: task.dealId, name: task.dealTitle },
    { type: "company", id: task.companyId, name: task.companyName },
    { type: "contact", id: task.contactId, name: task.contactName },
  ];
  return links.flatMap(({ type, id, name }) => (id && name ? [{ type, id, name }] : []));
}

function DoneButton({ task }: { task: Task }) {
  const { t } = useTranslation();
  const me = useMe();
  const { set, busy } = useTaskDone();
  const button = useRef<HTMLButtonElement>(null);
  // A list of open tasks loses the row that was just completed: the focus must not go with it.
  useLayoutEffect(() => {
    const own = button.current;
    return () => {
      if (own && own === document.activeElement) own.closest("ul")?.focus();
    };
  }, []);
  const done = Boolean(task.doneAt);
  const icon = <Icon name={done ? "done" : "circle"} className="size-5" />;
  if (!can(me.data, "task:update", task.assigneeId)) {
    return (
      <span className="p-2 text-muted">
        {icon}
        <span className="sr-only">{t(done ? "tasks.done" : "tasks.open")}</span>
      </span>
    );
  }
  return (
    <IconButton
      ref={button}
      label={t(done ? "tasks.reopenOne" : "tasks.completeOne", { title: task.title })}
      aria-busy={busy}
      onClick={() => {
        if (!busy) set(task, !done);
      }}
    >
      {icon}
    </IconButton>
  );
}
