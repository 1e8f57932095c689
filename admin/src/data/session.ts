import { createStore } from '../base/store.ts';

/** Whether the session is valid: `lost` opens the sign-in dialog over the current screen. */
export type SessionState = 'here' | 'lost';

/** Watched by the shell; set by the wire below and by the dialog. */
export const sessionState = createStore<SessionState>('here');

/** The token that requests of this page prove themselves with. Memory only: it comes with the boot. */
let csrfToken = '';

export function setCsrfToken(token: string): void {
  csrfToken = token;
}

export function currentCsrfToken(): string {
  return csrfToken;
}

let waiting: PromiseWithResolvers<boolean> | null = null;

/**
 * A request met that nobody is signed in any more. Resolves to true once somebody is, to false when they
 * would not.
 */
export function sessionLost(): Promise<boolean> {
  waiting ??= Promise.withResolvers<boolean>();
  sessionState.set('lost');
  return waiting.promise;
}

/** Signed in again: requests that wait are sent again. */
export function sessionRestored(): void {
  settle(true);
}

/** The dialog was put away: requests that wait fail as they were answered. */
export function sessionGivenUp(): void {
  settle(false);
}

function settle(isRestored: boolean): void {
  sessionState.set('here');
  waiting?.resolve(isRestored);
  waiting = null;
}
