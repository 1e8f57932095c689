/** Reports each render of a field to browser tests that install a probe. */
interface Probe {
  chanceryFieldRendered?: (path: string) => void;
}

/** Reports a render of a field. Browser tests check that a key press renders one field. */
export function tellRendered(path: string): void {
  (globalThis as Probe).chanceryFieldRendered?.(path);
}
