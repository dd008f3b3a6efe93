import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { hearOtherTabs } from "@/lib/tabs";

import { conversationKeys } from "./conversations";
import { refreshProposal, refreshWaiting } from "./proposals";
import { refreshRecords } from "./records";

/** Reads again what the person has proposed or decided in another tab. */
export function useOtherTabs(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      hearOtherTabs((ids) => {
        for (const id of ids) void refreshProposal(client, id);
        void refreshWaiting(client);
        void refreshRecords(client);
        void client.invalidateQueries({ queryKey: conversationKeys.all });
      }),
    [client],
  );
}
