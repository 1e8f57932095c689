import { createStore } from '../base/store.ts';

/** State of the session. `lost` opens the sign-in dialog over the current screen. */
export type SessionState = 'here' | 'lost';

/** Watched by the shell. The functions below and the dialog set it. */
export const sessionState = createStore<SessionState>('here');

/** The CSRF token of this page. It is only in memory; the boot request returns it. */
let csrfToken = '';

export function setCsrfToken(token: string): void {
  csrfToken = token;
}

export function currentCsrfToken(): string {
  return csrfToken;
}

let waiting: PromiseWithResolvers<boolean> | null = null;

/**
 * Called when a request finds no session. Resolves to true after a new sign-in, to false if the user
 * declines.
 */
export function sessionLost(): Promise<boolean> {
  waiting ??= Promise.withResolvers<boolean>();
  sessionState.set('lost');
  return waiting.promise;
}

/** Called after a new sign-in: waiting requests are sent again. */
export function sessionRestored(): void {
  settle(true);
}

/** Called when the user closes the dialog: waiting requests fail with their first reply. */
export function sessionGivenUp(): void {
  settle(false);
}

function settle(isRestored: boolean): void {
  sessionState.set('here');
  waiting?.resolve(isRestored);
  waiting = null;
}
