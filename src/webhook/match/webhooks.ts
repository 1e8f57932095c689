import type { Connection, Row } from '../../db/database.ts';
import { ident, join, type Sql, sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import { parseHeader, parseSpec, SPEC_COLUMNS, type WebhookSpec } from '../render/webhook-spec.ts';
import type { WebhookHeader } from '../send/header-rules.ts';

type ByDoctype = ReadonlyMap<string, readonly WebhookSpec[]>;

/** Another process on the same SQLite file may change webhooks unnoticed; microseconds. */
const MAX_AGE = 1_000_000;

/**
 * The enabled webhooks of each doctype, as the current transaction sees them.
 *
 * On SQLite the transactions of the process run one after another, so they share one map until a change to a
 * Webhook drops it. A doctype without webhooks costs one lookup. On PostgreSQL other nodes change webhooks
 * too, and a webhook saved before the request for a change must fire. So each transaction asks for the names
 * once, by index, and reads the contents of new ones only.
 */
export class Webhooks {
  #known: ByDoctype | null = null;
  #knownAt = 0;
  /** Webhooks read before, by name. */
  readonly #read = new Map<string, Read>();
  /** Questions asked early by transactions; null before they are sent, and after a second one. */
  readonly #foreseen = new WeakMap<Connection, Foreseen | null>();

  /** Call this in every transaction that changed a Webhook. */
  forget(): void {
    this.#known = null;
    this.#read.clear();
  }

  /**
   * On PostgreSQL, asks with the first statement of a change. A transaction that changes several documents may
   * be long, so it asks again at its end.
   */
  foresee(connection: Connection, doctypeName: string): void {
    const isFirst = !this.#foreseen.has(connection);
    this.#foreseen.set(connection, null);
    if (!isFirst) return;
    connection.withNext?.(() => {
      const ask = () => loadStamps(connection, [doctypeName]);
      // Units that share a transaction fire what was saved before the request for each.
      const stamps = connection.askTogether?.(`webhooks of ${doctypeName}`, ask) ?? ask();
      // The transaction keeps the error.
      stamps.catch(() => {});
      this.#foreseen.set(connection, { doctypeName, stamps });
    });
  }

  async of(ctx: Context, doctypeNames: ReadonlySet<string>, changedHere: boolean): Promise<ByDoctype> {
    if (ctx.db.dialect.name === 'postgres') {
      return this.#current(ctx, doctypeNames, changedHere);
    }
    const now = ctx.site.clock.micros();
    if (this.#known && !changedHere && now - this.#knownAt < MAX_AGE) return this.#known;
    const loaded = group(await loadSpecs(ctx.db, sql`"enabled" = 1`), ({ doctype }) => doctype);
    // A change of this transaction may still be rolled back, so only this transaction uses it.
    if (!changedHere) {
      this.#known = loaded;
      this.#knownAt = now;
      // A group of transactions can fail as a whole at its commit; then this read is void.
      ctx.onRollback(() => this.forget());
    }
    return loaded;
  }

  async #current(ctx: Context, doctypeNames: ReadonlySet<string>, changedHere: boolean): Promise<ByDoctype> {
    const foreseen = changedHere ? null : this.#foreseen.get(ctx.db);
    const isForeseen = doctypeNames.size === 1 && doctypeNames.has(foreseen?.doctypeName ?? '');
    const stamps = await (foreseen && isForeseen ? foreseen.stamps : loadStamps(ctx.db, [...doctypeNames]));
    const missing = [...stamps].filter(([name, stamp]) => this.#read.get(name)?.stamp !== stamp);
    const fresh = new Map<string, WebhookSpec>();
    if (missing.length > 0) {
      const list = join(missing.map(([name]) => sql`${name}`));
      for (const spec of await loadSpecs(ctx.db, sql`"name" in (${list})`)) fresh.set(spec.name, spec);
    }
    if (fresh.size > 0 && !changedHere) ctx.afterCommit(() => this.#keep(fresh, stamps));
    const specs = [...stamps.keys()].flatMap((name) => fresh.get(name) ?? this.#read.get(name)?.spec ?? []);
    return group(specs, ({ doctype }) => doctype);
  }

  // Not before the commit: a unit that shares the transaction may have changed them, and after a rollback the same
  // revision could come again with other content.
  #keep(fresh: ReadonlyMap<string, WebhookSpec>, stamps: ReadonlyMap<string, string>): void {
    if (this.#read.size + fresh.size > MOST_READ) this.#read.clear();
    for (const [name, spec] of fresh) this.#read.set(name, { stamp: stamps.get(name) ?? '', spec });
  }
}

/** A webhook, and the revision of its row when it was read. */
interface Read {
  readonly stamp: string;
  readonly spec: WebhookSpec;
}

/** The stamps of the enabled webhooks of a doctype, by name. */
interface Foreseen {
  readonly doctypeName: string;
  readonly stamps: Promise<ReadonlyMap<string, string>>;
}

async function loadStamps(
  connection: Connection,
  doctypeNames: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = join(doctypeNames.map((name) => sql`${name}`));
  const rows = await connection.all(
    sql`select "name", "creation", "_revision" from "Webhook" where "enabled" = 1 and "webhook_doctype" in (${names})
        order by "creation", "name"`,
  );
  return new Map(rows.map((row) => [String(row['name']), `${row['creation']} ${row['_revision']}`]));
}

/** More webhooks than any site has; beyond this the cache is cleared. */
const MOST_READ = 20_000;

/** The specs of webhooks, in the order of creation. */
async function loadSpecs(connection: Connection, condition: Sql): Promise<readonly WebhookSpec[]> {
  const columns = join(SPEC_COLUMNS.map(ident));
  const rows = await connection.all(
    sql`select ${columns} from "Webhook" where ${condition} order by "creation", "name"`,
  );
  if (rows.length === 0) return [];
  const names = sql`select "name" from "Webhook" where ${condition}`;
  const headers = await loadRows(connection, 'Webhook Header', 'webhook_headers', names);
  const fields = await loadRows(connection, 'Webhook Data', 'webhook_data', names);
  return rows.map((row) => {
    const name = String(row['name']);
    return parseSpec(row, headers.get(name) ?? [], fields.get(name) ?? []);
  });
}

/** The custom headers of webhooks (a list of names or a subquery), by webhook, without empty rows. */
export async function loadHeaders(
  connection: Connection,
  names: Sql,
): Promise<ReadonlyMap<string, readonly WebhookHeader[]>> {
  const rows = await loadRows(connection, 'Webhook Header', 'webhook_headers', names);
  return new Map(
    [...rows].map(([name, held]) => [name, held.map(parseHeader).filter((one) => one !== null)]),
  );
}

async function loadRows(
  connection: Connection,
  childName: string,
  parentfield: string,
  names: Sql,
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const rows = await connection.all(
    sql`select * from ${ident(childName)} where "parent" in (${names}) and "parenttype" = 'Webhook'
        and "parentfield" = ${parentfield} order by "parent", "idx"`,
  );
  return group(rows, (row) => String(row['parent']));
}

function group<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const list = groups.get(keyOf(item));
    if (list) list.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
