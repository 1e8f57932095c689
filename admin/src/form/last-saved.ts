import { createStore } from '../base/store.ts';

/** The last save of a form. Another screen may show it, as after the creation of a document. */
export interface LastSaved {
  readonly doctype: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Shown for a moment beside the title. */
export const lastSaved = createStore<LastSaved | null>(null);
