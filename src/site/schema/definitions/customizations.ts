import type { Connection, Row } from '../../../db/database.ts';
import { ident, sql } from '../../../db/sql.ts';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import { type Customizations, NO_CUSTOMIZATIONS } from '../../../doctype/merge-definition.ts';
import { wholeDefinition } from '../../../doctype/other-properties.ts';
import { columnsOf, type Definition, isOne, type ReadOptions } from './stored-definitions.ts';

/** Custom fields, property setters and permissions, by the name of the doctype they belong to. */
export type CustomizationsByDoctype = ReadonlyMap<string, Customizations>;

/** Every customization of the site, or of one doctype, oldest first. */
export async function loadCustomizations(
  connection: Connection,
  meta: DoctypeRegistry,
  options: ReadOptions = {},
): Promise<CustomizationsByDoctype> {
  const fields = await readRows(connection, meta, 'Custom Field', 'dt', options);
  const setters = await readRows(connection, meta, 'Property Setter', 'doc_type', options);
  const permissions = await readRows(connection, meta, 'Custom DocPerm', 'parent', options);
  const names = new Set([...fields.keys(), ...setters.keys(), ...permissions.keys()]);
  return new Map(
    [...names].map((name) => [
      name,
      {
        fields: fields.get(name) ?? [],
        setters: setters.get(name) ?? [],
        permissions: permissions.get(name) ?? [],
      },
    ]),
  );
}

/** The customizations of one doctype, out of those that `loadCustomizations` found. */
export function customizationsOf(found: CustomizationsByDoctype, doctypeName: unknown): Customizations {
  return found.get(String(doctypeName)) ?? NO_CUSTOMIZATIONS;
}

async function readRows(
  connection: Connection,
  meta: DoctypeRegistry,
  doctypeName: 'Custom Field' | 'Property Setter' | 'Custom DocPerm',
  of: 'dt' | 'doc_type' | 'parent',
  options: ReadOptions,
): Promise<Map<string, Definition[]>> {
  const { only } = options;
  const columns = await columnsOf(connection, meta.get(doctypeName), options);
  if (!columns) return new Map();
  const rows = await connection.all(
    sql`select ${columns} from ${ident(doctypeName)} where ${isOne(of, only)} order by "creation", "name"`,
  );
  const groups = Map.groupBy(rows, (row: Row) => String(row[of]));
  return new Map([...groups].map(([name, group]) => [name, group.map((row) => wholeDefinition(row))]));
}
