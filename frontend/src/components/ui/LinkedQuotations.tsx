import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

import { useQuotations } from "@/api/quotations";
import { can, useMe } from "@/api/session";
import { useFormat } from "@/lib/format";
import { recordPath } from "@/lib/routes";
import { marked } from "@/lib/unseen";

import { LinkButton } from "./LinkButton";
import { LoadMore } from "./LoadMore";
import { Panel } from "./Page";
import { QuotationStatus } from "./QuotationStatus";
import { ErrorNote, Loading } from "./States";

type Props = { about: "deal" | "company"; id: string };

/** The quotations about a record, and the way to a new one; nothing for those who see no quotations. */
export function LinkedQuotations({ about, id }: Props) {
  const { t } = useTranslation();
  const me = useMe();
  if (!can(me.data, "quotation:read")) return null;
  return (
    <Panel title={t("quotations.title")}>
      <Quotations about={about} id={id} />
      {can(me.data, "quotation:create") && (
        <LinkButton to={`/quotations/new?${about}=${encodeURIComponent(id)}`}>{t("quotations.new")}</LinkButton>
      )}
    </Panel>
  );
}

function Quotations({ about, id }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const quotations = useQuotations({ [`${about}Id`]: id });
  if (quotations.isPending) return <Loading />;
  if (quotations.error) return <ErrorNote error={quotations.error} onRetry={() => void quotations.refetch()} />;
  const items = quotations.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="text-sm text-muted">{t("quotations.noneLinked")}</p>;
  return (
    <>
      <ul aria-label={t("quotations.title")} className="divide-y divide-line text-sm">
        {items.map((quotation) => (
          <li key={quotation.id} className="flex flex-wrap items-center justify-between gap-x-3 py-1.5">
            <Link
              className="inline-block min-h-6 content-center text-accent hover:underline"
              to={recordPath("quotation", quotation.id) ?? ""}
            >
              {marked(quotation.name)}
            </Link>
            <span className="flex items-center gap-2 text-muted tabular-nums">
              {format.money(quotation.total)}
              <QuotationStatus quotation={quotation} />
            </span>
          </li>
        ))}
      </ul>
      {quotations.hasNextPage && (
        <LoadMore
          shown={items.length}
          total={quotations.data.pages[0]?.total ?? items.length}
          hasMore
          busy={quotations.isFetchingNextPage}
          onMore={() => void quotations.fetchNextPage()}
        />
      )}
    </>
  );
}
