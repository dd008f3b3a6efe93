import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { proposalQuery } from "@/api/proposals";
import type { Proposal } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";
import { usePassed } from "@/lib/hooks";

import { showNewestCard } from "./newestCard";
import type { MessageView } from "./view";

/** Says above the composer how many changes of this conversation wait, and leads to the newest of them. */
export function WaitingBar({ messages }: { messages: readonly MessageView[] }) {
  const { t } = useTranslation();
  const pending = usePending(messages.flatMap(({ proposals }) => proposals));
  const expired = usePassed(pending.map(({ expiresAt }) => expiresAt));
  const count = pending.length - expired;
  if (count <= 0) return null;
  return (
    <div className="flex items-center gap-2 border-t border-line bg-warn-soft px-3 py-1 text-sm text-warn">
      <Icon name="hand" />
      <span className="flex-1">{t("assistant.waiting", { count })}</span>
      <Button size="small" onClick={showNewestCard}>
        {t("assistant.showWaiting")}
      </Button>
    </div>
  );
}

/** The proposals that still wait, by what the cards know of them. */
function usePending(seeds: readonly Proposal[]): Proposal[] {
  const known = useQueries({ queries: seeds.map(proposalQuery) });
  return known.flatMap(({ data }) => (data?.status === "pending" ? [data] : []));
}
