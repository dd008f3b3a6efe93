import { useTranslation } from "react-i18next";

import { useQuotations } from "@/api/quotations";
import { can, scopeOf, useMe } from "@/api/session";
import { Button } from "@/components/ui/Button";
import { SelectField } from "@/components/ui/Field";
import { LinkButton } from "@/components/ui/LinkButton";
import { LoadMore } from "@/components/ui/LoadMore";
import { Page } from "@/components/ui/Page";
import { SearchField } from "@/components/ui/SearchField";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";
import { useUrlFilter } from "@/components/ui/useUrlFilter";

import { QuotationTable } from "./QuotationTable";

const STATUSES = ["DRAFT", "SENT", "ACCEPTED", "REJECTED", "EXPIRED"];
const DEFAULTS = { q: "", status: "", who: "all" };

export function QuotationsPage() {
  const { t } = useTranslation();
  const me = useMe();
  const filter = useUrlFilter(DEFAULTS);
  const { q, status, who } = filter.values;
  const quotations = useQuotations({
    q,
    status: STATUSES.includes(status) ? status : "",
    ownerId: who === "me" ? (me.data?.user.id ?? "") : "",
  });
  const items = quotations.data?.pages.flatMap((page) => page.items) ?? [];
  const add = can(me.data, "quotation:create") && (
    <LinkButton to="/quotations/new">{t("quotations.new")}</LinkButton>
  );
  return (
    <Page title={t("quotations.title")} actions={add}>
      <QuotationFilters values={filter.values} onChange={filter.change} />
      {quotations.isPending && <Loading />}
      {quotations.error && <ErrorNote error={quotations.error} onRetry={() => void quotations.refetch()} />}
      {quotations.data && items.length === 0 && (
        <Empty title={t(filter.isFiltered ? "quotations.noneFound" : "quotations.none")}>
          {filter.isFiltered ? <Button onClick={filter.clear}>{t("common.clearFilters")}</Button> : add}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <QuotationTable quotations={items} stale={quotations.isPlaceholderData} />
          <LoadMore
            shown={items.length}
            total={quotations.data?.pages[0]?.total ?? items.length}
            hasMore={quotations.hasNextPage}
            busy={quotations.isFetchingNextPage}
            onMore={() => void quotations.fetchNextPage()}
          />
        </>
      )}
    </Page>
  );
}

type FilterProps = { values: typeof DEFAULTS; onChange: (next: Partial<typeof DEFAULTS>) => void };

function QuotationFilters({ values, onChange }: FilterProps) {
  const { t } = useTranslation();
  const me = useMe();
  const scope = scopeOf(me.data, "quotation:read");
  return (
    <div role="search" className="grid grid-cols-1 gap-3 sm:grid-cols-[1fr_12rem_12rem]">
      <SearchField
        label={t("quotations.searchNumber")}
        value={values.q}
        onSearch={(q) => {
          onChange({ q });
        }}
      />
      <SelectField
        label={t("field.status")}
        value={values.status}
        onChange={(event) => {
          onChange({ status: event.target.value });
        }}
      >
        <option value="">{t("common.all")}</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {t(`quotationStatus.${status}`)}
          </option>
        ))}
      </SelectField>
      {scope && scope !== "own" && (
        <SelectField
          label={t("field.owner")}
          value={values.who}
          onChange={(event) => {
            onChange({ who: event.target.value });
          }}
        >
          <option value="all">{t("quotations.everyone")}</option>
          <option value="me">{t("quotations.mine")}</option>
        </SelectField>
      )}
    </div>
  );
}
