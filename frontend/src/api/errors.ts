import { useCallback } from "react";
import { useTranslation } from "react-i18next";

import { ApiError } from "./client";

/** An error in the words of the UI: the code decides, an unknown code falls back to the server's sentence. */
export type ErrorText = (error: unknown) => string;

/** Turns errors into plain sentences in the language on screen. */
export function useErrorText(): ErrorText {
  const { t, i18n } = useTranslation();
  return useCallback(
    (error) => {
      if (!(error instanceof ApiError)) return t("errors.UNKNOWN");
      const { code, problem, retryAfter } = error;
      if (code === "RATE_LIMITED" && retryAfter) return t("errors.RATE_LIMITED_FOR", { count: Math.ceil(retryAfter) });
      if (i18n.exists(`errors.${code}`)) return t(`errors.${code}`);
      return problem.detail || t("errors.UNKNOWN");
    },
    [t, i18n],
  );
}

/** What the server says about one field of a request that it refused. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.problem.errors?.find(({ path }) => path === field)?.message;
}
