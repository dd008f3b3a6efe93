import { expect, it } from "vitest";

import { renderApp } from "@/test/render";

import { Facts, Page } from "./Page";
import { RecordLink } from "./RecordLink";
import { Timeline } from "./Timeline";

// SEC-9: wherever the text of a record is shown, what nobody sees in it is spelled out.
it("spells out what nobody sees in records", () => {
  const activity = { id: "a1", kind: "NOTE", subject: "No\u200Bte", body: "B\u2066ody", at: "2026-03-02T09:00:00Z", ownerName: "Ada", version: 1 };
  const { container } = renderApp(
    <Page title={"Ac\u202Eme"}>
      <Facts items={[["Notes", "Fa\u200Bct"]]} />
      <RecordLink record={{ type: "deal", id: "d1", name: "De\u{E0041}al" }} />
      <Timeline items={[activity as never]} />
    </Page>,
  );
  for (const spelled of ["Ac⟨U+202E⟩me", "Fa⟨U+200B⟩ct", "De⟨U+E0041⟩al", "No⟨U+200B⟩te", "B⟨U+2066⟩ody"]) {
    expect(container.textContent).toContain(spelled);
  }
});
