import type { Conversation } from "@/api/types";
import { calendarDay } from "@/lib/format";

export type Age = "today" | "yesterday" | "week" | "older";
export type ConversationGroup = { age: Age; items: Conversation[] };

/** Puts conversations under the day of their last activity, in the order they come in. */
export function groupByAge(conversations: readonly Conversation[], now: number): ConversationGroup[] {
  const groups = new Map<Age, Conversation[]>();
  for (const conversation of conversations) {
    const age = ageOf(calendarDay(now) - calendarDay(conversation.updatedAt));
    groups.set(age, [...(groups.get(age) ?? []), conversation]);
  }
  return [...groups].map(([age, items]) => ({ age, items }));
}

function ageOf(days: number): Age {
  if (days <= 0) return "today";
  if (days === 1) return "yesterday";
  return days <= 7 ? "week" : "older";
}

/** Whether a text holds what was typed, in whatever case and width. */
export function holdsText(text: string, q: string): boolean {
  return plain(text).includes(plain(q));
}

const plain = (text: string) => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
