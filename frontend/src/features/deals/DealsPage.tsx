import { useTranslation } from "react-i18next";

import { useDeals } from "@/api/deals";
import { LoadMore } from "@/components/ui/LoadMore";
import { Page } from "@/components/ui/Page";
import { Button } from "@/components/ui/Button";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";

import { DealFilters } from "./DealFilters";
import { DealTable } from "./DealTable";
import { useDealFilter } from "./useDealFilter";

export function DealsPage() {
  const { t } = useTranslation();
  const { filter, change, isFiltered, clear } = useDealFilter();
  const deals = useDeals(filter);
  const items = deals.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page title={t("deals.title")}>
      <DealFilters filter={filter} onChange={change} />
      {deals.isPending && <Loading />}
      {deals.error && <ErrorNote error={deals.error} onRetry={() => void deals.refetch()} />}
      {deals.data && items.length === 0 && (
        <Empty title={t(isFiltered ? "deals.noneFound" : "deals.none")}>
          {isFiltered && <Button onClick={clear}>{t("common.clearFilters")}</Button>}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <DealTable deals={items} stale={deals.isPlaceholderData} />
          <LoadMore
            shown={items.length}
            total={deals.data?.pages[0]?.total ?? items.length}
            hasMore={deals.hasNextPage}
            busy={deals.isFetchingNextPage}
            onMore={() => void deals.fetchNextPage()}
          />
        </>
      )}
    </Page>
  );
}
