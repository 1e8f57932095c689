import { createHash } from 'node:crypto';
import type { QueryConfig } from 'pg';
import { Recent } from '../recent.ts';
import type { Statement } from '../sql.ts';
import { boundedTypes } from './types.ts';

/** Texts remembered, and statements one server connection keeps prepared, at most. */
const REMEMBERED = 500;
const PREPARED = 1_000;

/**
 * Which statements of one connection are prepared under a name. A text gets its name at the second use, so that
 * queries of a shape never seen again do not pile up in the server.
 */
export class NamedStatements {
  readonly #names = new Recent<string>(REMEMBERED);
  #prepared = 0;

  /** The connection holds as many prepared statements as it may; it should be replaced. */
  get full(): boolean {
    return this.#prepared >= PREPARED;
  }

  /** What the driver's `query` takes. `most`: characters that the texts of its rows may have together. */
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
