import { useEffect, useMemo, useRef, useState, type CSSProperties } from "react";
import { useTranslation } from "react-i18next";

import type { Me } from "@/api/types";
import { IconButton } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";
import { ErrorNote, Loading } from "@/components/ui/States";
import { cn } from "@/lib/cn";
import { recall, remember } from "@/lib/storage";

import { Composer } from "./Composer";
import { ConversationList } from "./ConversationList";
import { clampWidth, ResizeHandle } from "./ResizeHandle";
import type { Run } from "./streamReducer";
import { Thread } from "./Thread";
import { useAssistant, type Context } from "./useAssistant";
import { threadOf } from "./view";

type Props = {
  me: Me;
  open: boolean;
  /** On a narrow screen the panel covers everything. */
  sheet: boolean;
  /** The record on screen; it is read when a message is sent. */
  context: Context | undefined;
  onClose: () => void;
};

/** The assistant beside the pages. It stays mounted while the person moves about, so a turn goes on. */
export function AssistantPanel({ me, open, sheet, context, onClose }: Props) {
  const { t } = useTranslation();
  const { store, run, conversationId, conversation, open: openConversation, send } = useAssistant(me.user.id);
  const [listing, setListing] = useState(false);
  const { width, setWidth } = useWidth();
  const field = useRef<HTMLTextAreaElement>(null);
  const stored = conversation.data?.messages;
  const messages = useMemo(() => threadOf(stored ?? [], run), [stored, run]);
  const wasOpen = useRef(open);
  useEffect(() => {
    // Opening moves the focus here; a page that loads with the panel open leaves it alone.
    if (open && !wasOpen.current) field.current?.focus({ preventScroll: true });
    wasOpen.current = open;
  }, [open]);

  const show = (id: string | undefined) => {
    openConversation(id);
    setListing(false);
    requestAnimationFrame(() => field.current?.focus());
  };
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
        onClose={onClose}
        onNew={() => {
          show(undefined);
        }}
        onList={() => {
          setListing(!listing);
        }}
      />
      {listing ? (
        <ConversationList current={conversationId} onOpen={show} />
      ) : (
        <>
          {conversation.isLoading && !run && <Loading />}
          {conversation.error && !run && (
            <div className="p-3">
              <ErrorNote error={conversation.error} onRetry={() => void conversation.refetch()} />
            </div>
          )}
          <Thread messages={messages} run={run} />
          <Status run={run} />
          <Composer
            userId={me.user.id}
            conversationId={conversationId}
            phase={run?.phase}
            field={field}
            onSend={(text, onAccepted) => send(text, context, onAccepted)}
            onStop={() => store.stop()}
          />
        </>
      )}
    </aside>
  );
}

type HeaderProps = { sheet: boolean; listing: boolean; onClose: () => void; onNew: () => void; onList: () => void };

function PanelHeader({ sheet, listing, onClose, onNew, onList }: HeaderProps) {
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
      {!sheet && (
        <IconButton label={t("assistant.close")} onClick={onClose}>
          <Icon name="cross" />
        </IconButton>
      )}
    </div>
  );
}

/** The one place that speaks: the thread itself is silent, or every token would be read out. */
function Status({ run }: { run: Run | null }) {
  const { t } = useTranslation();
  const text = run ? t(`assistant.status.${statusKey(run)}`) : "";
  const visible = run?.phase === "reconnecting";
  return (
    <p role="status" className={cn(visible ? "px-3 py-1 text-xs text-muted" : "sr-only")}>
      {text}
    </p>
  );
}

function statusKey({ phase, end }: Run): string {
  if (phase === "reconnecting") return "reconnecting";
  if (!end) return "answering";
  if (end.kind !== "done") return "failed";
  if (end.reason === "awaiting_confirmation") return "waiting";
  return end.reason === "stopped" ? "stopped" : "complete";
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
