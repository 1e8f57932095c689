/** Milliseconds in which a screen that renders again with its data may take the focus again. */
const SETTLING = 5_000;

let at = Number.NEGATIVE_INFINITY;
let isTaken = true;

/** Marks the start of a navigation: the heading of the next screen gets the focus. */
export function markArrival(): void {
  at = performance.now();
  isTaken = false;
}

/**
 * True if a heading should take the focus: the first one after a navigation, or a later one if the first was
 * removed.
 */
export function takeArrival(): boolean {
  const isFirst = !isTaken;
  isTaken = true;
  const isLost = document.activeElement === null || document.activeElement === document.body;
  return isFirst || (isLost && performance.now() - at < SETTLING);
}
