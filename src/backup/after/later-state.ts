import { type Credentials, readCredentials } from '../../access/end-access.ts';
import type { Connection } from '../../db/database.ts';
import { type Counters, readCounters } from '../../document/naming/counters.ts';
import { isRecord } from '../../kernel/value.ts';
import { highestDelivery } from '../../webhook/queue/set-aside.ts';

/**
 * What a restore to an earlier moment must know of a later state of the site, so that nothing happens twice. Small
 * enough to be kept with each backup.
 */
export interface LaterState {
  readonly counters: Counters;
  readonly credentials: Credentials;
  /** The highest number of a webhook delivery. */
  readonly deliveries: number;
}

/** The state of a database as later restores need it. */
export async function readLaterState(connection: Connection): Promise<LaterState> {
  return {
    counters: await readCounters(connection),
    credentials: await readCredentials(connection),
    deliveries: await highestDelivery(connection),
  };
}

/** The state as JSON. It holds names of users and digests of secrets: encrypt it as the database. */
export function renderLaterState({ counters, credentials, deliveries }: LaterState): string {
  return JSON.stringify({
    series: Object.fromEntries(counters.series),
    rules: Object.fromEntries(counters.rules),
    users: [...credentials.users],
    keys: Object.fromEntries(credentials.keys),
    recovery_codes: [...credentials.recoveryCodes],
    deliveries,
  });
}

/** Null for text that is no such state. */
export function parseLaterState(text: string): LaterState | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(read)) return null;
  const { series, rules, users, keys, recovery_codes: codes, deliveries } = read;
  if (!isMapOf(series, 'number') || !isMapOf(rules, 'number') || !isMapOf(keys, 'string')) return null;
  if (!isTexts(users) || !isTexts(codes) || typeof deliveries !== 'number') return null;
  return {
    counters: { series: new Map(Object.entries(series)), rules: new Map(Object.entries(rules)) },
    credentials: {
      users: new Set(users),
      keys: new Map(Object.entries(keys)),
      recoveryCodes: new Set(codes),
    },
    deliveries,
  };
}

function isMapOf(value: unknown, type: 'number'): value is Record<string, number>;
function isMapOf(value: unknown, type: 'string'): value is Record<string, string>;
function isMapOf(value: unknown, type: 'number' | 'string'): boolean {
  return isRecord(value) && Object.values(value).every((one) => typeof one === type);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
