import { announce } from './announce.ts';
import { createStore } from './store.ts';

/** A short message in a corner of the page. */
export interface Toast {
  readonly id: number;
  readonly kind: 'success' | 'error' | 'info';
  readonly text: string;
  /** Small print, such as a request ID. */
  readonly detail?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Stays until the user dismisses it. */
  readonly isLasting: boolean;
}

/** Watched by the shell. */
export const toasts = createStore<readonly Toast[]>([]);

let last = 0;

/**
 * Shows and announces a message. Errors and messages with an action stay until dismissed. Returns a function
 * that removes the message.
 */
export function toast(
  kind: Toast['kind'],
  text: string,
  more: { readonly detail?: string; readonly action?: Toast['action']; readonly isLasting?: boolean } = {},
): () => void {
  last += 1;
  const id = last;
  const isLasting = more.isLasting ?? (kind === 'error' || more.action !== undefined);
  toasts.set([
    ...toasts.get().slice(-3),
    { id, kind, text, detail: more.detail, action: more.action, isLasting },
  ]);
  announce(text, { isUrgent: kind === 'error' });
  return () => dismissToast(id);
}

/** Removes a message. */
export function dismissToast(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}
