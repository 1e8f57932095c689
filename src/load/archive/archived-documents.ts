import type { Row } from '../../db/database.ts';
import { EMPTY, ident, join, type SqlValue, sql } from '../../db/sql.ts';
import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { isNumbered } from '../../doctype/numbered.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import type { Site } from '../../document/contract.ts';
import { layoutOf } from '../../document/layout.ts';
import { DEFINITIONS, OWN } from '../store/storable.ts';

/** Documents of one statement. */
const PAGE = 500;

/** The doctypes whose documents an archive of a site holds, by name: all with a table, but the site's own records. */
export function archivedDoctypes(doctypes: DoctypeRegistry): readonly DocType[] {
  return doctypes
    .all()
    .filter(
      ({ name, rowsFrom, istable }) =>
        rowsFrom === 'table' && !istable && !DEFINITIONS.has(name) && !OWN.has(name),
    )
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** A document in the form of a load, with the rows of its child tables. Null values are left out. */
export type ArchivedDocument = Readonly<Record<string, unknown>>;

/** All documents of a doctype as they are stored, by name, a page at a time. */
export async function* archivedPages(
  site: Site,
  doctype: DocType,
): AsyncGenerator<readonly ArchivedDocument[]> {
  const { reader } = site.database;
  const columns = [...layoutOf(doctype).columns, ...sideColumnsOf(doctype).map(({ fieldname }) => fieldname)];
  let last: SqlValue = null;
  for (;;) {
    const after = last === null ? EMPTY : sql` where "name" > ${last}`;
    const rows: Row[] = await reader.all(
      sql`select ${join(columns.map(ident))} from ${ident(doctype.name)}${after} order by "name" limit ${PAGE}`,
    );
    if (rows.length === 0) return;
    last = rows.at(-1)?.['name'] ?? null;
    const tables = await rowsOfPage(
      site,
      doctype,
      rows.map(({ name }) => String(name)),
    );
    yield rows.map((row) => {
      const document: Record<string, unknown> = { doctype: doctype.name, ...present(row) };
      if (isNumbered(doctype)) document['name'] = Number(row['name']);
      for (const [fieldname, byParent] of tables) {
        const children = byParent.get(String(row['name']));
        if (children) document[fieldname] = children;
      }
      return document;
    });
  }
}

type RowsByParent = ReadonlyMap<string, ArchivedDocument[]>;

async function rowsOfPage(
  { database, doctypes }: Site,
  doctype: DocType,
  names: readonly string[],
): Promise<ReadonlyMap<string, RowsByParent>> {
  const found = new Map<string, RowsByParent>();
  for (const { fieldname, options } of doctype.tables) {
    const child = doctypes.get(options);
    const rows = await database.reader.all(
      sql`select ${join(layoutOf(child).columns.map(ident))} from ${ident(child.name)}
          where "parent" in (${join(names.map((name) => sql`${name}`))}) and "parenttype" = ${doctype.name}
          and "parentfield" = ${fieldname} order by "parent", "idx", "name"`,
    );
    const byParent = new Map<string, ArchivedDocument[]>();
    for (const { parent, parenttype: _type, parentfield: _field, ...row } of rows) {
      const list = byParent.get(String(parent));
      if (list) list.push(present(row));
      else byParent.set(String(parent), [present(row)]);
    }
    found.set(fieldname, byParent);
  }
  return found;
}

function present(row: Row): ArchivedDocument {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
