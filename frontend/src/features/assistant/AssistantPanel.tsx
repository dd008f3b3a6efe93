import { useCallback, useEffect, useMemo, useRef, useState, type CSSProperties } from "react";
import { useTranslation } from "react-i18next";

import { useErrorText } from "@/api/errors";
import { useModelStatus } from "@/api/modelStatus";
import { can } from "@/api/session";
import type { Me } from "@/api/types";
import { IconButton } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";
import { Notice } from "@/components/ui/Notice";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useToast } from "@/components/ui/Toast";
import { cn } from "@/lib/cn";
import { recall, remember } from "@/lib/storage";

import { Composer } from "./Composer";
import { ConversationList } from "./ConversationList";
import { ModelBar } from "./ModelBar";
import { useOverdue, useStopAndSearch } from "./modelState";
import { showNewestCard } from "./newestCard";
import { PanelStatus } from "./PanelStatus";
import { clampWidth, ResizeHandle } from "./ResizeHandle";
import { SetUpBar } from "./SetUpBar";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { Thread } from "./Thread";
import { useAssistant } from "./useAssistant";
import { useDeletions } from "./useDeletions";
import { draftNew } from "./useDraft";
import { useQueue } from "./useQueue";
import { useShortcuts, type Shortcut } from "./useShortcuts";
import { threadOf } from "./view";
import { WaitingBar } from "./WaitingBar";

/** How much of an answer is taken along: the message that it becomes part of has its limit. */
const CARRIED_OVER = 4000;

type Props = {
  me: Me;
  open: boolean;
  /** On a narrow screen the panel covers everything. */
  sheet: boolean;
  /** Opens or closes the panel. */
  onToggle: () => void;
};

