import type { Connection, Row } from '../../../db/database.ts';
import { ident, join, sql } from '../../../db/sql.ts';
import { Definition, LENIENT, Problems } from '../../../doctype/definition.ts';
import { type DocPerm, type DocType, RIGHTS, type Right } from '../../../doctype/doctype.ts';
import { parsePermission } from '../../../doctype/parse-permission.ts';
import { META } from './defined-apps.ts';
import { isOne } from './stored-definitions.ts';

/** A Custom DocPerm with the name of its document. */
export interface CustomRow {
  readonly name: string;
  readonly row: DocPerm;
}

/** The permission rows of a doctype: those of its definition, and those of this site. */
export interface StoredRows {
  readonly shipped: readonly DocPerm[];
  /** Empty: the site follows the definition. */
  readonly custom: readonly CustomRow[];
}

/** True when a site may have its own permissions, fields and properties for a doctype. */
export function isCustomizable(doctype: DocType): boolean {
  return !META.includes(doctype.name) && !(doctype.is_virtual && doctype.app === 'standard');
}

/** The stored permission rows of these doctypes. Doctypes that describe doctypes have only those of their file. */
export async function loadPermissionRows(
  connection: Connection,
  doctypes: readonly DocType[],
): Promise<ReadonlyMap<string, StoredRows>> {
  const names = doctypes.map(({ name }) => name);
  if (names.length === 0) return new Map();
  const columns = join(['name', 'parent', 'role', 'permlevel', 'if_owner', ...RIGHTS].map(ident));
  const shipped = await connection.all(
    sql`select ${columns} from "DocPerm" where "parenttype" = 'DocType' and "parentfield" = 'permissions'
        and ${isOne('parent', names)} order by "parent", "idx"`,
  );
  const custom = await connection.all(
    sql`select ${columns} from "Custom DocPerm" where ${isOne('parent', names)} order by "creation", "name"`,
  );
  const shippedBy = Map.groupBy(shipped, ({ parent }) => String(parent));
  const customBy = Map.groupBy(custom, ({ parent }) => String(parent));
  return new Map(
    doctypes.map((doctype) => [
      doctype.name,
      {
        shipped: isCustomizable(doctype)
          ? (shippedBy.get(doctype.name) ?? []).flatMap((row) => parsed(row, doctype) ?? [])
          : doctype.permissions,
        custom: (customBy.get(doctype.name) ?? []).flatMap((stored) => {
          const row = parsed(stored, doctype);
          return row ? [{ name: String(stored['name']), row }] : [];
        }),
      },
    ]),
  );
}

function parsed(row: Row, { is_submittable }: DocType): DocPerm | null {
  return parsePermission(new Definition(row, new Problems(LENIENT), 'Permission'), is_submittable);
}

/** Identifies a row within its doctype. */
export function keyOf({ role, permlevel, if_owner }: Omit<DocPerm, 'rights'>): string {
  return JSON.stringify([role, permlevel, if_owner]);
}

/** The rights in their usual order. */
export function rightsIn(rights: ReadonlySet<Right>): Right[] {
  return RIGHTS.filter((right) => rights.has(right));
}

/** True when both grant the same. */
export function isSame(a: readonly DocPerm[], b: readonly DocPerm[]): boolean {
  const texts = (rows: readonly DocPerm[]) => rows.map((row) => keyOf(row) + rightsIn(row.rights)).sort();
  return a.length === b.length && texts(a).join() === texts(b).join();
}

/** Rows without duplicates: those of a role, level and `if_owner` add up. Ordered by level and role. */
export function mergedRows(rows: readonly DocPerm[]): DocPerm[] {
  const found = new Map<string, DocPerm>();
  for (const row of rows) {
    const other = found.get(keyOf(row));
    found.set(keyOf(row), other ? { ...row, rights: other.rights.union(row.rights) } : row);
  }
  const byName = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return [...found.values()].sort(
    (a, b) => a.permlevel - b.permlevel || byName(a.role, b.role) || Number(a.if_owner) - Number(b.if_owner),
  );
}
