import type { Manifest } from './manifest.ts';

/** How many backups stay: the newest of each of so many hours, days, weeks and months. */
export interface Keep {
  readonly hourly: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  /** How far back each second of the continuous log stays, in days. */
  readonly logDays: number;
}

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
// The first Monday of the epoch.
const MONDAY = 4 * DAY;

const PERIODS: readonly { readonly of: Exclude<keyof Keep, 'logDays'>; period(moment: number): number }[] = [
  { of: 'hourly', period: (moment) => Math.floor(moment / HOUR) },
  { of: 'daily', period: (moment) => Math.floor(moment / DAY) },
  { of: 'weekly', period: (moment) => Math.floor((moment - MONDAY) / (7 * DAY)) },
  {
    of: 'monthly',
    period(moment) {
      const date = new Date(moment);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    },
  },
];

interface Anchor {
  readonly name: string;
  readonly moment: number;
  readonly epoch: string;
  readonly after: number;
}

type Kept = Pick<Manifest, 'name' | 'moment' | 'database'>;

/** What stays. Periods without a backup do not count. Times are UTC. */
export interface Retained {
  /** Names of backups. The newest is always among them. */
  readonly backups: ReadonlySet<string>;
  /** Per epoch of the log: the sequence whose followers stay. Others go, and so do epochs that are not here. */
  readonly logs: ReadonlyMap<string, number>;
  /** The moment of the oldest backup from which the log is replayed; `now` without any. */
  readonly logSince: number;
}

/** Decides which backups, oldest first, and which log stay. */
export function retained(manifests: readonly Kept[], keep: Keep, now: number): Retained {
  const newestFirst = manifests.toReversed();
  const backups = new Set(newestFirst.slice(0, 1).map(({ name }) => name));
  for (const { of, period } of PERIODS) {
    const seen = new Set<number>();
    for (const { name, moment } of newestFirst) {
      if (seen.has(period(moment))) continue;
      if (seen.size === keep[of]) break;
      seen.add(period(moment));
      backups.add(name);
    }
  }
  const logs = new Map<string, number>();
  let logSince = now;
  for (const { name, moment, epoch, after } of anchors(newestFirst, now - keep.logDays * DAY)) {
    backups.add(name);
    logs.set(epoch, after);
    logSince = Math.min(logSince, moment);
  }
  return { backups, logs, logSince };
}

/**
 * The backups from which the log since this moment is replayed: of each epoch the oldest that is newer, and the
 * newest that is not.
 */
function anchors(newestFirst: readonly Kept[], since: number) {
  const found = new Map<string, Anchor>();
  for (const { name, moment, database } of newestFirst) {
    const log = 'log' in database ? database.log : null;
    if (log === null) continue;
    found.set(log.epoch, { name, moment, ...log });
    if (moment <= since) break;
  }
  return found.values();
}
