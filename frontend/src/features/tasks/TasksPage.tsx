import { useTranslation } from "react-i18next";

import { can, scopeOf, useMe } from "@/api/session";
import { useTasks } from "@/api/tasks";
import { Button } from "@/components/ui/Button";
import { SelectField } from "@/components/ui/Field";
import { LinkButton } from "@/components/ui/LinkButton";
import { LoadMore } from "@/components/ui/LoadMore";
import { Page } from "@/components/ui/Page";
import { Empty, ErrorNote, Loading } from "@/components/ui/States";
import { TaskList } from "@/components/ui/TaskList";
import { cn } from "@/lib/cn";

import { SHOWS, useTaskFilter } from "./useTaskFilter";

export function TasksPage() {
  const { t } = useTranslation();
  const me = useMe();
  const filter = useTaskFilter();
  const tasks = useTasks({ show: filter.show, assigneeId: filter.everyone ? "" : (me.data?.user.id ?? "") });
  const items = tasks.data?.pages.flatMap((page) => page.items) ?? [];
  const add = can(me.data, "task:create") && <LinkButton to="/tasks/new">{t("tasks.new")}</LinkButton>;
  return (
    <Page title={t("tasks.title")} actions={add}>
      <TaskFilters filter={filter} />
      {tasks.isPending && <Loading />}
      {tasks.error && <ErrorNote error={tasks.error} onRetry={() => void tasks.refetch()} />}
      {tasks.data && items.length === 0 && (
        <Empty title={t(filter.isFiltered ? "tasks.noneFound" : "tasks.none")}>
          {filter.isFiltered ? <Button onClick={filter.clear}>{t("common.clearFilters")}</Button> : add}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <div
            className={cn(
              "overflow-hidden rounded-xl border border-line bg-surface",
              tasks.isPlaceholderData && "opacity-60",
            )}
            aria-busy={tasks.isPlaceholderData}
          >
            <TaskList tasks={items} />
          </div>
          <LoadMore
            shown={items.length}
            total={tasks.data?.pages[0]?.total ?? items.length}
            hasMore={tasks.hasNextPage}
            busy={tasks.isFetchingNextPage}
            onMore={() => void tasks.fetchNextPage()}
          />
        </>
      )}
    </Page>
  );
}

function TaskFilters({ filter }: { filter: ReturnType<typeof useTaskFilter> }) {
  const { t } = useTranslation();
  const me = useMe();
  const scope = scopeOf(me.data, "task:read");
  return (
    <div role="search" className="grid grid-cols-1 gap-3 sm:grid-cols-[12rem_12rem]">
      <SelectField
        label={t("tasks.show")}
        value={filter.show}
        onChange={(event) => {
          filter.change({ show: event.target.value });
        }}
      >
        {SHOWS.map((show) => (
          <option key={show} value={show}>
            {t(`taskShow.${show}`)}
          </option>
        ))}
      </SelectField>
      {scope && scope !== "own" && (
        <SelectField
          label={t("field.assignee")}
          value={filter.everyone ? "all" : "me"}
          onChange={(event) => {
            filter.change({ who: event.target.value });
          }}
        >
          <option value="me">{t("tasks.mine")}</option>
          <option value="all">{t("tasks.everyone")}</option>
        </SelectField>
      )}
    </div>
  );
}
