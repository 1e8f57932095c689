import type { Client, QueryResult } from 'pg';
import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';
import type { Connection, Row } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import { databaseError, isCancelled, isConnectionLoss, isStalePlan, queryTimeout } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { renderPostgres } from './dialect.ts';
import { NamedStatements } from './named-statements.ts';
import type { Session } from './session.ts';
import { Turns } from './turns.ts';

/** A slower statement delays the statements behind it on its connection; milliseconds. */
const LONG = 50;
/** A connection for long reads is closed after this time without one; milliseconds. */
const IDLE = 10_000;
/** The number of statements whose durations are remembered. */
const REMEMBERED = 1_000;

/** A connection of a reader. */
export interface ReaderLine {
  readonly client: Client;
  readonly statements: NamedStatements;
  /** Statements in flight, and the start of the current one by `performance.now()`. */
  waiting: number;
  since: number;
  /** Closes it later, if it is one for long reads. */
  idle?: NodeJS.Timeout;
}

/** Sends a statement before another one. */
export type Ahead = (line: ReaderLine) => Promise<void>;

/** A slot for one connection, which is replaced when the connection is lost. */
interface Slot {
  line: ReaderLine | null;
  connecting: Promise<ReaderLine> | null;
}

/**
 * Reads over a few pipelined connections: statements are sent without waiting for earlier answers. Slow
 * lists, and lists of an unknown form, run one at a time on connections of their own. A broken connection is
 * replaced at the next read, and its reads are sent once more.
 */
export class PostgresReader implements Connection {
  readonly dialect: Dialect;
  readonly #newClient: () => Client;
  readonly #check: (client: Client) => Promise<void>;
  readonly #session: Session;
  readonly #slots: readonly Slot[];
  readonly #slow: Turns<Slot>;
  /** The last duration of each list statement, by its text; milliseconds. */
  readonly #times = new Recent<number>(REMEMBERED);
  #turn = 0;
  #closed = false;

  /**
   * `timeout`: milliseconds that a long read may wait for its turn. `check` rejects for a connection, just opened, that
   * must not be used.
   */
  constructor(
    newClient: () => Client,
    session: Session,
    connections: number,
    timeout: number,
    check: (client: Client) => Promise<void> = async () => {},
  ) {
    this.dialect = session.dialect;
    this.#session = session;
    this.#newClient = newClient;
    this.#check = check;
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

  /**
   * Reads without a second try; rejects with the driver's error. `ahead` sends something before the statement on
   * the same connection, in the same flight, and must do so at once. If it rejects, so does the read.
   */
  once(statement: Statement, most: number | undefined, ahead: Ahead): Promise<QueryResult<Row>> {
    return this.#inTurn(statement, (slot) => this.#send(slot, statement, most, ahead));
  }

  /** Uses a connection for statements that are answered soon. */
  async first<T>(use: (line: ReaderLine) => Promise<T>): Promise<T> {
    const slot = this.#nextSlot();
    const line = slot.line ?? (await this.#connect(slot));
    try {
      return await use(line);
    } catch (error) {
      if (isConnectionLoss(error)) this.#retire(slot, line);
      throw error;
    }
  }

  /** Answers the reads in flight, then closes the connections. */
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
    return this.#inTurn(statement, (slot) => this.#twice(slot, statement, most));
  }

  #inTurn<T>({ text }: Statement, read: (slot: Slot) => Promise<T>): Promise<T> {
    if (!LISTED.test(text) || (this.#times.get(text) ?? LONG) < LONG) return read(this.#nextSlot());
    return this.#slow.take((slot) => read(slot).finally(() => this.#closeWhenIdle(slot)));
  }

  // Round robin. Skips a connection with a late answer, unless all have one.
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

  async #send(slot: Slot, statement: Statement, most?: number, ahead?: Ahead): Promise<QueryResult<Row>> {
    const line = slot.line ?? (await this.#connect(slot));
    if (line.waiting === 0) line.since = performance.now();
    line.waiting += 1;
    try {
      return await this.#read(line, statement, most, ahead);
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

  /** A connection for long reads is needed seldom, and each one costs PostgreSQL memory. */
  #closeWhenIdle(slot: Slot): void {
    const { line } = slot;
    if (!line) return;
    clearTimeout(line.idle);
    line.idle = setTimeout(() => line.waiting === 0 && this.#retire(slot, line), IDLE).unref();
  }

  #read(line: ReaderLine, statement: Statement, most?: number, ahead?: Ahead): Promise<QueryResult<Row>> {
    const { aroundRead } = this.#session;
    if (ahead) {
      const sent = ahead(line);
      const answer = line.statements.query(line.client, statement, most);
      answer.catch(() => {});
      return sent.then(() => answer);
    }
    if (aroundRead === null) return line.statements.query(line.client, statement, most);
    // All three travel together. A failure of the first or the last fails the read, or has nothing to say.
    line.client.query(aroundRead.before).catch(() => {});
    const answer = line.statements.query(line.client, statement, most);
    line.client.query(aroundRead.after).catch(() => {});
    return answer;
  }

  #connect(slot: Slot): Promise<ReaderLine> {
    slot.connecting ??= this.#open(slot).finally(() => {
      slot.connecting = null;
    });
    return slot.connecting;
  }

  async #open(slot: Slot): Promise<ReaderLine> {
    if (this.#closed) throw new Error('Client was closed');
    const client = this.#newClient();
    const line: ReaderLine = { client, statements: new NamedStatements(this.#session), waiting: 0, since: 0 };
    // Without a listener, a lost connection would end the process.
    client.on('error', () => this.#retire(slot, line));
    client.on('end', () => this.#retire(slot, line));
    await client.connect();
    try {
      await this.#check(client);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    slot.line = line;
    return line;
  }

  /** Retires a connection after it has answered the reads in flight. */
  #retire(slot: Slot, line: ReaderLine): void {
    if (slot.line !== line) return;
    slot.line = null;
    line.client.end().catch(() => {});
  }
}

/** List statements use this table alias; other statements find their rows by key. */
const LISTED = / as "_t"/;

const emptySlot = (): Slot => ({ line: null, connecting: null });
