import { useTranslation } from "react-i18next";

import { scopeOf, useMe } from "@/api/session";
import type { Task } from "@/api/types";
import { TextField } from "@/components/ui/Field";
import { RecordFormFrame } from "@/components/ui/RecordFormFrame";
import { RecordPicker } from "@/components/ui/RecordPicker";
import { emptyAsNull, useRecordForm } from "@/components/ui/useRecordForm";
import { fromWallClock, toWallClock, useFormat } from "@/lib/format";
import { z } from "@/lib/zod";

const schema = z.object({
  title: z.string().trim().min(1, "common.required"),
  dueAt: z.string(),
  assigneeId: z.string(),
  dealId: z.string(),
  companyId: z.string(),
  contactId: z.string(),
});
// A new task without an assignee is one's own; one that exists always has one.
const existing = schema.extend({ assigneeId: z.string().min(1, "common.required") });
type Values = z.infer<typeof schema>;

const NEW: Values = { title: "", dueAt: "", assigneeId: "", dealId: "", companyId: "", contactId: "" };

function valuesOf(task: Task): Values {
  const { title, dueAt, assigneeId, dealId = "", companyId = "", contactId = "" } = task;
  return { title, dueAt: toWallClock(dueAt), assigneeId, dealId, companyId, contactId };
}

function bodyOf(changed: Partial<Values>): object {
  return emptyAsNull({ ...changed, ...(changed.dueAt && { dueAt: fromWallClock(changed.dueAt) }) });
}

const LINKS = ["deal", "company", "contact"] as const;
export type Links = Partial<Record<(typeof LINKS)[number], { id: string; name: string }>>;

type Props = {
  task?: Task;
  /** What a new task is about. */
  about?: Links;
  onSaved: (task: Task) => void;
  onCancel: () => void;
};

export function TaskForm({ task, about = {}, onSaved, onCancel }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const me = useMe();
  const display = (record: Task) => ({
    title: record.title,
    dueAt: format.dateTime(record.dueAt),
    assigneeId: record.assigneeName,
    dealId: record.dealTitle ?? "",
    companyId: record.companyName ?? "",
    contactId: record.contactName ?? "",
  });
  const { form, submit, set, errorOf, storedOf, ...state } = useRecordForm({
    type: "task",
    schema: task ? existing : schema,
    record: task,
    start: {
      ...NEW,
      dealId: about.deal?.id ?? "",
      companyId: about.company?.id ?? "",
      contactId: about.contact?.id ?? "",
    },
    valuesOf,
    displayOf: display,
    bodyOf,
    onSaved,
  });
  const names = task && display(task);
  const picker = (kind: "person" | (typeof LINKS)[number], field: keyof Values, name: string, hint?: string) => (
    <RecordPicker
      key={field}
      kind={kind}
      label={t(field === "assigneeId" ? "field.assignee" : `field.${kind}`)}
      name={name}
      error={errorOf(field)}
      hint={storedOf(field) ?? hint}
      onChange={(id) => {
        set(field, id);
      }}
    />
  );
  return (
    <RecordFormFrame
      {...state}
      action={t(task ? "common.save" : "tasks.create")}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <TextField
        label={t("field.taskTitle")}
        error={errorOf("title")}
        hint={storedOf("title")}
        {...form.register("title")}
      />
      <TextField
        label={t("field.due")}
        type="datetime-local"
        error={errorOf("dueAt")}
        hint={storedOf("dueAt") ?? t("tasks.dueHint")}
        {...form.register("dueAt")}
      />
      {LINKS.map((kind) => picker(kind, `${kind}Id`, names?.[`${kind}Id`] ?? about[kind]?.name ?? ""))}
      {scopeOf(me.data, "task:create") !== "own" &&
        picker("person", "assigneeId", names?.assigneeId ?? "", task ? undefined : t("tasks.assigneeHint"))}
    </RecordFormFrame>
  );
}
