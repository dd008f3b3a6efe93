import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from "react";

/** So close to the end, scrolling down takes up following again. */
export const NEAR_PX = 64;

type Follow = {
  box: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  following: boolean;
  /** Stays where the reader is from now on. */
  hold: () => void;
  toBottom: () => void;
};

/**
 * Keeps a scroll box at its end while what it holds grows, until the reader moves up. Goes to the end whenever the
 * key changes.
 */
export function useFollow(key: string): Follow {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  // Decided by events, between which no frame may draw: the state only tells the screen.
  const follows = useRef(true);
  const [shown, setShown] = useState({ key, following: true });
  if (shown.key !== key) setShown({ key, following: true });
  const follow = useCallback((following: boolean) => {
    follows.current = following;
    setShown((before) => (before.following === following ? before : { ...before, following }));
  }, []);
  const hold = useCallback(() => {
    follow(false);
  }, [follow]);
  const toBottom = () => {
    follow(true);
    toEnd(box.current);
  };

  useLayoutEffect(() => {
    follows.current = true;
    toEnd(box.current);
  }, [key]);
  useLayoutEffect(() => {
    if (!box.current || !content.current) return;
    return watch(box.current, content.current, () => follows.current, follow);
  }, [follow]);
  return { box, content, following: shown.following, hold, toBottom };
}

function watch(box: HTMLElement, content: HTMLElement, follows: () => boolean, follow: (next: boolean) => void) {
  const measure = () => ({ top: box.scrollTop, height: box.scrollHeight, room: box.clientHeight });
  let before = measure();
  const onScroll = () => {
    const { scrollTop: top, scrollHeight: height } = box;
    // Where the content has become shorter the browser, and not the reader, has moved the text.
    if (top < before.top && height >= before.height) follow(false);
    else if (top > before.top && distance(box) <= NEAR_PX) follow(true);
    before = measure();
  };
  // The wheel counts before it has moved anything: new text would move it back.
  const onWheel = ({ deltaY }: WheelEvent) => {
    if (deltaY < 0 && box.scrollTop > 0) follow(false);
  };
  const sizes = new ResizeObserver(() => {
    // Less to show, or more room for it, may bring the end into view. That there is not much yet does not.
    const closer = box.scrollHeight < before.height || box.clientHeight > before.room;
    before = measure();
    if (follows()) toEnd(box);
    else if (closer && distance(box) < 1) follow(true);
  });
  box.addEventListener("scroll", onScroll, { passive: true });
  box.addEventListener("wheel", onWheel, { passive: true });
  sizes.observe(box);
  sizes.observe(content);
  return () => {
    sizes.disconnect();
    box.removeEventListener("scroll", onScroll);
    box.removeEventListener("wheel", onWheel);
  };
}

function toEnd(box: HTMLElement | null): void {
  if (box) box.scrollTop = box.scrollHeight;
}

/** How far the end is away. */
const distance = ({ scrollHeight, clientHeight, scrollTop }: HTMLElement) => scrollHeight - clientHeight - scrollTop;
