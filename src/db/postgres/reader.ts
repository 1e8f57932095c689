import type { Client, QueryResult } from 'pg';
import { LIMITS } from '../../kernel/limits.ts';
import type { Connection, Row } from '../database.ts';
import { databaseError, isCancelled, isConnectionLoss, isStalePlan, queryTimeout } from '../driver-errors.ts';
import { Recent } from '../recent.ts';
import { Sql, type Statement } from '../sql.ts';
import { postgresDialect, renderPostgres } from './dialect.ts';
import { NamedStatements } from './named-statements.ts';
import { Turns } from './turns.ts';

/** A statement that takes longer keeps what is sent after it on its connection waiting; milliseconds. */
const LONG = 50;
/** Texts of statements whose times are remembered. */
const REMEMBERED = 1_000;

interface Line {
  readonly client: Client;
  readonly statements: NamedStatements;
  /** Statements sent and not answered, and when the line last began one: the clock of `performance.now()`. */
  waiting: number;
  since: number;
}

/** A place for one connection, which comes and goes with the server. */
interface Slot {
  line: Line | null;
  connecting: Promise<Line> | null;
}

/**
 * Reads over a few pipelined connections: statements are sent without waiting for the answers before them. Lists that take long, and
 * those of a form not seen before, go one at a time over connections of their own. A broken connection is replaced at the next read; a
 * read that broke with it is sent once more.
 */
export class PostgresReader implements Connection {
  readonly dialect = postgresDialect;
  readonly #newClient: () => Client;
  readonly #slots: readonly Slot[];
  readonly #slow: Turns<Slot>;
  /** Milliseconds that the statement of a list took when last run, by its text. */
  readonly #times = new Recent<number>(REMEMBERED);
  #turn = 0;
  #closed = false;

  /** `timeout`: milliseconds that a long read may wait for its turn. */
  constructor(newClient: () => Client, connections: number, timeout: number) {
    this.#newClient = newClient;
    this.#slots = Array.from({ length: connections }, emptySlot);
    this.#slow = new Turns(
      Array.from({ length: LIMITS.scanThreads }, emptySlot),
      LIMITS.waitingScans,
      timeout,
    );
  }

  async all(query: Sql | Statement, most?: number): Promise<Row[]> {
    return (await this.#query(query, most)).rows;
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
      [...this.#slots, ...this.#slow.all].map(async (slot) => {
        const line = slot.line ?? (await slot.connecting?.catch(() => null));
        await line?.client.end();
      }),
    );
  }

  async #query(query: Sql | Statement, most?: number): Promise<QueryResult<Row>> {
    const statement = query instanceof Sql ? renderPostgres(query) : query;
    if (LISTED.test(statement.text) && (this.#times.get(statement.text) ?? LONG) >= LONG) {
      return this.#slow.take((slot) => this.#twice(slot, statement, most));
    }
    return this.#twice(this.#nextSlot(), statement, most);
  }

  // In turn; past one whose answer is late, unless all are.
  #nextSlot(): Slot {
    const { length } = this.#slots;
    const late = performance.now() - LONG;
    for (let tried = 1; tried <= length; tried += 1) {
      const place = (this.#turn + tried) % length;
      const slot = this.#slots[place] as Slot;
      if (tried < length && slot.line && slot.line.waiting > 0 && slot.line.since < late) continue;
      this.#turn = place;
      return slot;
    }
    return this.#slots[this.#turn] as Slot;
  }

  async #twice(slot: Slot, statement: Statement, most?: number): Promise<QueryResult<Row>> {
    try {
      return await this.#send(slot, statement, most);
    } catch (error) {
      if (isCancelled(error)) throw queryTimeout();
      if (!isConnectionLoss(error) && !isStalePlan(error)) throw databaseError(error);
    }
    try {
      return await this.#send(slot, statement, most);
    } catch (error) {
      throw isCancelled(error) ? queryTimeout() : databaseError(error);
    }
  }

  async #send(slot: Slot, statement: Statement, most?: number): Promise<QueryResult<Row>> {
    const line = slot.line ?? (await this.#connect(slot));
    if (line.waiting === 0) line.since = performance.now();
    line.waiting += 1;
    try {
      return await line.client.query<Row>(line.statements.config(statement, most));
    } catch (error) {
      if (isConnectionLoss(error) || isStalePlan(error)) this.#retire(slot, line);
      throw error;
    } finally {
      const now = performance.now();
      if (LISTED.test(statement.text)) this.#times.set(statement.text, now - line.since);
      line.waiting -= 1;
      line.since = now;
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
    const line: Line = { client, statements: new NamedStatements(), waiting: 0, since: 0 };
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

/** The statement of a list names its table so; others find their rows by key. */
const LISTED = / as "_t"/;

const emptySlot = (): Slot => ({ line: null, connecting: null });
