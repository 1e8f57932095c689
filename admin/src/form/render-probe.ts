/** For tests: hears of each time that a field is rendered, when a page has one. */
interface Probe {
  chanceryFieldRendered?: (path: string) => void;
}

/** Says that a field is being rendered. One key press is to render one field; the browser tests count. */
export function tellRendered(path: string): void {
  (globalThis as Probe).chanceryFieldRendered?.(path);
}
