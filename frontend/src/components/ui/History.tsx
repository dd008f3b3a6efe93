import { useTranslation } from "react-i18next";

import { useHistory, type KeptType } from "@/api/records";
import type { HistoryItem } from "@/api/types";
import { useFormat } from "@/lib/format";
import { markedNode } from "@/lib/unseen";

import { Icon } from "./Icon";
import { ErrorNote, Loading } from "./States";
import { useFieldValue } from "./useFieldValue";

/** What has changed on a record: field, before and after, who, through what and when. */
export function History({ type, id }: { type: KeptType; id: string }) {
  const { t } = useTranslation();
  const history = useHistory(type, id);
  if (history.isPending) return <Loading />;
  if (history.error) return <ErrorNote error={history.error} onRetry={() => void history.refetch()} />;
  if (history.data.items.length === 0) return <p className="text-sm text-muted">{t("history.empty")}</p>;
  return (
    <ol className="space-y-3" data-testid={`${type}-history`}>
      {history.data.items.map((item) => (
        <HistoryRow key={item.id} type={type} item={item} />
      ))}
    </ol>
  );
}

// Fields whose values are codes, with where their words are.
const WORDS: Partial<Record<string, string>> = {
  "contact.language": "contactLanguage",
  "company.status": "companyStatus",
  "quotation.status": "quotationStatus",
};

function HistoryRow({ type, item }: { type: KeptType; item: HistoryItem }) {
  const { t } = useTranslation();
  const format = useFormat();
  const fieldValue = useFieldValue();
  const words = WORDS[`${type}.${item.field}`];
  const display = (value: unknown) =>
    words && typeof value === "string" ? t(`${words}.${value}`, { defaultValue: value }) : fieldValue(value);
  return (
    <li className="border-l-2 border-line pl-3 text-sm" data-via={item.actor.via}>
      <p className="flex flex-wrap items-center gap-x-1.5">
        <span className="font-medium">{t(`historyField.${item.field}`, { defaultValue: item.field })}</span>
        <span className="break-words">{markedNode(item.beforeName) ?? display(item.before)}</span>
        <Icon name="arrow" className="size-3.5 text-muted" />
        <span className="sr-only">{t("history.becomes")}</span>
        <span className="font-medium break-words">{markedNode(item.afterName) ?? display(item.after)}</span>
      </p>
      <p className="mt-0.5 text-xs text-muted">
        <Who item={item} /> · <time dateTime={item.at}>{format.dateTime(item.at)}</time>
      </p>
    </li>
  );
}

function Who({ item: { actor } }: { item: HistoryItem }) {
  const { t } = useTranslation();
  const { name, via, model, client } = actor;
  if (via === "assistant") return t("history.assistant", { name, model: model ?? t("history.assistantPlain") });
  if (via === "command") return t("history.command", { name });
  if (via === "system") return t("history.system");
  const channel = t(`via.${via}`, { defaultValue: via });
  return t("history.person", { name, channel: client ? `${channel} (${client})` : channel });
}
