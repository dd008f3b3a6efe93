import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { currentRecord, dismissRecord, useCurrentRecord, useShowRecord, type ShownRecord } from "./currentRecord";

function Page({ record }: { record: ShownRecord | undefined }) {
  useShowRecord(record?.type ?? "deal", record);
  return null;
}
const Reader = () => <p>{useCurrentRecord()?.name ?? "none"}</p>;
const deal = { type: "deal", id: "1", name: "Acme" };

it("is what the page shows, from when it is loaded until the page goes", () => {
  const at = (record: ShownRecord | undefined) => (
    <>
      <Page record={record} />
      <Reader />
    </>
  );
  const { rerender, unmount } = render(at(undefined));
  expect(screen.getByText("none")).toBeTruthy();
  rerender(at(deal));
  expect(screen.getByText("Acme")).toBeTruthy();
  rerender(at({ ...deal, id: "2", name: "Ballet" }));
  expect(currentRecord()).toEqual({ type: "deal", id: "2", name: "Ballet" });
  rerender(at(undefined));
  expect(currentRecord()).toBeUndefined();
  rerender(at(deal));
  unmount();
  expect(currentRecord()).toBeUndefined();
});

it("stays dismissed under a new name, and comes back with another record", () => {
  const { rerender } = render(<Page record={deal} />);
  act(dismissRecord);
  expect(currentRecord()).toBeUndefined();
  rerender(<Page record={{ ...deal, name: "Acme 2" }} />);
  expect(currentRecord()).toBeUndefined();
  rerender(<Page record={{ ...deal, id: "2" }} />);
  expect(currentRecord()?.id).toBe("2");
});
