import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { Proposal } from "@/api/types";
import { useWaiting } from "@/api/waiting";
import { Page } from "@/components/ui/Page";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";

import { ProposalCard } from "./ProposalCard";

/** All changes that wait for this person, wherever they were proposed. A decided one stays, with what came of it. */
export function WaitingPage() {
  const { t } = useTranslation();
  const waiting = useWaiting();
  const cards = useKept(waiting.data?.items ?? []);
  return (
    <Page title={t("waiting.title")}>
      <p className="text-sm text-muted">{t("waiting.hint")}</p>
      {waiting.isPending && <Loading />}
      {waiting.error && <ErrorNote error={waiting.error} onRetry={() => void waiting.refetch()} />}
      {waiting.data && cards.length === 0 && <Empty title={t("waiting.none")} />}
      <ul className="max-w-2xl space-y-3">
        {cards.map((card) => (
          <li key={card.id}>
            <ProposalCard seed={card} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

/** What the list has shown stays until the page is left; what is new comes first. */
function useKept(items: readonly Proposal[]): readonly Proposal[] {
  const [kept, setKept] = useState<readonly Proposal[]>([]);
  const known = new Set(kept.map(({ id }) => id));
  const fresh = items.filter(({ id }) => !known.has(id));
  if (fresh.length > 0) setKept([...fresh, ...kept]);
  return kept;
}
