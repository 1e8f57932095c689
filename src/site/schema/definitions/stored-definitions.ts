import type { Connection, Row } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import { ident, join, type Sql, sql } from '../../../db/sql.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import {
  OTHER_PROPERTIES,
  otherProperties,
  renderOtherProperties,
  wholeDefinition,
} from '../../../doctype/other-properties.ts';
import { isRecord } from '../../../kernel/value.ts';
import { insertRows, type RawRow, type Stamp } from './raw-rows.ts';

/** A definition from a file or from the tables: JSON in the form of a DocType document. */
export type Definition = Readonly<Record<string, unknown>>;

export interface ReadOptions {
  /** Reads these doctypes only. */
  readonly only?: readonly string[];
  /** The tables may lack columns and child tables of this version, because no migration has run yet. */
  readonly unmigrated?: boolean;
}

/** The definitions in the tables, ordered by name, with child rows in their order, in the form of files. */
export async function loadStoredDefinitions(
  connection: Connection,
  meta: DoctypeRegistry,
  options: ReadOptions = {},
): Promise<Definition[]> {
  const doctype = meta.get('DocType');
  const { only } = options;
  const columns = await columnsOf(connection, doctype, options);
  if (!columns) return [];
  const parents = await connection.all(
    sql`select ${columns} from "DocType" where ${isOne('name', only)} order by "name"`,
  );
  const definitions = new Map(
    parents.map((row) => [String(row['name']), { ...row } as Record<string, unknown>]),
  );
  for (const table of doctype.tables) {
    const child = meta.get(table.options);
    const childColumns = await columnsOf(connection, child, options);
    if (!childColumns) continue;
    const rows = await connection.all(
      sql`select ${childColumns} from ${ident(child.name)}
          where "parenttype" = 'DocType' and "parentfield" = ${table.fieldname} and ${isOne('parent', only)}
          order by "parent", "idx"`,
    );
    const byParent = Map.groupBy(rows, (row: Row) => String(row['parent']));
    for (const [name, definition] of definitions) definition[table.fieldname] = byParent.get(name) ?? [];
  }
  return [...definitions.values()].map(wholeDefinition);
}

/** Definitions in memory at a time: as rows they take ten times as much as parsed. */
const AT_ONCE = 50;

/** Each definition in the tables, ordered by name, in portions. */
export async function* eachStoredDefinition(
  connection: Connection,
  meta: DoctypeRegistry,
): AsyncGenerator<Definition> {
  const rows = await connection.all(sql`select "name" from "DocType" order by "name"`);
  const names = rows.map((row) => String(row['name']));
  for (let start = 0; start < names.length; start += AT_ONCE) {
    yield* await loadStoredDefinitions(connection, meta, { only: names.slice(start, start + AT_ONCE) });
  }
}

/** The condition that a column names one of these doctypes. */
export function isOne(column: string, names: readonly string[] | undefined): Sql {
  return names ? sql`${ident(column)} in (${join(names.map((name) => sql`${name}`))})` : sql`1 = 1`;
}

/**
 * Writes a definition into the tables, in place of the stored one: as in the file, with its oddities, and
 * with the defaults, derived fieldnames and added fields of the parser.
 */
export async function writeDefinition(
  connection: Connection,
  meta: DoctypeRegistry,
  parsed: DocType,
  written: Definition,
  stamp: Stamp,
): Promise<void> {
  const doctype = meta.get('DocType');
  await insertRows(
    connection,
    doctype,
    [
      {
        ...flat(parsed),
        ...given(written),
        name: parsed.name,
        app: parsed.app,
        sort_order: parsed.sort_order.toUpperCase(),
        ...others(written, doctype),
      },
    ],
    stamp,
    'replace',
  );
  for (const table of doctype.tables) {
    const child = meta.get(table.options);
    await connection.run(
      sql`delete from ${ident(child.name)}
          where "parent" = ${parsed.name} and "parenttype" = 'DocType' and "parentfield" = ${table.fieldname}`,
    );
    const source = written[table.fieldname];
    const rows = Array.isArray(source) ? source.filter(isRecord) : [];
    const understood = parsedRows(parsed, table.fieldname);
    await insertRows(
      connection,
      child,
      // Parsing may append fields, such as amended_from.
      Array.from({ length: Math.max(rows.length, ...understood.keys()) }, (_, index) => ({
        ...understood.get(index + 1),
        ...given(rows[index] ?? {}),
        ...others(rows[index] ?? {}, child),
        name: undefined,
        idx: index + 1,
        parent: parsed.name,
        parentfield: table.fieldname,
        parenttype: 'DocType',
      })),
      stamp,
    );
  }
}

/** The stored columns of a doctype, for a select; null when the table does not exist yet. */
export async function columnsOf(
  connection: Connection,
  doctype: DocType,
  { unmigrated = false }: ReadOptions,
): Promise<Sql | null> {
  const wanted = doctype.columns.map((column) => column.fieldname);
  if (!unmigrated) return join(wanted.map(ident));
  const table = await describeTable(connection, doctype.name);
  if (!table) return null;
  const there = new Set(table.columns.map((column) => column.name));
  return join(wanted.filter((column) => there.has(column)).map(ident));
}

function others(source: Definition, meta: DocType): RawRow {
  return { [OTHER_PROPERTIES]: renderOtherProperties(otherProperties(source, meta)) };
}

/** By row, from 1. */
function parsedRows(parsed: DocType, fieldname: string): ReadonlyMap<number, RawRow> {
  return new Map(fieldname === 'fields' ? parsed.fields.map((field) => [field.idx, flat(field)]) : []);
}

// An empty value is none: the parser has the default.
function given(written: RawRow): RawRow {
  return Object.fromEntries(
    Object.entries(written).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );
}

// The scalar properties only; the derived maps of a DocType have no columns.
function flat(value: object): RawRow {
  return Object.fromEntries(
    Object.entries(value).filter(([, inner]) => typeof inner !== 'object' || inner === null),
  );
}
