import type { DeliveryStatus } from "./types";

const UNDER_WAY_MS = 2_000;

/** How soon to look again at an e-mail; false once it has come as far as it does by itself. */
export const lookAgain = (status: DeliveryStatus | undefined) =>
  status === "queued" || status === "sending" ? UNDER_WAY_MS : false;
