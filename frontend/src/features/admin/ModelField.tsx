import { useMutation } from "@tanstack/react-query";
import { useId, type ComponentProps } from "react";
import { useTranslation } from "react-i18next";

import { ApiError, request } from "@/api/client";
import type { ModelNames } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { TextField } from "@/components/ui/Field";

/** A list that takes longer is not worth waiting for: a name can be typed. */
const LIST_LIMIT_MS = 5_000;

type Props = Omit<ComponentProps<typeof TextField>, "label" | "list"> & {
  /** The server lists the models of what is stored, not of what is on screen. */
  listable: boolean;
};

/** The name of the model, typed or chosen from what the endpoint offers. */
export function ModelField({ listable, ...field }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const list = useMutation({
    mutationFn: () => request<ModelNames>("/api/ai/models", { signal: AbortSignal.timeout(LIST_LIMIT_MS) }),
  });
  const reason = list.error instanceof ApiError && list.error.code === "MODEL_LIST_UNAVAILABLE" && list.error.problem.detail;
  const failure = [reason, t("ai.models.failed")].filter(Boolean).join(" ");
  const names = list.data?.items.map(({ id: name }) => name) ?? [];
  return (
    <div className="space-y-1">
      <TextField label={t("ai.model")} spellCheck={false} list={id} {...field} />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="small"
          busy={list.isPending}
          disabled={!listable || Boolean(field.disabled)}
          onClick={() => {
            list.mutate();
          }}
        >
          {t("ai.models.list")}
        </Button>
        <p role="status" className="text-xs text-muted">
          {list.error ? failure : list.data ? t("ai.models.found", { count: names.length }) : !listable && t("ai.models.saveFirst")}
        </p>
      </div>
    </div>
  );
}
