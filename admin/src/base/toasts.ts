import { announce } from './announce.ts';
import { createStore } from './store.ts';

/** A short message in the corner. */
export interface Toast {
  readonly id: number;
  readonly kind: 'success' | 'error' | 'info';
  readonly text: string;
  /** Small print: a request id, a second sentence. */
  readonly detail?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Stays until it is put away. */
  readonly isLasting: boolean;
}

/** Watched by the shell. */
export const toasts = createStore<readonly Toast[]>([]);

let last = 0;

/**
 * Shows a message and says it in the live region. Errors and those with an action stay until put away.
 * Returns what takes it off.
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

/** Takes a message off. */
export function dismissToast(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}
