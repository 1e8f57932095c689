/** Milliseconds in which a screen that shows itself twice, while its data come, may take the focus again. */
const SETTLING = 5_000;

let at = Number.NEGATIVE_INFINITY;
let isTaken = true;

/** Another screen is on its way: its heading gets the focus, once it is there. */
export function markArrival(): void {
  at = performance.now();
  isTaken = false;
}

/**
 * Whether a heading takes the focus: the first after a navigation, or a later one if the first was removed.
 */
export function takeArrival(): boolean {
  const isFirst = !isTaken;
  isTaken = true;
  const isLost = document.activeElement === null || document.activeElement === document.body;
  return isFirst || (isLost && performance.now() - at < SETTLING);
}
