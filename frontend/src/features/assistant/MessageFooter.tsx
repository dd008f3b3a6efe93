import { useTranslation } from "react-i18next";

import { CopyButton } from "@/components/ui/CopyButton";
import { useFormat } from "@/lib/format";

import type { Run } from "./streamReducer";
import type { MessageView } from "./view";

/** Below an answer: its words to copy, and what it has used. Its place is kept while the answer grows, so
 * that the end of it moves nothing. */
export function MessageFooter({ message: { text, status, usage } }: { message: MessageView }) {
  if (!text) return null;
  return (
    <div className="-ml-2 flex min-h-7 flex-wrap items-center gap-x-3 pointer-coarse:min-h-11">
      {status !== "running" && (
        <>
          <CopyButton text={text} />
          {usage && <UsageLine usage={usage} />}
        </>
      )}
    </div>
  );
}

function UsageLine({ usage }: { usage: NonNullable<Run["usage"]> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { promptTokens, completionTokens, cost, currency, known } = usage;
  const total = promptTokens + completionTokens;
  // A command uses no model, and has nothing to say here.
  if (total === 0 && known) return null;
  const tokens =
    total === 0 ? t("usage.unknown") : t(known ? "usage.tokens" : "usage.estimated", { tokens: format.number(total) });
  const detail = t("usage.detail", { input: format.number(promptTokens), output: format.number(completionTokens) });
  const price = cost !== undefined && currency ? ` · ${format.cost({ amount: cost, currency })}` : "";
  return (
    <p className="text-xs text-muted" title={total === 0 ? undefined : detail}>
      {tokens}
      {price}
    </p>
  );
}
