import type { Config } from '../config/config.ts';
import type { Connection, Database } from '../db/database.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import { type Clock, formatTimestamp } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import type { Random } from '../kernel/random.ts';

/** What the audit log tells, and nothing else. Those of `FAILURES` were refused; the others happened. */
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
  'settings_changed',
  'webhook_changed',
  'webhook_secret_changed',
  'deliveries_resent',
  'deliveries_cancelled',
  'secret_keys_rotated',
  'patch_applied',
  'site_migrated',
] as const;

export type AuditEvent = (typeof AUDIT_EVENTS)[number];

const FAILURES: ReadonlySet<AuditEvent> = new Set(['login_failed', 'key_refused']);

/** Where a piece of work came from. */
export interface Origin {
  /** `key <public part>`, `session`, `bearer`, `password`, `command line`; never anything secret. */
  readonly credential: string;
  readonly address: string | null;
  readonly agent: string | null;
  readonly requestId: string | null;
  /** The header `webhook-chain` of the request: the webhook deliveries that led to this, if its signature is right. */
  readonly chain?: string;
  /** The `traceparent` that came with it. */
  readonly trace?: string;
  /** It brings in what was there before, or was there always: no webhook hears of it. */
  readonly isImport?: true;
}

/** The system's own work: at start, in hooks of the clock. */
export const OWN_WORK: Origin = { credential: 'system', address: null, agent: null, requestId: null };

/** The command line of the server's machine. */
export const COMMAND_LINE: Origin = { ...OWN_WORK, credential: 'command line' };

type Detail = string | number | boolean | null | readonly Detail[] | { readonly [key: string]: Detail };

/** Facts about an event, by name: short, and never a secret. */
export type AuditDetails = Readonly<Record<string, Detail>>;

/** One entry. */
export interface AuditEntry {
  readonly event: AuditEvent;
  /** Who did it; default: the user of the context. Nobody known: `''`. Never what was typed for a user's name. */
  readonly user?: string;
  /** The document it is about. */
  readonly doctype?: string;
  readonly name?: string;
  readonly details?: AuditDetails;
  /** How often it happened since the last entry like it; default 1. */
  readonly occurrences?: number;
}

/** What the log needs of a site. */
export interface AuditSite {
  readonly config: Pick<Config, 'timeZone'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observer;
}

/** What it needs of a `Context` within a transaction. */
export interface AuditContext {
  readonly site: Omit<AuditSite, 'database'>;
  readonly db: Connection;
  readonly user: { readonly name: string };
  readonly origin?: Origin;
  /** Absent where the transaction is the caller's own. */
  afterCommit?(effect: () => void): void;
}

/** Rows of one statement. */
const BATCH = 250;

/**
 * Writes entries as rows of the transaction whose effect they tell: committed together or not at all. Outside of one, and
 * for what was refused, see `auditApart`.
 */
export async function audit(ctx: AuditContext, ...entries: readonly AuditEntry[]): Promise<void> {
  const { site, origin = OWN_WORK } = ctx;
  for (let start = 0; start < entries.length; start += BATCH) {
    const rows = entries
      .slice(start, start + BATCH)
      .map((entry) => rowOf(site, origin, ctx.user.name, entry));
    await ctx.db.run(insertion(rows));
    // A copy for where the logs go: whoever holds the database could change the table.
    const observe = () => {
      for (const row of rows) site.observe({ kind: 'audit', ...row });
    };
    if (ctx.afterCommit) ctx.afterCommit(observe);
    else observe();
  }
}

/**
 * Writes an entry on its own, in a transaction of its own. Never rejects: a log that cannot be written is observed, and
 * the request it is about goes on.
 */
export async function writeApart(site: AuditSite, origin: Origin, entry: AuditEntry): Promise<void> {
  const row = rowOf(site, origin, '', entry);
  try {
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

function rowOf(site: AuditContext['site'], origin: Origin, user: string, entry: AuditEntry): AuditRow {
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

/** Hexadecimal digits of a name. */
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

// Headers and names come from strangers: no control characters, no halves of characters, no length of their choice.
function clean(text: string | null, length: number): string | null {
  if (text === null) return null;
  return text
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, length)
    .toWellFormed();
}

/** The facts as JSON; of too many those that fit, and `truncated`. */
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
