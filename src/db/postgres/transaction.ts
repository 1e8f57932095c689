import type { PoolClient, QueryResult } from 'pg';
import type { Connection, Row } from '../database.ts';
import { databaseError } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { postgresDialect, renderPostgres } from './dialect.ts';
import type { Lanes } from './lanes.ts';
import type { NamedStatements } from './named-statements.ts';

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/**
 * A transaction's connection. The first statement begins the transaction; the object is unusable after its
 * end.
 */
export class PostgresTransaction implements Connection {
  readonly dialect = postgresDialect;
  readonly #statements: NamedStatements;
  #client: PoolClient | null;
  /** Waits for every statement. */
  readonly #isPatient: boolean;
  readonly #sent: Promise<void>[] = [];
  readonly #lanes: Lanes;
  readonly #withNext: (() => void)[] = [];
  readonly #turns = new Map<string, Promise<() => void>>();
  #begun: Promise<unknown> | null = null;
  /** The driver's error of the first failed statement. The transaction can no longer commit. */
  failure: unknown = null;
  /** True when a statement failed that nobody waited for: the work went on in vain. */
  wentOnInVain = false;

  constructor(client: PoolClient, statements: NamedStatements, lanes: Lanes, isPatient: boolean) {
    this.#client = client;
    this.#statements = statements;
    this.#lanes = lanes;
    this.#isPatient = isPatient;
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

  send(query: Sql | Statement): Promise<Row[]> | null {
    if (this.#isPatient) return null;
    const statement = query instanceof Sql ? renderPostgres(query) : query;
    // The commit would go without a statement that has a value which the driver cannot send.
    if (!statement.values.every((value) => value === null || PLAIN.has(typeof value))) return null;
    const rows = this.all(statement);
    this.#sent.push(
      rows.then(
        () => {},
        () => {
          this.wentOnInVain = true;
        },
      ),
    );
    return rows;
  }

  /** Resolves when all statements of `send` are answered. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent);
  }

  async takeTurn(name: string): Promise<void> {
    if (!this.#client) throw new Error('this transaction has ended');
    let turn = this.#turns.get(name);
    if (!turn) {
      turn = this.#lanes.enter(name);
      this.#turns.set(name, turn);
    }
    await turn;
  }

  withNext(go: () => void): void {
    this.#withNext.push(go);
  }

  /** Ends the turns, also those that have not come yet. */
  leaveTurns(): void {
    for (const turn of this.#turns.values()) void turn.then((leave) => leave());
  }

  /** Refuses further statements. */
  end(): void {
    this.#client = null;
  }

  /** True after the first statement was sent. */
  get begun(): boolean {
    return this.#begun !== null;
  }

  async #query(query: Sql | Statement, most?: number): Promise<QueryResult<Row>> {
    const client = this.#client;
    if (!client) throw new Error('this transaction has ended');
    if (this.failure !== null) throw databaseError(this.failure);
    try {
      if (!this.#begun) {
        // Sent together with the next statement: the connection is pipelined.
        this.#begun = client.query('begin isolation level read committed');
        this.#begun.catch(() => {});
      }
      const statement = query instanceof Sql ? renderPostgres(query) : query;
      const answer = this.#statements.query(client, statement, most);
      answer.catch(() => {});
      for (const go of this.#withNext.splice(0)) go();
      await this.#begun;
      return await answer;
    } catch (error) {
      this.failure ??= error;
      throw databaseError(error);
    }
  }
}
