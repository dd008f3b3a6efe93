import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { ToolCall } from "@/api/types";
import { useFormat } from "@/lib/format";

import { useThread } from "./threadContext";
import { groupCalls, type ToolGroup } from "./toolGroups";
import { PillHead, ToolPill, useToolLabel } from "./ToolPill";

/** The tool calls of an answer, in call order. What is open stays open while more calls arrive. */
export function ToolPills({ calls }: { calls: readonly ToolCall[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { hold } = useThread();
  if (calls.length === 0) return null;
  const toggle = (key: string, inside: readonly string[] = []) => {
    hold();
    const next = new Set(open);
    const closes = [key, ...inside].filter((each) => next.delete(each));
    if (closes.length === 0) next.add(key);
    setOpen(next);
  };
  return (
    <ul className="space-y-1.5">
      {groupCalls(calls).map((group) =>
        group.calls.length === 1 ? (
          <Pills key={group.key} calls={group.calls} open={open} onToggle={toggle} />
        ) : (
          <Folded key={group.key} group={group} open={open} onToggle={toggle} />
        ),
      )}
    </ul>
  );
}

type Open = { open: ReadonlySet<string>; onToggle: (key: string, inside?: readonly string[]) => void };

function Pills({ calls, open, onToggle }: Open & { calls: readonly ToolCall[] }) {
  return calls.map((call) => (
    <ToolPill
      key={call.callId}
      call={call}
      open={open.has(call.callId)}
      onToggle={() => {
        onToggle(call.callId);
      }}
    />
  ));
}

function Folded({ group, open, onToggle }: Open & { group: ToolGroup }) {
  const { t } = useTranslation();
  const format = useFormat();
  const label = useToolLabel(group.calls[0]);
  const key = `group ${group.key}`;
  const inside = group.calls.map(({ callId }) => callId);
  // A pill that was open before its neighbours came keeps the group open.
  const unfolded = open.has(key) || inside.some((callId) => open.has(callId));
  const slowest = Math.max(0, ...group.calls.map(({ ms = 0 }) => ms));
  return (
    <li
      className="rounded-lg border border-line bg-surface text-sm"
      data-tool-group={group.name}
      data-status={group.status}
    >
      <PillHead
        label={t("assistant.times", { label, count: group.calls.length, number: format.number(group.calls.length) })}
        status={group.status}
        ms={slowest}
        open={unfolded}
        onToggle={() => {
          onToggle(key, inside);
        }}
      />
      {unfolded && (
        <ul className="space-y-1.5 border-t border-line p-1.5">
          <Pills calls={group.calls} open={open} onToggle={onToggle} />
        </ul>
      )}
    </li>
  );
}
