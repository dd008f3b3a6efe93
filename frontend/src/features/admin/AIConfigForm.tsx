import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";

import { useSaveAIConfig } from "@/api/aiConfig";
import { ApiError } from "@/api/client";
import type { AIConfig } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { SelectField, TextArea, TextField } from "@/components/ui/Field";
import { ErrorNote } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";
import { z } from "@/lib/zod";

const schema = z.object({
  provider: z.enum(["openai", "anthropic"]),
  endpointUrl: z
    .string()
    .trim()
    .pipe(z.url({ protocol: /^https?$/, error: "ai.urlInvalid" })),
  model: z.string().trim().min(1, "common.required"),
  apiKey: z.string().trim(),
  systemPrompt: z.string(),
  maxRounds: z
    .number("ai.roundsInvalid")
    .int("ai.roundsInvalid")
    .min(1, "ai.roundsInvalid")
    .max(20, "ai.roundsInvalid"),
});
type Values = z.infer<typeof schema>;

export function AIConfigForm({ config, readOnly }: { config: AIConfig; readOnly: boolean }) {
  const { t } = useTranslation();
  const save = useSaveAIConfig();
  const toast = useToast();
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: startValues(config),
    disabled: readOnly,
  });
  const submit = form.handleSubmit(({ apiKey, ...values }) => {
    // An empty key keeps the stored one, so it is not sent at all.
    save.mutate(apiKey ? { ...values, apiKey } : values, {
      onSuccess: () => {
        toast({ text: t("ai.saved") });
      },
    });
  });
  const errorOf = (name: keyof Values) => {
    const own = form.formState.errors[name]?.message;
    return own ? t(own) : fieldError(save.error, name);
  };
  return (
    <form noValidate autoComplete="off" onSubmit={(event) => void submit(event)} className="space-y-4">
      <SelectField label={t("ai.provider")} error={errorOf("provider")} {...form.register("provider")}>
        <option value="openai">{t("ai.providers.openai")}</option>
        <option value="anthropic">{t("ai.providers.anthropic")}</option>
      </SelectField>
      <TextField
        label={t("ai.endpointUrl")}
        hint={t("ai.endpointHint")}
        type="url"
        inputMode="url"
        spellCheck={false}
        error={errorOf("endpointUrl")}
        {...form.register("endpointUrl")}
      />
      <TextField label={t("ai.model")} spellCheck={false} error={errorOf("model")} {...form.register("model")} />
      <TextField
        label={t("ai.apiKey")}
        hint={t("ai.apiKeyHint")}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        data-1p-ignore
        data-lpignore="true"
        placeholder={config.apiKeySet ? t("ai.apiKeySet") : ""}
        error={errorOf("apiKey")}
        {...form.register("apiKey")}
      />
      <TextArea
        label={t("ai.systemPrompt")}
        hint={t("ai.systemPromptHint")}
        rows={6}
        error={errorOf("systemPrompt")}
        {...form.register("systemPrompt")}
      />
      <TextField
        label={t("ai.maxRounds")}
        hint={t("ai.maxRoundsHint")}
        type="number"
        min={1}
        max={20}
        className="max-w-28"
        error={errorOf("maxRounds")}
        {...form.register("maxRounds", { valueAsNumber: true })}
      />
      {save.error && <ErrorNote error={save.error} />}
      {!readOnly && (
        <Button type="submit" look="primary" busy={save.isPending}>
          {t("common.save")}
        </Button>
      )}
    </form>
  );
}

function startValues(config: AIConfig): Values {
  return {
    provider: config.provider ?? "openai",
    endpointUrl: config.endpointUrl ?? "",
    model: config.model ?? "",
    apiKey: "",
    systemPrompt: config.systemPrompt ?? "",
    maxRounds: config.maxRounds ?? 8,
  };
}

function fieldError(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.problem.errors?.find(({ path }) => path === name || path.endsWith(`.${name}`))?.message;
}
