/** Takes the focus to the newest card that waits, or to the newest of all. It is never taken there unasked. */
export function showNewestCard(): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-proposal]")];
  const card = cards.findLast(({ dataset }) => dataset["state"] === "pending") ?? cards.at(-1);
  focusOn(card);
}

const FRAMES = 60;

/** Takes the focus to the card of a proposal, in the part of the screen where the person has asked for it, once drawn. */
export function showCard(id: string, part: Element | null, frames = FRAMES): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-proposal]")];
  const copies = cards.filter(({ dataset }) => dataset["proposal"] === id);
  const card = copies.find((copy) => part?.contains(copy)) ?? (frames === 0 || !part ? copies[0] : undefined);
  if (card) focusOn(card);
  else if (frames > 0) {
    requestAnimationFrame(() => {
      showCard(id, part, frames - 1);
    });
  }
}

function focusOn(card: HTMLElement | undefined): void {
  card?.scrollIntoView({ block: "nearest" });
  card?.focus({ preventScroll: true });
}
