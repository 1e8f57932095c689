import type { Dialect } from '../db/dialect.ts';
import { EMPTY, Sql, type Statement, sql } from '../db/sql.ts';
import { datetime } from '../db/table-spec.ts';

/**
 * `_load_row`, the ledger of loads: one row for each applied record, written in the transaction of its document.
 * `before` is the JSON of the former document; null for a new one. `revision` is that of the document after the load.
 *
 * `_load_problem`, their log. `run` keeps two runs of a load apart, which count in `seq` on their own.
 */
export function loadTables(dialect: Dialect): readonly (Sql | Statement)[] {
  const string = new Sql([{ text: dialect.columnType('text') }]);
  const integer = new Sql([{ text: dialect.columnType('integer') }]);
  const strict = dialect.name === 'sqlite' ? sql` strict` : EMPTY;
  const rows = dialect.name === 'sqlite' ? sql` strict, without rowid` : EMPTY;
  return [
    sql`create table "_load_row" (
      "load" ${string} not null, "doctype" ${string} not null, "key" ${string} not null, "seq" ${integer} not null,
      "row" ${integer} not null, "hash" ${string} not null, "action" ${string} not null, "name" ${string} not null,
      "revision" ${integer} not null, "before" ${string},
      primary key ("load", "doctype", "key"))${rows}`,
    sql`create index "_ix_load_row_seq" on "_load_row" ("load", "seq")`,
    sql`create table "_load_problem" (
      "load" ${string} not null, "kind" ${string} not null, "seq" ${integer} not null, "run" ${string} not null,
      "doctype" ${string} not null, "key" ${string} not null, "row" ${integer} not null, "field" ${string} not null,
      "value" ${string} not null, "reason" ${string} not null,
      primary key ("load", "kind", "seq", "run"))${strict}`,
  ];
}

/** `creation` is that of the document after the load: it tells it from a later one of its name. */
export function loadCreation(dialect: Dialect): readonly (Sql | Statement)[] {
  return dialect.changeSql({ change: 'add_column', table: '_load_row', column: datetime('creation') });
}

/** Finds the entries of a document. */
export function loadNameIndex(): readonly Sql[] {
  return [sql`create index "_ix_load_row_name" on "_load_row" ("load", "doctype", "name")`];
}
