import type { Dialect } from '../db/dialect.ts';
import { EMPTY, type Sql, sql } from '../db/sql.ts';

/**
 * What other transactions must not do to the selected rows until this one ends: `stay` forbids deleting and renaming
 * them (they are link targets), `change` forbids changing them too, `remove` forbids even linking to them.
 * SQLite needs nothing: it has one writer.
 */
export function lockClause(dialect: Dialect, lock: 'stay' | 'change' | 'remove'): Sql {
  if (dialect.name === 'sqlite') return EMPTY;
  if (lock === 'stay') return sql` for key share`;
  return lock === 'change' ? sql` for no key update` : sql` for update`;
}
