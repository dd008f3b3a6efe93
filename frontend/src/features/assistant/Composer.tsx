import { useCallback, useId, useState, type KeyboardEvent, type RefObject } from "react";
import { useTranslation } from "react-i18next";

import { useTools } from "@/api/chat";
import { ApiError } from "@/api/client";
import type { ToolInfo } from "@/api/types";
import { Button, IconButton } from "@/components/ui/Button";
import { controlClass } from "@/components/ui/Field";
import { Icon } from "@/components/ui/Icon";
import { ErrorNote } from "@/components/ui/States";
import { cn } from "@/lib/cn";
import { useFormat } from "@/lib/format";
import { useMediaQuery } from "@/lib/hooks";
import { isComposing, isEnter } from "@/lib/ime";

import { ContextChip } from "./ContextChip";
import { complete } from "./slash";
import { QueuedMessage } from "./QueuedMessage";
import { optionId, SlashMenu } from "./SlashMenu";
import type { Phase } from "./streamReducer";
import { useDraft } from "./useDraft";
import type { Queue } from "./useQueue";
import { useSlash, type Slash, type SlashOption } from "./useSlash";

/** The longest message that the server takes, in characters. */
export const MESSAGE_LIMIT = 8_000;
const COUNTER_FROM = 7_500;
const NO_TOOLS: ToolInfo[] = [];

// Longer than what people type: it may have been pasted by mistake.
const LONG_PASTE = 2_000;

type Props = {
  userId: string;
  conversationId: string | undefined;
  phase: Phase | undefined;
  queue: Queue;
  /** What the person said last, for the up-arrow key. */
  lastOwn: string;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Text is searched for instead of answered. */
  searching: boolean;
  onSend: (text: string, onAccepted: () => void) => Promise<void>;
  onStop: () => Promise<void>;
};

export function Composer(props: Props) {
  const { userId, conversationId, phase, queue, lastOwn, field, searching, onSend, onStop } = props;
  const { t } = useTranslation();
  const draft = useDraft(userId, conversationId);
  const [error, setError] = useState<unknown>();
  const [pasted, setPasted] = useState(0);
  const running = phase !== undefined && phase !== "finished";
  const length = [...draft.text].length;
  const sendable = draft.text.trim() !== "" && length <= MESSAGE_LIMIT;
  const queueable = sendable && running && phase !== "sending" && !queue.text;
  const transmit = (text: string, onAccepted: () => void) => {
    setError(undefined);
    onSend(text, onAccepted).catch((refusal: unknown) => {
      // The sign-in dialog says that the session has ended.
      if (!(refusal instanceof ApiError && refusal.code === "UNAUTHENTICATED")) setError(refusal);
    });
  };
  const submit = () => {
    if (queueable) {
      queue.put(draft.text.trim());
      draft.clear();
    } else if (sendable && !running) transmit(draft.text.trim(), draft.clear);
    else return;
    setPasted(0);
  };
  const stop = () => {
    onStop().catch(setError);
  };
  return (
    <div className="space-y-2 border-t border-line p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
      {error !== undefined && <ErrorNote error={error} />}
      {queue.text && (
        <QueuedMessage
          text={queue.text}
          error={queue.error}
          running={running}
          onEdit={() => {
            draft.setText([queue.take(), draft.text].filter(Boolean).join("\n"));
            field.current?.focus();
          }}
          onDelete={queue.take}
          onSend={() => {
            transmit(queue.text, queue.take);
          }}
        />
      )}
      <ContextChip />
      <Editor
        draft={draft}
        lastOwn={lastOwn}
        field={field}
        placeholder={t(searching ? "assistant.placeholderSearch" : "assistant.placeholder")}
        sending={phase === "sending"}
        onSend={submit}
        onStop={running ? stop : undefined}
        onPaste={setPasted}
      />
      {pasted >= LONG_PASTE && length >= LONG_PASTE && <PasteNote length={pasted} />}
      <div className="flex items-center justify-between gap-2">
        <p className="text-xs text-muted">{t(running && queue.text ? "assistant.queueFull" : "assistant.hint")}</p>
        <Counter length={length} />
        <div className="flex items-center gap-1">
          {queueable && <Button onClick={submit}>{t("assistant.queue")}</Button>}
          {running ? (
            <Button onClick={stop} disabled={phase === "sending"}>
              <Icon name="stop" />
              {t("assistant.stop")}
            </Button>
          ) : (
            <IconButton look="primary" label={t("assistant.send")} disabled={!sendable} onClick={submit}>
              <Icon name="send" />
            </IconButton>
          )}
        </div>
      </div>
    </div>
  );
}

