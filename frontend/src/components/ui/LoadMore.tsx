import { useTranslation } from "react-i18next";

import { useFormat } from "@/lib/format";

import { Button } from "./Button";

type Props = { shown: number; total: number; hasMore: boolean; busy: boolean; onMore: () => void };

/** Says how much of a list is on screen and loads the next page. */
export function LoadMore({ shown, total, hasMore, busy, onMore }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm text-muted">
      <span role="status">{t("common.shown", { shown: format.number(shown), total: format.number(total) })}</span>
      {hasMore && (
        <Button busy={busy} onClick={onMore}>
          {t("common.loadMore")}
        </Button>
      )}
    </div>
  );
}
