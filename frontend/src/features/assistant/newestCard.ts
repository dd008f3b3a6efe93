/** Takes the focus to the newest card that waits, or to the newest of all. It is never taken there unasked. */
export function showNewestCard(): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-proposal]")];
  const card = cards.findLast(({ dataset }) => dataset["state"] === "pending") ?? cards.at(-1);
  card?.scrollIntoView({ block: "nearest" });
  card?.focus({ preventScroll: true });
}
