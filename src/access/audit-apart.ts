import type { Database } from '../db/database.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type AuditEntry, type AuditSite, type Provenance, writeApart } from './audit.ts';

/** After an entry is written, equal events are only counted for this time. Milliseconds. */
const WINDOW = 60_000;

/**
 * Writes audit entries for events without a transaction: refusals and reads. The first event of a kind
 * (event, user, address, document) is written at once. Further events of the kind within a minute become one
 * entry with their count. Beyond `LIMITS.auditKinds` new kinds in a minute, all new kinds share one entry per
 * event, so that refused requests cannot fill the disk. Never rejects. Await it only where the response time
 * reveals nothing.
 */
export function auditApart(site: AuditSite, origin: Provenance, entry: AuditEntry): Promise<void> {
  const log = logOf(site.database);
  log.window ??= openWindow(site, log);
  const { kinds } = log.window;
  const key = JSON.stringify([entry.event, entry.user, origin.address, entry.doctype, entry.name]);
  const known = kinds.get(key);
  if (known) {
    known.more += 1;
    return Promise.resolve();
  }
  if (kinds.size < LIMITS.auditKinds) {
    kinds.set(key, { origin, entry, more: 0 });
    return track(log, writeApart(site, origin, entry));
  }
  const { overflow } = log.window;
  overflow.set(entry.event, (overflow.get(entry.event) ?? 0) + 1);
  return Promise.resolve();
}

/** Writes the pending counts and waits for entries being written. Call it before the database closes. */
export async function settleAudit(database: Database): Promise<void> {
  const log = logs.get(database);
  if (!log) return;
  log.window?.close();
  while (log.writing.size > 0) await Promise.all(log.writing);
}

interface Kind {
  readonly origin: Provenance;
  readonly entry: AuditEntry;
  /** Occurrences since the entry was written. */
  more: number;
}

interface Window {
  readonly kinds: Map<string, Kind>;
  readonly overflow: Map<AuditEntry['event'], number>;
  close(): void;
}

interface Log {
  window: Window | null;
  readonly writing: Set<Promise<void>>;
}

const logs = new WeakMap<Database, Log>();

function logOf(database: Database): Log {
  let log = logs.get(database);
  if (!log) {
    log = { window: null, writing: new Set() };
    logs.set(database, log);
  }
  return log;
}

function openWindow(site: AuditSite, log: Log): Window {
  const kinds = new Map<string, Kind>();
  const overflow = new Map<AuditEntry['event'], number>();
  const close = () => {
    clearTimeout(timer);
    log.window = null;
    for (const { origin, entry, more } of kinds.values()) {
      if (more > 0) void track(log, writeApart(site, origin, { ...entry, occurrences: more }));
    }
    for (const [event, occurrences] of overflow) {
      void track(log, writeApart(site, MANY, { event, occurrences, details: { different: true } }));
    }
  };
  // The timer does not keep the process running.
  const timer = setTimeout(close, WINDOW).unref();
  return { kinds, overflow, close };
}

/** Stands for all users and addresses beyond the limit of kinds. */
const MANY: Provenance = { credential: '', address: null, agent: null, requestId: null };

function track(log: Log, writing: Promise<void>): Promise<void> {
  log.writing.add(writing);
  return writing.finally(() => log.writing.delete(writing));
}