function PasteNote({ length }: { length: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <p role="status" className="text-xs text-warn">
      {t("assistant.pasted", { length: format.number(length) })}
    </p>
  );
}

function Counter({ length }: { length: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (length < COUNTER_FROM) return null;
  const over = length > MESSAGE_LIMIT;
  const numbers = { length: format.number(length), limit: format.number(MESSAGE_LIMIT) };
  return (
    <p role="status" className={cn("text-xs tabular-nums", over ? "font-medium text-danger" : "text-muted")}>
      {t(over ? "assistant.tooLong" : "assistant.counter", numbers)}
    </p>
  );
}

type EditorProps = {
  draft: ReturnType<typeof useDraft>;
  lastOwn: string;
  field: Props["field"];
  placeholder: string;
  sending: boolean;
  onSend: () => void;
  onStop: (() => void) | undefined;
  /** Tells how many characters were pasted. */
  onPaste: (length: number) => void;
};

function Editor({ draft, lastOwn, field, placeholder, sending, onSend, onStop, onPaste }: EditorProps) {
  const { text, setText } = draft;
  const { t } = useTranslation();
  const menuId = useId();
  const touchOnly = useMediaQuery("(pointer: coarse) and (not (any-pointer: fine))");
  const [caret, setCaret] = useState(text.length);
  const tools = useTools().data?.items ?? NO_TOOLS;
  const toolLabel = useCallback((tool: ToolInfo) => t(`tool.${tool.name}`, { defaultValue: tool.label }), [t]);
  const slash = useSlash(text, caret, tools, toolLabel);
  const menu = useActiveOption(slash, text);

  const replace = (next: { text: string; caret: number }) => {
    setText(next.text);
    setCaret(next.caret);
    // The caret can only be set once the new text is in the field.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(next.caret, next.caret);
    });
  };
  const choose = (option: SlashOption) => {
    if (slash) replace(complete(text, slash.spot, option.insert));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Keys of a composition belong to the input method.
    if (isComposing(event)) return;
    if (slash && menuKey(event, slash, menu, choose)) return;
    if (event.key === "Escape" && onStop) onStop();
    if (event.key === "ArrowUp" && text === "" && lastOwn) {
      event.preventDefault();
      replace({ text: lastOwn, caret: lastOwn.length });
    }
    if (!isEnter(event)) return;
    const always = event.ctrlKey || event.metaKey;
    if (!always && (event.shiftKey || touchOnly)) return;
    event.preventDefault();
    onSend();
  };
  return (
    <div className="relative">
      {slash && <SlashMenu id={menuId} options={slash.options} active={menu.active} onChoose={choose} />}
      <textarea
        ref={field}
        rows={2}
        value={text}
        readOnly={sending}
        aria-label={t("assistant.message")}
        placeholder={placeholder}
        className={cn(controlClass, "field-sizing-content max-h-40 resize-none", sending && "opacity-60")}
        {...(slash && {
          role: "combobox",
          "aria-expanded": true,
          "aria-controls": menuId,
          "aria-autocomplete": "list",
          ...(menu.active >= 0 && { "aria-activedescendant": optionId(menuId, menu.active) }),
        })}
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionEnd);
        }}
        onSelect={(event) => {
          setCaret(event.currentTarget.selectionEnd);
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          onPaste([...event.clipboardData.getData("text/plain")].length);
        }}
      />
    </div>
  );
}

type Menu = { active: number; move: (step: number) => void };

/** Which option is active. Only a command that is not complete yet has one without an arrow key: Enter
 * after a complete command sends it. */
function useActiveOption(slash: Slash | undefined, text: string): Menu {
  const [moved, setMoved] = useState<{ text: string; index: number }>();
  const count = slash?.options.length ?? 0;
  const whole = slash?.options.some(({ insert }) => insert === text);
  const start = slash?.spot.kind === "command" && !whole ? 0 : -1;
  const active = moved?.text === text && moved.index < count ? moved.index : start;
  return {
    active,
    move: (step) => {
      const from = active < 0 && step < 0 ? 0 : active;
      setMoved({ text, index: (from + step + count) % count });
    },
  };
}

/** Handles a key that belongs to the open list; false leaves it to the text. */
function menuKey(event: KeyboardEvent, slash: Slash, menu: Menu, choose: (option: SlashOption) => void): boolean {
  const option = slash.options[menu.active];
  if (event.key === "ArrowDown" || event.key === "ArrowUp") menu.move(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Escape") slash.dismiss();
  else if (event.key === "Tab" && !event.shiftKey && slash.options[0]) choose(option ?? slash.options[0]);
  else if (isEnter(event) && option && !event.shiftKey && !event.ctrlKey && !event.metaKey) choose(option);
  else return false;
  event.preventDefault();
  return true;
}
