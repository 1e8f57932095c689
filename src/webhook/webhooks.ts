import type { Connection, Row } from '../db/database.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Context } from '../document/context.ts';
import { isSkipped } from './header-rules.ts';
import type { PayloadField } from './payload.ts';

/** An enabled webhook, as far as making its deliveries takes. */
export interface WebhookSpec {
  readonly name: string;
  readonly doctype: string;
  readonly event: string;
  readonly url: string;
  readonly method: string;
  readonly headers: readonly WebhookHeader[];
  readonly fields: readonly PayloadField[];
}

export interface WebhookHeader {
  readonly key: string;
  readonly value: string;
}

type ByDoctype = ReadonlyMap<string, readonly WebhookSpec[]>;

/** Another process on the same SQLite file may change webhooks without our noticing; microseconds. */
const MAX_AGE = 1_000_000;

/**
 * Knows the enabled webhooks of each doctype as the asking transaction sees them.
 *
 * On SQLite all transactions of the process run one after another, so one map is right for all of them until a change
 * to a Webhook drops it; a doctype without webhooks costs one lookup. On PostgreSQL other nodes change webhooks too, and
 * a webhook committed before a document must fire, so each transaction asks once, by index.
 */
export class Webhooks {
  #known: ByDoctype | null = null;
  #knownAt = 0;

  /** To be called in every transaction that changed a Webhook. */
  forget(): void {
    this.#known = null;
  }

  async of(ctx: Context, doctypeNames: ReadonlySet<string>, changedHere: boolean): Promise<ByDoctype> {
    if (ctx.db.dialect.name === 'postgres') {
      const names = join([...doctypeNames].map((name) => sql`${name}`));
      return loadWebhooks(ctx.db, sql`and "webhook_doctype" in (${names})`);
    }
    const now = ctx.site.clock.micros();
    if (this.#known && !changedHere && now - this.#knownAt < MAX_AGE) return this.#known;
    const loaded = await loadWebhooks(ctx.db, sql``);
    // What this transaction changed itself may still be rolled back: it is for this transaction only.
    if (!changedHere) {
      this.#known = loaded;
      this.#knownAt = now;
      // A group of transactions can fail as a whole at its commit, and with it what was read here.
      ctx.onRollback(() => this.forget());
    }
    return loaded;
  }
}

async function loadWebhooks(connection: Connection, condition: Sql): Promise<ByDoctype> {
  const rows = await connection.all(
    sql`select "name", "webhook_doctype", "webhook_docevent", "request_url", "request_method"
        from "Webhook" where "enabled" = 1 ${condition} order by "creation", "name"`,
  );
  if (rows.length === 0) return new Map();
  const enabled = sql`select "name" from "Webhook" where "enabled" = 1 ${condition}`;
  const headers = await loadHeaders(connection, enabled);
  const fields = await loadFields(connection, enabled);
  const byDoctype = new Map<string, WebhookSpec[]>();
  for (const row of rows) {
    const name = textOf(row, 'name');
    const doctype = textOf(row, 'webhook_doctype');
    const list = byDoctype.get(doctype) ?? [];
    list.push({
      name,
      doctype,
      event: textOf(row, 'webhook_docevent'),
      url: textOf(row, 'request_url'),
      method: textOf(row, 'request_method') || 'POST',
      headers: headers.get(name) ?? [],
      fields: fields.get(name) ?? [],
    });
    byDoctype.set(doctype, list);
  }
  return byDoctype;
}

/** The custom headers of webhooks (a list of names or a subquery), by webhook, without the rows that stand for none. */
export async function loadHeaders(
  connection: Connection,
  names: Sql,
): Promise<ReadonlyMap<string, readonly WebhookHeader[]>> {
  const rows = await connection.all(
    sql`select "parent", "key", "value" from "Webhook Header" where ${rowsOfWebhooks('webhook_headers', names)}`,
  );
  return group(rows, (row) => {
    const key = textOf(row, 'key');
    const value = textOf(row, 'value');
    return isSkipped(key, value) ? null : { key: key.trim(), value };
  });
}

async function loadFields(
  connection: Connection,
  names: Sql,
): Promise<ReadonlyMap<string, readonly PayloadField[]>> {
  const rows = await connection.all(
    sql`select "parent", "fieldname", "key" from "Webhook Data" where ${rowsOfWebhooks('webhook_data', names)}`,
  );
  return group(rows, (row) => {
    const fieldname = textOf(row, 'fieldname');
    return { fieldname, key: textOf(row, 'key') || fieldname };
  });
}

function rowsOfWebhooks(parentfield: string, names: Sql): Sql {
  return sql`"parent" in (${names}) and "parenttype" = 'Webhook' and "parentfield" = ${parentfield}
    order by "parent", "idx"`;
}

function group<T>(rows: readonly Row[], read: (row: Row) => T | null): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const value = read(row);
    if (value === null) continue;
    const parent = textOf(row, 'parent');
    const list = groups.get(parent);
    if (list) list.push(value);
    else groups.set(parent, [value]);
  }
  return groups;
}

function textOf(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}
