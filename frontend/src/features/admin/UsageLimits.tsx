import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";

import { useAIConfig, useSaveAIConfig } from "@/api/aiConfig";
import type { AIConfig } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { TextField } from "@/components/ui/Field";
import { Panel } from "@/components/ui/Page";
import { ErrorNote } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";

/** How long a conversation may become, and whether everybody sees costs. They belong to the model's configuration. */
export function UsageLimits() {
  const config = useAIConfig();
  if (!config.data?.configured) return null;
  return <LimitsForm key={config.data.updatedAt} config={config.data} />;
}

function LimitsForm({ config }: { config: AIConfig }) {
  const { t } = useTranslation();
  const save = useSaveAIConfig();
  const toast = useToast();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const { provider = "openai", endpointUrl = "", model = "", systemPrompt = "", maxRounds = 8 } = config;
    const limits = { conversationTokens: Number(data.get("tokens")), showCost: data.get("showCost") !== null };
    save.mutate(
      { provider, endpointUrl, model, systemPrompt, maxRounds, ...limits },
      {
        onSuccess: () => {
          toast({ text: t("ai.saved") });
        },
      },
    );
  };
  return (
    <Panel title={t("usage.limits")}>
      <form onSubmit={submit} className="space-y-3">
        <TextField
          label={t("usage.conversationTokens")}
          hint={t("usage.conversationTokensHint")}
          name="tokens"
          type="number"
          min={0}
          required
          className="max-w-40"
          defaultValue={config.conversationTokens ?? 0}
        />
        <label className="flex min-h-9 items-center gap-2 text-sm">
          <input type="checkbox" name="showCost" defaultChecked={config.showCost ?? false} />
          {t("usage.showCost")}
        </label>
        {save.error && <ErrorNote error={save.error} />}
        <Button type="submit" busy={save.isPending}>
          {t("common.save")}
        </Button>
      </form>
    </Panel>
  );
}
