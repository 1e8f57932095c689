import type { Page } from 'playwright-core';

/** A screen as it stands when somebody is in the middle of it. */
export interface ScreenState {
  readonly name: string;
  /** Below `/app`. */
  readonly path: string;
  /** What of it shows that it is there; nothing that the screen before it shows, too. */
  readonly ready: (page: Page) => ReturnType<Page['getByText']>;
  /** Opens what is looked at, and waits until it is open. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** The console's word about a refusal that belongs to it. */
  readonly expects?: RegExp;
}
