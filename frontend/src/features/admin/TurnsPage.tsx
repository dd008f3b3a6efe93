import { useTranslation } from "react-i18next";

import { TURN_STATUSES, useTurns } from "@/api/turns";
import { Button } from "@/components/ui/Button";
import { SelectField, TextField } from "@/components/ui/Field";
import { LoadMore } from "@/components/ui/LoadMore";
import { Page } from "@/components/ui/Page";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";

import { TurnTable } from "./TurnTable";
import { useTurnFilter, type TurnQuery } from "./useTurnFilter";

/** Everybody's turns with what they took, without a word of what was said. */
export function TurnsPage() {
  const { t } = useTranslation();
  const { query, filter, change, clear, isFiltered } = useTurnFilter();
  const turns = useTurns(filter);
  const items = turns.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page title={t("turns.title")}>
      <Filters query={query} change={change}>
        {isFiltered && <Button onClick={clear}>{t("common.clearFilters")}</Button>}
      </Filters>
      {turns.isPending && <Loading />}
      {turns.error && <ErrorNote error={turns.error} onRetry={() => void turns.refetch()} />}
      {turns.data && items.length === 0 && <Empty title={t("turns.none")} />}
      {items.length > 0 && (
        <>
          <TurnTable
            turns={items}
            stale={turns.isPlaceholderData}
            onUser={(userId) => {
              change({ userId });
            }}
          />
          <LoadMore
            shown={items.length}
            total={turns.data?.pages[0]?.total ?? items.length}
            hasMore={turns.hasNextPage}
            busy={turns.isFetchingNextPage}
            onMore={() => void turns.fetchNextPage()}
          />
        </>
      )}
    </Page>
  );
}

type FilterProps = { query: TurnQuery; change: (next: Partial<TurnQuery>) => void; children: React.ReactNode };

function Filters({ query, change, children }: FilterProps) {
  const { t } = useTranslation();
  const typed = (name: "from" | "to" | "model") => ({
    // A new key shows what the address has become.
    key: `${name} ${query[name]}`,
    label: t(`turns.${name}`),
    defaultValue: query[name],
    onBlur: (event: React.FocusEvent<HTMLInputElement>) => {
      const value = event.target.value.trim();
      if (value !== query[name]) change({ [name]: value });
    },
  });
  const { key: from, ...fromField } = typed("from");
  const { key: to, ...toField } = typed("to");
  const { key: model, ...modelField } = typed("model");
  return (
    <div className="flex flex-wrap items-end gap-3">
      <TextField key={from} type="date" {...fromField} />
      <TextField key={to} type="date" {...toField} />
      <SelectField
        label={t("turns.status")}
        value={query.status}
        onChange={(event) => {
          change({ status: event.target.value });
        }}
      >
        <option value="">{t("turns.anyStatus")}</option>
        {TURN_STATUSES.map((status) => (
          <option key={status} value={status}>
            {t(`turns.${status}`)}
          </option>
        ))}
      </SelectField>
      <TextField key={model} placeholder={t("turns.modelHint")} {...modelField} />
      {children}
    </div>
  );
}
