import { useTranslation } from "react-i18next";

import { useAIConfig, useRemoveAIConfig } from "@/api/aiConfig";
import { can, useMe } from "@/api/session";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { Notice } from "@/components/ui/Notice";
import { Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";
import { useFormat } from "@/lib/format";

import { AIConfigForm } from "./AIConfigForm";

export function AIConfigPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const me = useMe();
  const config = useAIConfig();
  const remove = useRemoveAIConfig();
  const toast = useToast();
  const mayChange = can(me.data, "ai-config:update");
  if (config.isPending) return <Loading />;
  if (config.error) {
    return (
      <Page title={t("ai.title")}>
        <ErrorNote error={config.error} onRetry={() => void config.refetch()} />
      </Page>
    );
  }
  const { configured, secrets, updatedAt, updatedBy, failing } = config.data;
  const onRemove = () => {
    remove.mutate(undefined, {
      onSuccess: () => {
        toast({ text: t("ai.removed") });
      },
    });
  };
  return (
    <Page title={t("ai.title")}>
      <p className="text-sm text-muted">{t(configured ? "ai.configured" : "ai.notConfigured")}</p>
      {secrets !== "ok" && <Notice look="warn">{t(`ai.secrets.${secrets}`)}</Notice>}
      {failing && (
        <Notice look="warn">
          {t("ai.failing", { when: format.dateTime(failing.at) })} {t(`errors.${failing.code}`, { defaultValue: failing.code })}
        </Notice>
      )}
      <Panel title={t("ai.connection")}>
        {/* The key makes the form start afresh from what the server has stored. */}
        <AIConfigForm key={`${String(configured)} ${updatedAt ?? ""}`} config={config.data} readOnly={!mayChange} />
      </Panel>
      {remove.error && <ErrorNote error={remove.error} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted">
          {updatedAt && t("ai.updated", { when: format.dateTime(updatedAt), who: updatedBy ?? "" })}
        </p>
        {configured && mayChange && (
          <ConfirmDialog
            trigger={
              <Button look="danger" busy={remove.isPending}>
                {t("ai.remove")}
              </Button>
            }
            title={t("ai.removeTitle")}
            description={t("ai.removeText")}
            action={t("ai.remove")}
            onConfirm={onRemove}
          />
        )}
      </div>
    </Page>
  );
}
