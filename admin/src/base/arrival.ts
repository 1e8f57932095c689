/** Whether somebody just came from another screen: its heading then gets the focus, once it is there. */
let hasArrived = false;

/** Another screen is on its way. */
export function markArrival(): void {
  hasArrived = true;
}

/** Whether this is the first to ask since then. */
export function takeArrival(): boolean {
  const answer = hasArrived;
  hasArrived = false;
  return answer;
}
