/** Takes the focus to the newest card that waits, or to the newest of all. It is never taken there unasked. */
export function showNewestCard(): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-proposal]")];
  const card = cards.findLast(({ dataset }) => dataset["state"] === "pending") ?? cards.at(-1);
  focusOn(card);
}

/** Takes the focus to the card of a proposal, in the part of the screen where the person has asked for it. */
export function showCard(id: string, part: Element | null | undefined): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-proposal]")];
  const copies = cards.filter(({ dataset }) => dataset["proposal"] === id);
  focusOn(copies.find((card) => part?.contains(card)) ?? copies[0]);
}

function focusOn(card: HTMLElement | undefined): void {
  card?.scrollIntoView({ block: "nearest" });
  card?.focus({ preventScroll: true });
}
