import { createHash } from 'node:crypto';
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { Recent } from '../../kernel/recent.ts';
import type { Row } from '../database.ts';
import { preparedError } from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import { boundedTypes } from './types.ts';

/** The most texts remembered, and the most statements prepared on one server connection. */
const REMEMBERED = 500;
const PREPARED = 1_000;

/**
 * The named prepared statements of one connection. A text gets its name at the second use, so that one-off
 * queries do not accumulate in the server.
 */
export class NamedStatements {
  readonly #names = new Recent<string>(REMEMBERED);
  #prepared = 0;

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
      throw config.name === undefined ? error : preparedError(error);
    }
  }

  /** The argument of the driver's `query`. */
  config({ text, values }: Statement, most?: number): QueryConfig {
    const config: QueryConfig = { text, values: values as unknown[] };
    if (most !== undefined) config.types = boundedTypes(most);
    let name = this.#names.get(text);
    if (name === undefined) {
      this.#names.set(text, '');
      return config;
    }
    if (name === '') {
      name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
      this.#names.set(text, name);
      this.#prepared += 1;
    }
    return { ...config, name };
  }
}
