import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { ApiError } from "@/api/client";
import { useErrorText } from "@/api/errors";

import { Button } from "./Button";
import { Icon } from "./Icon";
import { Notice } from "./Notice";

export function Loading() {
  const { t } = useTranslation();
  return (
    <p role="status" className="flex items-center gap-2 p-6 text-sm text-muted">
      <Icon name="spin" className="size-4 animate-spin motion-reduce:animate-none" />
      {t("common.loading")}
    </p>
  );
}

/** What went wrong in a plain sentence, with the request id that support asks for. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const requestId = error instanceof ApiError ? error.problem.requestId : undefined;
  return (
    <Notice look="danger" className="space-y-2">
      <p>{errorText(error)}</p>
      {requestId && <p className="font-mono text-xs">{t("common.requestId", { id: requestId })}</p>}
      {onRetry && <Button onClick={onRetry}>{t("common.retry")}</Button>}
    </Notice>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="space-y-3 rounded-xl border border-dashed border-line p-8 text-center">
      <p className="font-medium">{title}</p>
      {children}
    </div>
  );
}
