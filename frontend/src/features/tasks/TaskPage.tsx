import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";

import { can, useMe } from "@/api/session";
import { useTask } from "@/api/tasks";
import type { Task } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { DeleteRecord } from "@/components/ui/DeleteRecord";
import { DueDate } from "@/components/ui/DueDate";
import { History } from "@/components/ui/History";
import { Icon } from "@/components/ui/Icon";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { RecordLink } from "@/components/ui/RecordLink";
import { ErrorNote, Loading } from "@/components/ui/States";
import { linksOf } from "@/components/ui/TaskList";
import { useTaskDone } from "@/components/ui/useTaskDone";
import { useShowRecord } from "@/lib/currentRecord";
import { useFormat } from "@/lib/format";

import { TaskForm } from "./TaskForm";

export function TaskPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const task = useTask(id);
  useShowRecord("task", task.data && { id: task.data.id, name: task.data.title });
  if (task.isPending) return <Loading />;
  if (task.error) {
    return (
      <Page title={t("tasks.one")}>
        <ErrorNote error={task.error} onRetry={() => void task.refetch()} />
      </Page>
    );
  }
  return <TaskView key={id} task={task.data} />;
}

function TaskView({ task }: { task: Task }) {
  const { t } = useTranslation();
  const me = useMe();
  const { set, busy } = useTaskDone();
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    edit.current?.focus();
  };
  const { id, title, doneAt, assigneeId } = task;
  const actions = (
    <div className="flex flex-wrap gap-2">
      {can(me.data, "task:update", assigneeId) && (
        <>
          <Button
            look={doneAt ? "plain" : "primary"}
            aria-busy={busy}
            onClick={() => {
              if (!busy) set(task, !doneAt);
            }}
          >
            <Icon name={doneAt ? "circle" : "done"} />
            {t(doneAt ? "tasks.reopen" : "tasks.complete")}
          </Button>
          <Button
            ref={edit}
            aria-expanded={editing}
            onClick={() => {
              setEditing(true);
            }}
          >
            <Icon name="pencil" />
            {t("common.edit")}
          </Button>
        </>
      )}
      <DeleteRecord
        type="task"
        record={task}
        name={title}
        ownerId={assigneeId}
        label={t("tasks.delete")}
        list="/tasks"
      />
    </div>
  );
  return (
    <Page title={title} actions={actions}>
      <Panel title={t("tasks.one")}>
        {editing ? <TaskForm task={task} onSaved={close} onCancel={close} /> : <TaskFacts task={task} />}
      </Panel>
      <Panel title={t("history.title")}>
        <History type="task" id={id} />
      </Panel>
    </Page>
  );
}

function TaskFacts({ task }: { task: Task }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Facts
      items={[
        [t("field.status"), t(task.doneAt ? "tasks.done" : "tasks.open")],
        [t("field.due"), <DueDate key="due" task={task} />],
        [t("field.assignee"), task.assigneeName],
        ...linksOf(task).map(
          (record) => [t(`field.${record.type}`), <RecordLink key={record.type} record={record} />] as const,
        ),
        [t("field.updated"), format.dateTime(task.updatedAt)],
        [t("field.version"), format.number(task.version)],
      ]}
    />
  );
}