/** The assistant beside the pages. It stays mounted while the person moves about, so a turn goes on. */
export function AssistantPanel({ me, open, sheet, onToggle }: Props) {
  const { t } = useTranslation();
  const canSetUp = can(me, "ai-config:update");
  const assistant = useAssistant(me.user.id);
  const { store, run, sent, kept, conversationId, conversation, carried, open: openConversation, send } = assistant;
  const status = useModelStatus(open).data;
  const down = status?.state === "down" ? status : undefined;
  const overdue = useOverdue(run);
  const [listing, setListing] = useState(false);
  const [helping, setHelping] = useState(false);
  const [opened, setOpened] = useState({ times: 0, sought: "" });
  const { width, setWidth } = useWidth();
  const field = useRef<HTMLTextAreaElement>(null);
  const stored = conversation.data?.messages;
  const messages = useMemo(() => threadOf(stored ?? [], run, kept), [stored, run, kept]);
  const searching = down !== undefined;
  const say = useCallback(
    (text: string, onAccepted: () => void) => send(text, onAccepted, searching),
    [send, searching],
  );
  const queue = useQueue(me.user.id, conversationId, run, say, searching);
  const deletions = useDeletions();
  const toast = useToast();
  const errorText = useErrorText();
  const sendAgain = useCallback(
    (text: string) => {
      send(text, () => undefined).catch((error: unknown) => {
        toast({ text: errorText(error) });
      });
    },
    [send, toast, errorText],
  );
  const stop = useCallback(() => store.stop(), [store]);
  const stopAndSearch = useStopAndSearch(run, stop, sendAgain);
  const wasOpen = useRef(open);
  useEffect(() => {
    // Opening moves the focus here; a page that loads with the panel open leaves it alone.
    if (open && !wasOpen.current) field.current?.focus({ preventScroll: true });
    wasOpen.current = open;
  }, [open]);

  const act = useCallback(
    (shortcut: Shortcut) => {
      if (shortcut === "help") setHelping(true);
      if (shortcut === "panel" || (shortcut === "newest" && !open)) onToggle();
      if (shortcut !== "newest") return;
      setListing(false);
      // The cards may have to be drawn first.
      requestAnimationFrame(showNewestCard);
    },
    [open, onToggle],
  );
  const shortcuts = useShortcuts(act);

  const show = useCallback(
    (id: string | undefined, sought = "", carryFrom?: string) => {
      openConversation(id, carryFrom);
      setListing(false);
      setOpened(({ times }) => ({ times: times + 1, sought }));
      requestAnimationFrame(() => field.current?.focus());
    },
    [openConversation],
  );
  const carryOver = useCallback(
    (answer: string) => {
      draftNew(me.user.id, t("assistant.carriedOver", { answer: answer.slice(0, CARRIED_OVER) }));
      show(undefined);
    },
    [me.user.id, t, show],
  );
  const carrySummary = useCallback(() => {
    show(undefined, "", conversationId);
  }, [show, conversationId]);
  return (
    <aside
      aria-label={t("assistant.name")}
      hidden={!open}
      className={cn(
        "flex min-h-0 flex-col border-line bg-bg",
        sheet ? "fixed inset-0 z-30" : "relative w-(--panel-width) shrink-0 border-l",
        !open && "hidden",
      )}
      style={{ "--panel-width": `${String(width)}px` } as CSSProperties}
    >
      {!sheet && <ResizeHandle width={width} onResize={setWidth} />}
      <PanelHeader
        sheet={sheet}
        listing={listing}
        onClose={onToggle}
        onNew={() => {
          show(undefined);
        }}
        onList={() => {
          setListing(!listing);
        }}
        onHelp={() => {
          setHelping(true);
        }}
      />
      <ShortcutsDialog open={helping} onOpenChange={setHelping} on={shortcuts.on} onTurn={shortcuts.turn} />
      {listing ? (
        <ConversationList
          current={conversationId}
          hidden={deletions.hidden}
          onOpen={show}
          onDelete={(ids) => {
            deletions.remove(ids);
            if (conversationId && ids.includes(conversationId)) openConversation(undefined);
          }}
        />
      ) : (
        <>
          {conversation.isLoading && !run && <Loading />}
          {conversation.error && !run && (
            <div className="p-3">
              <ErrorNote error={conversation.error} onRetry={() => void conversation.refetch()} />
            </div>
          )}
          {carried && !conversationId && (
            <Notice className="m-3">
              {t("assistant.summaryCarried")}
            </Notice>
          )}
          <Thread
            messages={messages}
            sent={sent}
            opened={opened}
            onSend={sendAgain}
            onCarryOver={carryOver}
            onCarrySummary={conversation.data?.summary && carrySummary}
          />
          <WaitingBar messages={messages} />
          {canSetUp && <SetUpBar hidden={searching || overdue} />}
          <ModelBar down={down} overdue={overdue} canSetUp={canSetUp} onStopAndSearch={stopAndSearch} />
          <PanelStatus run={run} quiet={overdue} onStop={stop} />
          <Composer
            userId={me.user.id}
            conversationId={conversationId}
            phase={run?.phase}
            queue={queue}
            lastOwn={messages.findLast(({ role }) => role === "user")?.text ?? ""}
            field={field}
            searching={searching}
            onSend={say}
            onStop={stop}
          />
        </>
      )}
    </aside>
  );
}

type HeaderProps = {
  sheet: boolean;
  listing: boolean;
  onClose: () => void;
  onNew: () => void;
  onList: () => void;
  onHelp: () => void;
};

function PanelHeader({ sheet, listing, onClose, onNew, onList, onHelp }: HeaderProps) {
  const { t } = useTranslation();
  return (
    <div className="flex items-center gap-1 border-b border-line px-2 py-1.5">
      {sheet && (
        <IconButton label={t("assistant.back")} onClick={onClose}>
          <Icon name="back" />
        </IconButton>
      )}
      <h2 className="flex-1 px-1 text-sm font-semibold">{t("assistant.name")}</h2>
      <IconButton label={t("assistant.conversations")} aria-pressed={listing} onClick={onList}>
        <Icon name="list" />
      </IconButton>
      <IconButton label={t("assistant.new")} onClick={onNew}>
        <Icon name="plus" />
      </IconButton>
      <IconButton label={t("shortcuts.title")} onClick={onHelp}>
        <Icon name="keys" />
      </IconButton>
      {!sheet && (
        <IconButton label={t("assistant.close")} onClick={onClose}>
          <Icon name="cross" />
        </IconButton>
      )}
    </div>
  );
}

const WIDTH_KEY = "panelWidth";
const DEFAULT_WIDTH = 400;

function useWidth() {
  const [width, setWidth] = useState(() => clampWidth(Number(recall(WIDTH_KEY)) || DEFAULT_WIDTH));
  return {
    width,
    setWidth: (next: number) => {
      const clamped = clampWidth(next);
      setWidth(clamped);
      remember(WIDTH_KEY, String(clamped));
    },
  };
}
