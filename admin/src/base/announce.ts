import { createStore } from './store.ts';

/** The text of the live regions. The number makes equal texts separate announcements. */
export interface Announcement {
  readonly text: string;
  readonly isUrgent: boolean;
  readonly at: number;
}

/** Watched by the shell's live regions. */
export const announcement = createStore<Announcement>({ text: '', isUrgent: false, at: 0 });

/** Announces a result to screen reader users: saved, 12 rows, upload done. */
export function announce(text: string, { isUrgent = false } = {}): void {
  announcement.set({ text, isUrgent, at: announcement.get().at + 1 });
}
