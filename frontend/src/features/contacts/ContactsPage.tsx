import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";

import { useContacts } from "@/api/contacts";
import { can, useMe } from "@/api/session";
import type { Contact } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { LinkButton } from "@/components/ui/LinkButton";
import { LoadMore } from "@/components/ui/LoadMore";
import { Page } from "@/components/ui/Page";
import { RecordLink } from "@/components/ui/RecordLink";
import { SearchField } from "@/components/ui/SearchField";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";
import { recordPath } from "@/lib/routes";
import { marked, markedNode } from "@/lib/unseen";

export function ContactsPage() {
  const { t } = useTranslation();
  const me = useMe();
  const [params, setParams] = useSearchParams();
  const q = params.get("q") ?? "";
  const contacts = useContacts({ q });
  const items = contacts.data?.pages.flatMap((page) => page.items) ?? [];
  const search = (next: string) => {
    setParams(next ? { q: next } : {}, { replace: true });
  };
  const add = can(me.data, "contact:create") && <LinkButton to="/contacts/new">{t("contacts.new")}</LinkButton>;
  return (
    <Page title={t("contacts.title")} actions={add}>
      <div role="search" className="block max-w-md">
        <SearchField label={t("common.search")} value={q} onSearch={search} />
      </div>
      {contacts.isPending && <Loading />}
      {contacts.error && <ErrorNote error={contacts.error} onRetry={() => void contacts.refetch()} />}
      {contacts.data && items.length === 0 && (
        <Empty title={t(q ? "contacts.noneFound" : "contacts.none")}>
          {q ? (
            <Button
              onClick={() => {
                search("");
              }}
            >
              {t("common.clearFilters")}
            </Button>
          ) : (
            add
          )}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <ul
            aria-label={t("contacts.title")}
            className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface"
          >
            {items.map((contact) => (
              <ContactRow key={contact.id} contact={contact} />
            ))}
          </ul>
          <LoadMore
            shown={items.length}
            total={contacts.data?.pages[0]?.total ?? items.length}
            hasMore={contacts.hasNextPage}
            busy={contacts.isFetchingNextPage}
            onMore={() => void contacts.fetchNextPage()}
          />
        </>
      )}
    </Page>
  );
}

function ContactRow({ contact: { id, name, jobTitle, companyId, companyName, ownerName } }: { contact: Contact }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 px-3 py-2 text-sm hover:bg-raised">
      <span className="min-w-0">
        <Link
          className="inline-block min-h-6 content-center font-medium text-accent hover:underline"
          to={recordPath("contact", id) ?? ""}
        >
          {marked(name)}
        </Link>{" "}
        <span className="text-muted">{markedNode(jobTitle)}</span>
      </span>
      <span className="text-xs text-muted">
        {companyId && companyName && (
          <>
            <RecordLink
              record={{ type: "company", id: companyId, name: companyName }}
              className="inline-block min-h-6 content-center text-text hover:underline"
            />
            {" · "}
          </>
        )}
        {ownerName}
      </span>
    </li>
  );
}
