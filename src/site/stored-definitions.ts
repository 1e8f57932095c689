import type { Connection, Row } from '../db/database.ts';
import { ident, join, sql } from '../db/sql.ts';
import type { DocField, DocPerm, DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { isRecord } from '../kernel/value.ts';
import { insertRows, type RawRow, type Stamp } from './raw-rows.ts';

/** A definition as it is written in a file or comes from the tables: JSON in the DocType document's shape. */
export type Definition = Readonly<Record<string, unknown>>;

/** Every definition in the tables, in the order of names, child rows in their own order. */
export async function readStoredDefinitions(
  connection: Connection,
  meta: DoctypeRegistry,
): Promise<Definition[]> {
  const doctype = meta.get('DocType');
  const parents = await connection.all(sql`select ${columnsOf(doctype)} from "DocType" order by "name"`);
  const definitions = new Map(
    parents.map((row) => [String(row['name']), { ...row } as Record<string, unknown>]),
  );
  for (const table of doctype.tables) {
    const child = meta.get(table.options);
    const rows = await connection.all(
      sql`select ${columnsOf(child)} from ${ident(child.name)}
          where "parenttype" = 'DocType' and "parentfield" = ${table.fieldname} order by "parent", "idx"`,
    );
    const byParent = Map.groupBy(rows, (row: Row) => String(row['parent']));
    for (const [name, definition] of definitions) definition[table.fieldname] = byParent.get(name) ?? [];
  }
  return [...definitions.values()];
}

/**
 * Writes a definition into the tables, in place of the stored one. What parsing understands is written as parsed
 * (defaults applied, fieldnames derived), everything else as the file says.
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
    [{ ...written, ...flat(parsed), sort_order: parsed.sort_order.toUpperCase() }],
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
    // Parsing may add fields at the end, such as amended_from.
    const understood = parsedRows(parsed, table.fieldname);
    await insertRows(
      connection,
      child,
      Array.from({ length: Math.max(rows.length, understood.length) }, (_, index) => ({
        ...rows[index],
        ...understood[index],
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

function columnsOf(doctype: DocType) {
  return join(doctype.columns.map((column) => ident(column.fieldname)));
}

function parsedRows(parsed: DocType, fieldname: string): readonly RawRow[] {
  if (fieldname === 'fields') return parsed.fields.map((field: DocField) => flat(field));
  if (fieldname === 'permissions') return parsed.permissions.map(permissionRow);
  return [];
}

function permissionRow({ rights, ...rest }: DocPerm): RawRow {
  return { ...rest, ...Object.fromEntries([...rights].map((right) => [right, 1])) };
}

// The scalar properties only; the derived maps of a DocType are no columns.
function flat(value: object): RawRow {
  return Object.fromEntries(
    Object.entries(value).filter(([, inner]) => typeof inner !== 'object' || inner === null),
  );
}
