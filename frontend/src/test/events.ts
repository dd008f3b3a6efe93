import type { Usage } from "@/api/events";

/** What a turn has used that asked no model. */
export const NOTHING_USED: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, known: true, rounds: 0 };
