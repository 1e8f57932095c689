import type { Client, QueryResult } from 'pg';
import type { Connection, Row } from '../database.ts';
import { databaseError, isConnectionLoss, isStalePlan } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { postgresDialect, renderPostgres } from './dialect.ts';
import { NamedStatements } from './named-statements.ts';

interface Line {
  readonly client: Client;
  readonly statements: NamedStatements;
}

/** A place for one connection, which comes and goes with the server. */
interface Slot {
  line: Line | null;
  connecting: Promise<Line> | null;
}

/**
 * Reads over a few pipelined connections: statements are sent without waiting for the answers before them. A broken
 * connection is replaced at the next read; a read that broke with it is sent once more.
 */
export class PostgresReader implements Connection {
  readonly dialect = postgresDialect;
  readonly #newClient: () => Client;
  readonly #slots: readonly Slot[];
  #turn = 0;
  #closed = false;

  constructor(newClient: () => Client, connections: number) {
    this.#newClient = newClient;
    this.#slots = Array.from({ length: connections }, () => ({ line: null, connecting: null }));
  }

  async all(query: Sql | Statement): Promise<Row[]> {
    return (await this.#query(query)).rows;
  }

  async get(query: Sql | Statement): Promise<Row | undefined> {
    return (await this.#query(query)).rows[0];
  }

  async run(query: Sql | Statement): Promise<number> {
    return (await this.#query(query)).rowCount ?? 0;
  }

  /** Answers what was asked, then closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#slots.map(async (slot) => {
        const line = slot.line ?? (await slot.connecting?.catch(() => null));
        await line?.client.end();
      }),
    );
  }

  async #query(query: Sql | Statement): Promise<QueryResult<Row>> {
    const statement = query instanceof Sql ? renderPostgres(query) : query;
    this.#turn = (this.#turn + 1) % this.#slots.length;
    const slot = this.#slots[this.#turn] as Slot;
    try {
      return await this.#send(slot, statement);
    } catch (error) {
      if (!isConnectionLoss(error) && !isStalePlan(error)) throw databaseError(error);
    }
    try {
      return await this.#send(slot, statement);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async #send(slot: Slot, statement: Statement): Promise<QueryResult<Row>> {
    const line = slot.line ?? (await this.#connect(slot));
    try {
      return await line.client.query<Row>(line.statements.config(statement));
    } catch (error) {
      if (isConnectionLoss(error) || isStalePlan(error)) this.#retire(slot, line);
      throw error;
    } finally {
      if (line.statements.full) this.#retire(slot, line);
    }
  }

  #connect(slot: Slot): Promise<Line> {
    slot.connecting ??= this.#open(slot).finally(() => {
      slot.connecting = null;
    });
    return slot.connecting;
  }

  async #open(slot: Slot): Promise<Line> {
    if (this.#closed) throw new Error('Client was closed');
    const client = this.#newClient();
    const line: Line = { client, statements: new NamedStatements() };
    // Without a listener a lost connection would end the process.
    client.on('error', () => this.#retire(slot, line));
    client.on('end', () => this.#retire(slot, line));
    await client.connect();
    slot.line = line;
    return line;
  }

  /** Lets go of a connection; what is still asked on it is answered first. */
  #retire(slot: Slot, line: Line): void {
    if (slot.line !== line) return;
    slot.line = null;
    line.client.end().catch(() => {});
  }
}
