import type { Connection, Row } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** What a share may give. */
export const SHARE_RIGHTS = ['read', 'write', 'submit', 'share'] as const;
export type ShareRight = (typeof SHARE_RIGHTS)[number];

/** A User Permission: of the doctype it is about, this document. */
export interface UserPermission {
  readonly value: string;
  /** The doctype whose documents it restricts; null: every doctype's. */
  readonly applicableFor: string | null;
  readonly isDefault: boolean;
  /** Of a tree's node: without those below it. */
  readonly hideDescendants: boolean;
}

/** What a user has beside roles. */
export interface Grants {
  /** User Permissions, by the doctype of their document. */
  readonly permissions: ReadonlyMap<string, readonly UserPermission[]>;
  /** What shares give on some document, by doctype. Which documents, their rows say. */
  readonly shares: ReadonlyMap<string, ReadonlySet<ShareRight>>;
  /** A link that is empty is not in anybody's User Permissions. */
  readonly strict: boolean;
  /** The same text for the same grants. */
  readonly mark: string;
}

/**
 * What a user has beside roles, in one statement; null when that is nothing. `strict` is the site's setting. `last` comes
 * back when nothing changed: what was decided by it is remembered by that object.
 */
export async function loadGrants(
  connection: Connection,
  user: string,
  strict: boolean,
  last: Grants | null = null,
): Promise<Grants | null> {
  const rows = await connection.all(
    sql`select "allow" as "doctype", "for_value" as "value", "applicable_for" as "for",
          "is_default" as "a", "hide_descendants" as "b", 0 as "c", 0 as "d" from "User Permission" where "user" = ${user}
        union all
        select "share_doctype", null, null, max("read"), max("write"), max("submit"), max("share") from "DocShare"
          where "user" = ${user} or "everyone" = 1 group by "share_doctype"`,
  );
  return rows.length === 0 ? null : grantsOf(rows, strict, last);
}

function grantsOf(rows: readonly Row[], strict: boolean, last: Grants | null): Grants {
  const mark = rows
    .map((row) => JSON.stringify(Object.values(row)))
    .sort()
    .join();
  if (last?.mark === mark && last.strict === strict) return last;
  const permissions = new Map<string, UserPermission[]>();
  const shares = new Map<string, Set<ShareRight>>();
  for (const row of rows) {
    const doctype = String(row['doctype']);
    if (row['value'] === null) {
      const [a, b, c, d] = [row['a'], row['b'], row['c'], row['d']];
      shares.set(doctype, new Set(SHARE_RIGHTS.filter((_, index) => [a, b, c, d][index] === 1)));
      continue;
    }
    const found = permissions.get(doctype) ?? [];
    permissions.set(doctype, found);
    found.push({
      value: String(row['value']),
      applicableFor: row['for'] === null ? null : String(row['for']),
      isDefault: row['a'] === 1,
      hideDescendants: row['b'] === 1,
    });
  }
  return { permissions, shares, strict, mark };
}
