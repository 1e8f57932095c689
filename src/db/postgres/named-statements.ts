import { createHash } from 'node:crypto';
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { Recent } from '../../kernel/recent.ts';
import type { Row } from '../database.ts';
import { isReadOnlyServer, isStalePlan, preparedError } from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import { breakOff } from './client.ts';
import { qualify } from './qualify.ts';
import type { Session } from './session.ts';
import { boundedTypes } from './types.ts';

/** The most texts remembered, and the most statements prepared on one server connection. */
const REMEMBERED = 500;
const PREPARED = 1_000;

/** A text of our source as it is sent. */
interface Sent {
  /** With the schema of its tables. */
  readonly text: string;
  /** Empty until the second use. */
  readonly name: string;
}

/**
 * The named prepared statements of one connection. A text gets its name at the second use, so that one-off
 * queries do not accumulate in the server.
 */
export class NamedStatements {
  readonly #sent = new Recent<Sent>(REMEMBERED);
  readonly #session: Session;
  #prepared = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** True when the connection has reached its limit of prepared statements and should be replaced. */
  get full(): boolean {
    return this.#prepared >= PREPARED;
  }

  /**
   * Sends a statement at once. `most`: the most characters in the texts of all rows.
   * @throws StalePlan when a prepared statement may no longer fit its columns
   */
  async query(client: ClientBase, statement: Statement, most?: number): Promise<QueryResult<Row>> {
    const config = this.config(statement, most);
    try {
      return await client.query<Row>(config);
    } catch (error) {
      if (isReadOnlyServer(error)) breakOff(client, error);
      if (config.name === undefined) throw error;
      const failure = preparedError(error);
      // On another connection, the pooler would give the same statement again.
      if (this.#session.isPooled && isStalePlan(failure)) this.#session.stale.set(statement.text, true);
      throw failure;
    }
  }

  /** The argument of the driver's `query`. */
  config({ text, values }: Statement, most?: number): QueryConfig {
    const sent = this.#toSend(text);
    const config: QueryConfig = { text: sent.text, values: values as unknown[] };
    if (most !== undefined) config.types = boundedTypes(most);
    return sent.name === '' ? config : { ...config, name: sent.name };
  }

  #mayPrepare(text: string): boolean {
    return this.#session.prepares && !this.#session.stale.get(text);
  }

  #toSend(text: string): Sent {
    const before = this.#sent.get(text);
    if (before && (before.name !== '' || !this.#mayPrepare(text))) return before;
    const name = before ? createHash('sha256').update(before.text).digest('base64url').slice(0, 20) : '';
    if (before) this.#prepared += 1;
    const sent = { text: before?.text ?? qualify(text, this.#session.schema), name };
    this.#sent.set(text, sent);
    return sent;
  }
}
