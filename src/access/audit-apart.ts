import type { Database } from '../db/database.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type AuditEntry, type AuditSite, type Origin, writeApart } from './audit.ts';

/** How long entries like one that was written are counted instead of written. Milliseconds. */
const WINDOW = 60_000;

/**
 * Tells the audit log what has no transaction: refusals and reads. The first of a kind (event, user, address, document)
 * is written at once; more of them within a minute become one entry with their number. New kinds beyond
 * `LIMITS.auditKinds` in a minute share one entry per event, so that nobody fills the disk by being refused.
 * Never rejects. Await it only where the time it takes tells nothing.
 */
export function auditApart(site: AuditSite, origin: Origin, entry: AuditEntry): Promise<void> {
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

/** Writes what is only counted so far, and waits for what is being written. Before the database closes. */
export async function settleAudit(database: Database): Promise<void> {
  const log = logs.get(database);
  if (!log) return;
  log.window?.close();
  while (log.writing.size > 0) await Promise.all(log.writing);
}

interface Kind {
  readonly origin: Origin;
  readonly entry: AuditEntry;
  /** How often it happened since its entry was written. */
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
  // Waiting alone does not keep the process up.
  const timer = setTimeout(close, WINDOW).unref();
  return { kinds, overflow, close };
}

/** Of users and addresses too many to tell. */
const MANY: Origin = { credential: '', address: null, agent: null, requestId: null };

function track(log: Log, writing: Promise<void>): Promise<void> {
  log.writing.add(writing);
  return writing.finally(() => log.writing.delete(writing));
}
