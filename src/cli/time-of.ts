import type { Config } from '../config/config.ts';
import { formatTimestamp } from '../kernel/clock.ts';

/** A moment for people, in the site's time zone: `2026-11-27 22:45:00 (UTC)`. Milliseconds since the epoch. */
export function timeOf(moment: number, { timeZone }: Config): string {
  return `${formatTimestamp(moment * 1000, timeZone).slice(0, 19)} (${timeZone})`;
}
