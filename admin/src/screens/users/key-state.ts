import { moment } from '../../base/format.ts';
import type { ApiKey } from './key-data.ts';

/** Validity of a key. */
export type KeyState = 'works' | 'stopped' | 'expired';

export function keyState({ isEnabled, expiresOn }: ApiKey, now: number): KeyState {
  if (!isEnabled) return 'stopped';
  return expiresOn !== '' && moment(expiresOn) <= now ? 'expired' : 'works';
}

/** True if the previous secret is still valid. */
export function hasFormerSecret({ formerUntil }: ApiKey, now: number): boolean {
  return formerUntil !== '' && moment(formerUntil) > now;
}

/** The last moment of a day, for a key's expiry; '' without a day. */
export function endOfDay(date: string): string {
  return date === '' ? '' : `${date} 23:59:59`;
}

/** The date of a wire timestamp, or the text that is none; '' if empty. */
export function dayOf(timestamp: string): string {
  return timestamp.replace(/ \d\d:\d\d:\d\d(?:\.\d+)?$/, '');
}

/** The date a number of days after a moment, in the site's time zone. */
export function dayAfter(today: string, days: number): string {
  const start = Date.parse(`${today}T00:00:00Z`);
  return new Date(start + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
