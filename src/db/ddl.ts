import type { ActualTable, ColumnKind, ColumnSpec, IndexSpec, SchemaChange, TableSpec } from './dialect.ts';
import { Sql, type Statement, sql } from './sql.ts';

/** How an engine writes the parts of a schema change. Names come from metadata only, as with `ident`. */
export interface DdlStyle {
  column(column: ColumnSpec, isPrimaryKey: boolean): string;
  /** Follows the closing parenthesis of `create table`. */
  readonly tableSuffix: string;
  createIndex(table: string, index: IndexSpec): string;
  alterColumn(table: string, from: ColumnSpec, to: ColumnSpec): readonly string[];
  alterKey(table: ActualTable, to: ColumnSpec): readonly string[];
}

/** The statements of a schema change, in order. */
export function changeStatements(style: DdlStyle, change: SchemaChange): readonly Statement[] {
  return unbound(texts(style, change));
}

/** The statements that give a table's key another kind. */
export function keyStatements(style: DdlStyle, table: ActualTable, to: ColumnSpec): readonly Statement[] {
  return unbound(style.alterKey(table, to));
}

function unbound(texts: readonly string[]): readonly Statement[] {
  return texts.map((text) => ({ text, values: [] }));
}

function texts(style: DdlStyle, change: SchemaChange): readonly string[] {
  switch (change.change) {
    case 'create_table':
      return createTable(style, change.table);
    case 'add_column':
      return [`alter table ${quote(change.table)} add column ${style.column(change.column, false)}`];
    case 'alter_column':
      return style.alterColumn(change.table, change.from, change.to);
    case 'drop_column':
      return [`alter table ${quote(change.table)} drop column ${quote(change.column)}`];
    case 'rename_column':
      return [
        `alter table ${quote(change.table)} rename column ${quote(change.column)} to ${quote(change.to)}`,
      ];
    case 'create_index':
      return [style.createIndex(change.table, change.index)];
    case 'drop_index':
      return [`drop index ${quote(change.index)}`];
    case 'drop_table':
      return [`drop table ${quote(change.table)}`];
  }
}

/** The statements that create a table with its indexes. */
export function createTable(style: DdlStyle, table: TableSpec): readonly string[] {
  const columns = table.columns.map((column) => style.column(column, column.name === table.primaryKey));
  const key = `primary key (${quote(table.primaryKey)})`;
  return [
    `create table ${quote(table.name)} (${[...columns, key].join(', ')})${style.tableSuffix}`,
    ...table.indexes.map((index) => style.createIndex(table.name, index)),
  ];
}

/** A name as SQL text, quoted. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A constant of the schema as SQL text. */
export function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/** True for kinds whose text an engine may store in its own format. */
export function isTemporal(kind: ColumnKind): boolean {
  return kind === 'date' || kind === 'datetime' || kind === 'time';
}

/**
 * The constant key of a JSON object. Written as text, so that statements stay the same; an unusual key is
 * bound instead.
 */
export function jsonKey(key: string): Sql {
  return /^\w+$/.test(key) ? new Sql([{ text: `'${key}'` }]) : sql`cast(${key} as text)`;
}
