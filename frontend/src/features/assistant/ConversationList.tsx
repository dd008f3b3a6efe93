import { useTranslation } from "react-i18next";

import { useConversations } from "@/api/conversations";
import { ErrorNote, Loading } from "@/components/ui/States";
import { cn } from "@/lib/cn";
import { useFormat } from "@/lib/format";

type Props = { current: string | undefined; onOpen: (id: string) => void };

export function ConversationList({ current, onOpen }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const conversations = useConversations(true);
  if (conversations.isPending) return <Loading />;
  if (conversations.error) {
    return (
      <div className="p-3">
        <ErrorNote error={conversations.error} onRetry={() => void conversations.refetch()} />
      </div>
    );
  }
  if (conversations.data.items.length === 0) {
    return <p className="p-6 text-center text-sm text-muted">{t("assistant.noConversations")}</p>;
  }
  return (
    <nav aria-label={t("assistant.conversations")} className="min-h-0 flex-1 overflow-y-auto p-2">
      <ul className="space-y-1">
        {conversations.data.items.map(({ id, title, updatedAt }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === current || undefined}
              className={cn(
                "w-full rounded-lg px-3 py-2 text-left text-sm hover:bg-raised",
                id === current && "bg-accent-soft",
              )}
              onClick={() => {
                onOpen(id);
              }}
            >
              <span className="line-clamp-2 break-words">{title || t("assistant.untitled")}</span>
              <time dateTime={updatedAt} className="text-xs text-muted">
                {format.relative(updatedAt)}
              </time>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
