import type { Dialect } from '../db/dialect.ts';
import { EMPTY, type Sql, sql } from '../db/sql.ts';

/**
 * Locks the selected rows against other transactions until this one ends: `stay` forbids deleting and
 * renaming them (they are link targets), `keep` and `change` forbid changing them too (`keep` can be held by
 * any number of transactions), `remove` forbids even linking to them. SQLite needs no locks: it has a single
 * writer.
 */
export function lockClause(dialect: Dialect, lock: 'stay' | 'keep' | 'change' | 'remove'): Sql {
  if (dialect.name === 'sqlite') return EMPTY;
  if (lock === 'stay') return sql` for key share`;
  if (lock === 'keep') return sql` for share`;
  return lock === 'change' ? sql` for no key update` : sql` for update`;
}
