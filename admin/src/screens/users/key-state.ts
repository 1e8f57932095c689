import { moment } from '../../base/format.ts';
import type { ApiKey } from './key-data.ts';

/** Whether a key is valid now. */
export type KeyState = 'works' | 'stopped' | 'expired';

export function keyState({ isEnabled, expiresOn }: ApiKey, now: number): KeyState {
  if (!isEnabled) return 'stopped';
  return expiresOn !== '' && moment(expiresOn) <= now ? 'expired' : 'works';
}

/** Whether the previous secret is still valid. */
export function hasFormerSecret({ formerUntil }: ApiKey, now: number): boolean {
  return formerUntil !== '' && moment(formerUntil) > now;
}

/** The last moment of a day, as keys have it; '' for no day. */
export function endOfDay(date: string): string {
  return date === '' ? '' : `${date} 23:59:59`;
}

/** The day of the wire's moment; '' for none. */
export function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** The day that is so many days from a moment, in the site's time zone. */
export function dayAfter(today: string, days: number): string {
  const start = Date.parse(`${today}T00:00:00Z`);
  return new Date(start + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
