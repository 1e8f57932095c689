import type { Dialect } from '../db/dialect.ts';
import { EMPTY, type Sql, sql } from '../db/sql.ts';

/**
 * What other transactions must not do to the selected rows until this one ends: `stay` forbids deleting and renaming
 * them (they are link targets), `keep` and `change` forbid changing them too (`keep` for any number of transactions at a
 * time), `remove` forbids even linking to them.
 * SQLite needs nothing: it has one writer.
 */
export function lockClause(dialect: Dialect, lock: 'stay' | 'keep' | 'change' | 'remove'): Sql {
  if (dialect.name === 'sqlite') return EMPTY;
  if (lock === 'stay') return sql` for key share`;
  if (lock === 'keep') return sql` for share`;
  return lock === 'change' ? sql` for no key update` : sql` for update`;
}
