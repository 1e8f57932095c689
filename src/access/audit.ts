import type { Config } from '../config/config.ts';
import type { Connection, Database } from '../db/database.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import { type Clock, formatTimestamp } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import type { Random } from '../kernel/random.ts';

/** All events of the audit log. Events in `FAILURES` are refusals; the others report completed actions. */
export const AUDIT_EVENTS = [
  'login',
  'login_failed',
  'logout',
  'session_revoked',
  'password_changed',
  'password_reset_asked',
  'second_factor_enabled',
  'second_factor_disabled',
  'key_created',
  'key_changed',
  'key_rotated',
  'key_revoked',
  'key_refused',
  'oauth_client_changed',
  'oauth_authorized',
  'oauth_revoked',
  'user_created',
  'user_enabled',
  'user_disabled',
  'user_renamed',
  'roles_changed',
  'permissions_changed',
  'doctype_changed',
  'document_deleted',
  'document_restored',
  'exported',
  'file_link_made',
  'files_adopted',
  'load_started',
  'load_undone',
  'site_restored',
  'settings_changed',
  'webhook_changed',
  'webhook_secret_changed',
  'deliveries_resent',
  'deliveries_cancelled',
  'job_started',
  'secret_keys_rotated',
  'patch_applied',
  'site_migrated',
] as const;

export type AuditEvent = (typeof AUDIT_EVENTS)[number];

const FAILURES: ReadonlySet<AuditEvent> = new Set(['login_failed', 'key_refused']);

/** The source of a request or task. */
export interface Provenance {
  /** `key <public part>`, `session`, `bearer`, `password`, `command line`. Never contains a secret. */
  readonly credential: string;
  readonly address: string | null;
  readonly agent: string | null;
  readonly requestId: string | null;
  /**
   * The `webhook-chain` header of the request, if its signature is valid: the webhook deliveries that led to
   * this request.
   */
  readonly chain?: string;
  /** The `traceparent` of the request. */
  readonly trace?: string;
  /** The work imports existing data or creates standard data. It triggers no webhook. */
  readonly isImport?: true;
}

/** The system's own work: at start and in scheduled hooks. */
export const OWN_WORK: Provenance = { credential: 'system', address: null, agent: null, requestId: null };

/** Commands on the server's machine. */
export const COMMAND_LINE: Provenance = { ...OWN_WORK, credential: 'command line' };

type Detail = string | number | boolean | null | readonly Detail[] | { readonly [key: string]: Detail };

/** Short facts about an event, by name. Never contains a secret. */
export type AuditDetails = Readonly<Record<string, Detail>>;

export interface AuditEntry {
  readonly event: AuditEvent;
  /**
   * The acting user; default: the user of the context. `''` for an unknown user. Never the text typed as a
   * user name.
   */
  readonly user?: string;
  /** The document of the event. */
  readonly doctype?: string;
  readonly name?: string;
  readonly details?: AuditDetails;
  /** Occurrences since the last equal entry; default 1. */
  readonly occurrences?: number;
}

/** The parts of a site that the audit log uses. */
export interface AuditSite {
  readonly config: Pick<Config, 'timeZone'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observer;
}

/** The parts of a `Context` that the log uses within a transaction. */
export interface AuditContext {
  readonly site: Omit<AuditSite, 'database'>;
  readonly db: Connection;
  readonly user: { readonly name: string };
  readonly origin?: Provenance;
  /** Absent where the caller controls the transaction. */
  afterCommit?(effect: () => void): void;
}

/** Rows per statement. */
const BATCH = 250;

/**
 * Writes entries in the transaction of the action they describe, so that both commit or neither does. For
 * events outside a transaction and for refusals, see `auditApart`.
 */
export async function audit(ctx: AuditContext, ...entries: readonly AuditEntry[]): Promise<void> {
  const { site, origin = OWN_WORK } = ctx;
  for (let start = 0; start < entries.length; start += BATCH) {
    const rows = entries
      .slice(start, start + BATCH)
      .map((entry) => rowOf(site, origin, ctx.user.name, entry));
    await ctx.db.run(insertion(rows));
    // Copies the entry to the server's log: anyone with access to the database could change the table.
    const observe = () => {
      for (const row of rows) site.observe({ kind: 'audit', ...row });
    };
    if (ctx.afterCommit) ctx.afterCommit(observe);
    else observe();
  }
}

/**
 * Writes an entry in its own transaction. Never rejects: a failure is observed, and the request continues.
 */
export async function writeApart(site: AuditSite, origin: Provenance, entry: AuditEntry): Promise<void> {
  try {
    const row = rowOf(site, origin, '', entry);
    await site.database.transaction((connection) => connection.run(insertion([row])));
    site.observe({ kind: 'audit', ...row });
  } catch (error) {
    site.observe({ kind: 'unexpected', where: `audit log: ${entry.event}`, error });
  }
}

interface AuditRow {
  readonly name: string;
  readonly creation: string;
  readonly event: AuditEvent;
  readonly outcome: 'Success' | 'Failed';
  readonly user: string;
  readonly credential: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
  readonly reference_doctype: string | null;
  readonly reference_name: string | null;
  readonly occurrences: number;
  readonly details: string | null;
}

function rowOf(site: AuditContext['site'], origin: Provenance, user: string, entry: AuditEntry): AuditRow {
  const { event, doctype, name, details, occurrences = 1 } = entry;
  return {
    name: site.random.hash(NAME),
    creation: formatTimestamp(site.clock.micros(), site.config.timeZone),
    event,
    outcome: FAILURES.has(event) ? 'Failed' : 'Success',
    user: clean(entry.user ?? user, LIMITS.nameLength) ?? '',
    credential: clean(origin.credential, LIMITS.nameLength) ?? '',
    address: clean(origin.address, LIMITS.nameLength),
    user_agent: clean(origin.agent, LIMITS.auditAgentLength),
    request_id: clean(origin.requestId, LIMITS.nameLength),
    reference_doctype: clean(doctype ?? null, LIMITS.nameLength),
    reference_name: clean(name ?? null, 2 * LIMITS.nameLength),
    occurrences,
    details: details ? detailsText(details) : null,
  };
}

/** Length of an entry's name in hexadecimal digits. */
const NAME = 14;

function insertion(rows: readonly AuditRow[]): Sql {
  const values = rows.map(
    (row) => sql`(${row.name}, ${row.creation}, ${row.event}, ${row.outcome}, ${row.user}, ${row.credential},
      ${row.address}, ${row.user_agent}, ${row.request_id}, ${row.reference_doctype}, ${row.reference_name},
      ${row.occurrences}, ${row.details})`,
  );
  return sql`insert into "_audit" ("name", "creation", "event", "outcome", "user", "credential", "address",
    "user_agent", "request_id", "reference_doctype", "reference_name", "occurrences", "details") values ${join(values)}`;
}

// Headers and names are untrusted: removes control characters and lone surrogates, and limits the length.
function clean(text: string | null, length: number): string | null {
  if (text === null) return null;
  return text
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, length)
    .toWellFormed();
}

/** The details as JSON. Details that do not fit are left out, and `truncated` is set. */
function detailsText(details: AuditDetails): string {
  const whole = JSON.stringify(details);
  if (whole.length <= LIMITS.auditDetailsLength) return whole;
  const kept: Record<string, Detail> = { truncated: true };
  let room = LIMITS.auditDetailsLength - 20;
  for (const [key, value] of Object.entries(details)) {
    const { length } = JSON.stringify({ [key]: value });
    if (length > room) continue;
    room -= length;
    kept[key] = value;
  }
  return JSON.stringify(kept);
}
