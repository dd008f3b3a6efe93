import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { ApiError } from "@/api/client";
import { useErrorText } from "@/api/errors";
import { Icon } from "@/components/ui/Icon";
import { Notice } from "@/components/ui/Notice";

import { Again, SearchInstead } from "./Again";
import { isHeldBack } from "./markdown/blocks";
import type { TurnEnd } from "./streamReducer";
import type { MessageView } from "./view";

type Props = { message: MessageView; question: string | undefined; last: boolean };

/** Failures of a model that somebody may have put right meanwhile, though no try at once can help. */
const MENDED_ELSEWHERE = ["MODEL_UNAUTHORIZED", "MODEL_NOT_FOUND", "MODEL_QUOTA"];

/** How an answer ended, where that is not plain from its text, and the way to go on from there. */
export function MessageEnd({ message: { status, end, text, tools }, question, last }: Props) {
  const { t } = useTranslation();
  const again = last && question && <Again label={t("common.retry")} text={question} />;
  if (status === "stopped") return <Mark text={t("assistant.stopped")}>{again}</Mark>;
  if (end?.kind === "error") {
    return (
      <EndError end={end}>
        <div className="flex flex-wrap gap-2">
          {(end.retryable || MENDED_ELSEWHERE.includes(end.code)) && again}
          {end.code.startsWith("MODEL_") && <SearchInstead question={question} />}
        </div>
      </EndError>
    );
  }
  if (end?.kind === "lost") return <EndLost>{again}</EndLost>;
  if (status === "failed") {
    return (
      <Mark text={t("assistant.failed")}>
        {again}
        <SearchInstead question={question} />
      </Mark>
    );
  }
  if (end?.kind === "done" && end.reason === "max_rounds") return <Mark text={t("assistant.reason.max_rounds")} />;
  if (end?.kind === "done" && end.reason === "length") {
    return (
      <Mark text={t("assistant.reason.length")}>
        {last && <Again label={t("assistant.continue")} text={t("assistant.continueText")} />}
      </Mark>
    );
  }
  return status === "running" && tools.length === 0 && isHeldBack(text) ? <Working /> : null;
}

function Working() {
  const { t } = useTranslation();
  return (
    <p className="flex items-center gap-2 text-sm text-muted">
      <Icon name="spin" className="size-4 animate-spin motion-reduce:animate-none" />
      {t("assistant.working")}
    </p>
  );
}

function Mark({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <p className="flex items-center gap-1.5 text-xs font-medium text-warn">
        <Icon name="warn" className="size-3.5" />
        {text}
      </p>
      {children}
    </div>
  );
}

function EndLost({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Notice look="danger" className="space-y-2">
      <p>{t("assistant.lost")}</p>
      {children}
    </Notice>
  );
}

function EndError({ end, children }: { end: Extract<TurnEnd, { kind: "error" }>; children: ReactNode }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const sentence = errorText(new ApiError({ status: 0, code: end.code, detail: end.message }));
  return (
    <Notice look="danger" className="space-y-2">
      <p>{sentence}</p>
      {end.requestId && <p className="font-mono text-xs">{t("common.requestId", { id: end.requestId })}</p>}
      {children}
    </Notice>
  );
}
