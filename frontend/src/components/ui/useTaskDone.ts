import { useTranslation } from "react-i18next";

import { useErrorText } from "@/api/errors";
import { currentOf, useSaveRecord } from "@/api/records";
import type { Task } from "@/api/types";

import { useToast } from "./Toast";

/** Marks a task as done, or opens it again, as the person saw it. Says what came of it; done can be undone. */
export function useTaskDone() {
  const { t } = useTranslation();
  const toast = useToast();
  const errorText = useErrorText();
  const save = useSaveRecord("task");
  const set = (task: Task, done: boolean) => {
    // The row may be gone by the time of the answer, and with it the callbacks of mutate: a promise still answers.
    save.mutateAsync({ base: task, body: { doneAt: done ? new Date().toISOString() : null } }).then(
      (after) => {
        const text = t(done ? "tasks.completed" : "tasks.reopened", { title: task.title });
        const undo = () => {
          set(after, false);
        };
        toast(done ? { text, action: { label: t("common.undo"), run: undo } } : { text });
      },
      (error: unknown) => {
        toast({ text: currentOf(error) ? t("tasks.stale", { title: task.title }) : errorText(error) });
      },
    );
  };
  return { set, busy: save.isPending };
}
