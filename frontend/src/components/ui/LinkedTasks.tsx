import { useTranslation } from "react-i18next";

import { can, useMe } from "@/api/session";
import { useTasks } from "@/api/tasks";

import { LinkButton } from "./LinkButton";
import { LoadMore } from "./LoadMore";
import { Panel } from "./Page";
import { ErrorNote, Loading } from "./States";
import { TaskList } from "./TaskList";

type Props = { about: "deal" | "company" | "contact"; id: string };

/** The open tasks about a record, and the way to a new one; nothing for those who see no tasks. */
export function LinkedTasks({ about, id }: Props) {
  const { t } = useTranslation();
  const me = useMe();
  if (!can(me.data, "task:read")) return null;
  return (
    <Panel title={t("tasks.openTitle")}>
      <OpenTasks about={about} id={id} />
      {can(me.data, "task:create") && (
        <LinkButton to={`/tasks/new?${about}=${encodeURIComponent(id)}`}>{t("tasks.new")}</LinkButton>
      )}
    </Panel>
  );
}

function OpenTasks({ about, id }: Props) {
  const { t } = useTranslation();
  const tasks = useTasks({ show: "open", [`${about}Id`]: id });
  if (tasks.isPending) return <Loading />;
  if (tasks.error) return <ErrorNote error={tasks.error} onRetry={() => void tasks.refetch()} />;
  const items = tasks.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="text-sm text-muted">{t("tasks.noneOpen")}</p>;
  return (
    <>
      <TaskList tasks={items} />
      {tasks.hasNextPage && (
        <LoadMore
          shown={items.length}
          total={tasks.data.pages[0]?.total ?? items.length}
          hasMore
          busy={tasks.isFetchingNextPage}
          onMore={() => void tasks.fetchNextPage()}
        />
      )}
    </>
  );
}
