import type { Dialect } from '../db/dialect.ts';
import { EMPTY, Sql, type Statement, sql } from '../db/sql.ts';

/**
 * `_load_row`, the ledger of loads: one row for each applied record, written in the transaction of its document.
 * `before` is the JSON of the former document; null for a new one. `revision` is that of the document after the load.
 *
 * `_load_problem`, their log. `run` keeps two runs of a load apart, which count in `seq` on their own.
 */
export function loadTables(dialect: Dialect): readonly (Sql | Statement)[] {
  const text = new Sql([{ text: dialect.columnType('text') }]);
  const integer = new Sql([{ text: dialect.columnType('integer') }]);
  const strict = dialect.name === 'sqlite' ? sql` strict` : EMPTY;
  const rows = dialect.name === 'sqlite' ? sql` strict, without rowid` : EMPTY;
  return [
    sql`create table "_load_row" (
      "load" ${text} not null, "doctype" ${text} not null, "key" ${text} not null, "seq" ${integer} not null,
      "row" ${integer} not null, "hash" ${text} not null, "action" ${text} not null, "name" ${text} not null,
      "revision" ${integer} not null, "before" ${text},
      primary key ("load", "doctype", "key"))${rows}`,
    sql`create index "_ix_load_row_seq" on "_load_row" ("load", "seq")`,
    sql`create table "_load_problem" (
      "load" ${text} not null, "kind" ${text} not null, "seq" ${integer} not null, "run" ${text} not null,
      "doctype" ${text} not null, "key" ${text} not null, "row" ${integer} not null, "field" ${text} not null,
      "value" ${text} not null, "reason" ${text} not null,
      primary key ("load", "kind", "seq", "run"))${strict}`,
  ];
}

/** Finds the entries of a document. */
export function loadNameIndex(): readonly Sql[] {
  return [sql`create index "_ix_load_row_name" on "_load_row" ("load", "doctype", "name")`];
}
