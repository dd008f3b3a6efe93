import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Conversation } from "@/api/types";
import { LoadMore } from "@/components/ui/LoadMore";
import { SearchField } from "@/components/ui/SearchField";
import { ErrorNote, Loading } from "@/components/ui/States";

import { groupByAge, titleMatches } from "./conversationGroups";
import { ConversationRow } from "./ConversationRow";
import { useConversationPages } from "./useConversationPages";

type Props = {
  current: string | undefined;
  /** Deleted a moment ago. */
  hidden: ReadonlySet<string>;
  onOpen: (id: string) => void;
  onDelete: (id: string) => void;
};

/** The person's conversations by age, with a search over their titles. */
export function ConversationList({ current, hidden, onOpen, onDelete }: Props) {
  const { t } = useTranslation();
  const [q, setQ] = useState("");
  const [now] = useState(() => Date.now());
  const pages = useConversationPages();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  useEffect(() => {
    // A search looks through all of them.
    if (q && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [q, hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (pages.isPending) return <Loading />;
  if (pages.isError) {
    return (
      <div className="p-3">
        <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      </div>
    );
  }
  const all = pages.data.pages.flatMap(({ items }) => items);
  const shown = all.filter(({ id, title }) => !hidden.has(id) && titleMatches(title, q));
  if (all.length === 0) return <Nothing text={t("assistant.noConversations")} />;
  return (
    <nav aria-label={t("assistant.conversations")} className="min-h-0 flex-1 space-y-3 overflow-y-auto p-3">
      <SearchField label={t("assistant.searchTitles")} value={q} onSearch={setQ} />
      {shown.length === 0 && q && <Nothing text={t("assistant.noneFound")} />}
      {groupByAge(shown, now).map(({ age, items }) => (
        <Group key={age} title={t(`assistant.age.${age}`)} items={items} {...{ current, onOpen, onDelete }} />
      ))}
      {hasNextPage && (
        <LoadMore
          shown={all.length}
          total={pages.data.pages[0]?.total ?? all.length}
          hasMore
          busy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      )}
    </nav>
  );
}

type GroupProps = Omit<Props, "hidden"> & { title: string; items: readonly Conversation[] };

function Group({ title, items, current, onOpen, onDelete }: GroupProps) {
  return (
    <section>
      <h3 className="px-2 pb-1 text-xs font-semibold text-muted">{title}</h3>
      <ul className="space-y-0.5">
        {items.map((conversation) => (
          <ConversationRow
            key={conversation.id}
            conversation={conversation}
            current={conversation.id === current}
            onOpen={onOpen}
            onDelete={onDelete}
          />
        ))}
      </ul>
    </section>
  );
}

function Nothing({ text }: { text: string }) {
  return <p className="p-6 text-center text-sm text-muted">{text}</p>;
}
