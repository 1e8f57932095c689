import type { Client } from 'pg';
import type { IndexBuilder, IndexBuilds } from '../database.ts';
import { literal, quote } from '../ddl.ts';
import { databaseError } from '../driver-errors.ts';
import { block, createIndexText, HAVE_TRIGRAMS } from './index-text.ts';

/**
 * Builds indexes with `create index concurrently`. It cannot run in a transaction, so an interrupted build leaves
 * an invalid index. One connection holds the lock of the builder in a transaction without a snapshot, for which
 * no build waits; another one builds.
 */
export class PostgresIndexBuilds implements IndexBuilds {
  readonly #newClient: () => Client;
  readonly #schema: string;
  readonly #clients = new Set<Client>();
  #closed = false;

  /** `newClient` makes connections without timeouts; `schema` has the tables. */
  constructor(newClient: () => Client, schema: string) {
    this.#newClient = newClient;
    this.#schema = schema;
  }

  alone(work: (builder: IndexBuilder) => Promise<void>): Promise<boolean> {
    return this.#withClient(async (holder) => {
      await holder.query('begin');
      // Never waits: a build would wait for the snapshot of a statement that waits, and for that of a statement
      // with parameters, which stays open.
      const { rows } = await holder.query(
        `select pg_try_advisory_xact_lock(hashtext(${literal(this.#schema)} || ' index builds')) as held`,
      );
      if (rows[0].held !== 1) return false;
      await this.#withClient((client) => work(builderOn(client, this.#schema)));
      return true;
    });
  }

  abandon(): void {
    this.#closed = true;
    for (const client of this.#clients) cutOff(client);
  }

  async #withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the database is closed');
    const client = this.#newClient();
    this.#clients.add(client);
    client.on('error', () => {});
    try {
      await client.connect();
      return await work(client);
    } catch (error) {
      throw databaseError(error);
    } finally {
      this.#clients.delete(client);
      cutOff(client);
    }
  }
}

function builderOn(client: Client, schema: string): IndexBuilder {
  return {
    async build(table, index) {
      if (index.like) await client.query(block(HAVE_TRIGRAMS));
      const { rows } = await client.query(
        `select ${createIndexText(schema, table, index, 'concurrently')} as "text"`,
      );
      await client.query(rows[0].text);
      // The planner has no statistics about an expression otherwise.
      if (index.like) await client.query(`analyze ${quote(schema)}.${quote(table)}`);
    },
    async drop(index) {
      await client.query(`drop index concurrently if exists ${quote(schema)}.${quote(index)}`);
    },
  };
}

// `end` would wait for the running statement.
function cutOff(client: Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
