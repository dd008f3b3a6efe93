import { zodResolver } from "@hookform/resolvers/zod";
import { useRef } from "react";
import { useForm, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";

import { useSaveAIConfig } from "@/api/aiConfig";
import { fieldError } from "@/api/errors";
import type { AIConfig, AIConfigTrial } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { SelectField, TextArea, TextField } from "@/components/ui/Field";
import { LeaveGuard } from "@/components/ui/LeaveGuard";
import { ErrorNote } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";
import { z } from "@/lib/zod";

import { ConnectionTest } from "./ConnectionTest";
import { ModelField } from "./ModelField";

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
  /** Empty leaves it to what the server learns of the model. */
  holdBack: z.string().regex(/^(1?\d|20)?$/, "ai.holdBackInvalid"),
});
type Values = z.infer<typeof schema>;
const FIELDS = ["provider", "endpointUrl", "model", "apiKey", "systemPrompt", "maxRounds", "holdBack"] as const;

export function AIConfigForm({ config, readOnly }: { config: AIConfig; readOnly: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { form, save, submit, removeKey, errorOf } = useConfigForm(config, readOnly, (key) => {
    toast({ text: t(key) });
  });
  const home = useRef<HTMLFormElement>(null);
  const { isDirty, dirtyFields } = form.formState;
  const address = useWatch({ control: form.control, name: "endpointUrl" });
  const newHost = config.apiKeySet && hostOf(address) !== hostOf(config.endpointUrl);
  const screen = async (): Promise<AIConfigTrial | undefined> => {
    if (!(await form.trigger(["endpointUrl", "model"], { shouldFocus: true }))) return undefined;
    const { provider, endpointUrl, model, apiKey } = form.getValues();
    const key = apiKey.trim();
    return { provider, endpointUrl: endpointUrl.trim(), model: model.trim(), ...(key && { apiKey: key }) };
  };
  return (
    <form
      ref={home}
      tabIndex={-1}
      noValidate
      autoComplete="off"
      onSubmit={(event) => void submit(event)}
      className="space-y-4 outline-none"
    >
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
      <ModelField
        listable={config.configured && !dirtyFields.endpointUrl && !dirtyFields.provider && !dirtyFields.apiKey}
        error={errorOf("model")}
        {...form.register("model")}
      />
      <TextField
        label={t("ai.apiKey")}
        hint={newHost ? t("ai.newHost") : t("ai.apiKeyHint")}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        data-1p-ignore
        data-lpignore="true"
        placeholder={config.apiKeySet && !newHost ? t("ai.apiKeySet") : ""}
        error={errorOf("apiKey")}
        {...form.register("apiKey")}
      />
      {!readOnly && config.apiKeySet && <RemoveKey blocked={isDirty || save.isPending} onRemove={removeKey} />}
      {!readOnly && <ConnectionTest input={screen} />}
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
      <TextField
        label={t("ai.holdBack")}
        hint={t("ai.holdBackHint")}
        inputMode="numeric"
        className="max-w-28"
        error={errorOf("holdBack")}
        {...form.register("holdBack")}
      />
      {save.error && <ErrorNote error={save.error} />}
      {!readOnly && (
        <SaveBar
          dirty={isDirty}
          busy={save.isPending}
          onDiscard={() => {
            form.reset();
            save.reset();
          }}
        />
      )}
      <LeaveGuard dirty={isDirty && !save.isPending} home={home} />
    </form>
  );
}

function useConfigForm(config: AIConfig, readOnly: boolean, tell: (key: string) => void) {
  const { t } = useTranslation();
  const save = useSaveAIConfig();
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: startValues(config),
    disabled: readOnly,
  });
  const submit = form.handleSubmit(({ apiKey, ...values }) => {
    // An empty key keeps the stored one, so it is not sent at all.
    save.mutate(apiKey ? { ...bodyOf(values), apiKey } : bodyOf(values), {
      onSuccess: ({ endpointHint }) => {
        tell(endpointHint ? `ai.savedHint.${endpointHint}` : "ai.saved");
      },
      onError: (error) => {
        const first = FIELDS.find((name) => fieldError(error, name));
        if (first) form.setFocus(first);
      },
    });
  });
  const removeKey = () => {
    // What is stored stays as it is; what is on screen is not part of this.
    const { apiKey: _none, ...stored } = startValues(config);
    const body = { ...bodyOf(stored), removeKey: true };
    save.mutate(body, {
      onSuccess: () => {
        tell("ai.keyRemoved");
      },
    });
  };
  const errorOf = (name: keyof Values) => {
    const own = form.formState.errors[name]?.message;
    return own ? t(own) : fieldError(save.error, name);
  };
  return { form, save, submit, removeKey, errorOf };
}

// The form starts afresh afterwards, so nothing may be lost by that.
function RemoveKey({ blocked, onRemove }: { blocked: boolean; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      trigger={
        <Button look="danger" size="small" disabled={blocked}>
          {t("ai.removeKey")}
        </Button>
      }
      title={t("ai.removeKeyTitle")}
      description={t("ai.removeKeyText")}
      action={t("ai.removeKey")}
      onConfirm={onRemove}
    />
  );
}

function SaveBar({ dirty, busy, onDiscard }: { dirty: boolean; busy: boolean; onDiscard: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line pt-3">
      <Button type="submit" look="primary" busy={busy}>
        {t("common.save")}
      </Button>
      {dirty && <Button onClick={onDiscard}>{t("unsaved.discard")}</Button>}
      <p role="status" className="text-sm text-warn">
        {dirty && t("unsaved.note")}
      </p>
    </div>
  );
}

/** Scheme, host and port: what a key was entered for. */
function hostOf(address: string | undefined): string {
  const text = address?.trim() ?? "";
  return URL.canParse(text) ? new URL(text).origin : text;
}

function startValues(config: AIConfig): Values {
  return {
    provider: config.provider ?? "openai",
    endpointUrl: config.endpointUrl ?? "",
    model: config.model ?? "",
    apiKey: "",
    systemPrompt: config.systemPrompt ?? "",
    maxRounds: config.maxRounds ?? 8,
    holdBack: config.holdBack?.toString() ?? "",
  };
}

function bodyOf({ holdBack, ...values }: Omit<Values, "apiKey">) {
  return holdBack ? { ...values, holdBack: Number(holdBack) } : values;
}
