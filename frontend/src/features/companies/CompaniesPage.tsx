import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";

import { useCompanies } from "@/api/companies";
import type { Company } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { LoadMore } from "@/components/ui/LoadMore";
import { Page } from "@/components/ui/Page";
import { SearchField } from "@/components/ui/SearchField";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";
import { recordPath } from "@/lib/routes";
import { marked } from "@/lib/unseen";

export function CompaniesPage() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const q = params.get("q") ?? "";
  const companies = useCompanies(q);
  const items = companies.data?.pages.flatMap((page) => page.items) ?? [];
  const search = (next: string) => {
    setParams(next ? { q: next } : {}, { replace: true });
  };
  return (
    <Page title={t("companies.title")}>
      <div role="search" className="block max-w-md">
        <SearchField label={t("common.search")} value={q} onSearch={search} />
      </div>
      {companies.isPending && <Loading />}
      {companies.error && <ErrorNote error={companies.error} onRetry={() => void companies.refetch()} />}
      {companies.data && items.length === 0 && (
        <Empty title={t(q ? "companies.noneFound" : "companies.none")}>
          {q && (
            <Button
              onClick={() => {
                search("");
              }}
            >
              {t("common.clearFilters")}
            </Button>
          )}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
            {items.map((company) => (
              <CompanyRow key={company.id} company={company} />
            ))}
          </ul>
          <LoadMore
            shown={items.length}
            total={companies.data?.pages[0]?.total ?? items.length}
            hasMore={companies.hasNextPage}
            busy={companies.isFetchingNextPage}
            onMore={() => void companies.fetchNextPage()}
          />
        </>
      )}
    </Page>
  );
}

function CompanyRow({ company }: { company: Company }) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 px-3 py-2 text-sm hover:bg-raised">
      <span className="min-w-0">
        <Link
          className="inline-block min-h-6 font-medium text-accent hover:underline"
          to={recordPath("company", company.id) ?? ""}
        >
          {marked(company.name)}
        </Link>{" "}
        <span className="text-muted">{marked(company.otherNames.join(" · "))}</span>
      </span>
      <span className="text-xs text-muted">{marked([company.industry, company.ownerName].filter(Boolean).join(" · "))}</span>
    </li>
  );
}
