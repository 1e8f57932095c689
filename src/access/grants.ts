import type { Connection, Row } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** The rights that a share can give. */
export const SHARE_RIGHTS = ['read', 'write', 'submit', 'share'] as const;
export type ShareRight = (typeof SHARE_RIGHTS)[number];

/** A User Permission: allows this document of its doctype. */
export interface UserPermission {
  readonly value: string;
  /** The restricted doctype; null: every doctype. */
  readonly applicableFor: string | null;
  readonly isDefault: boolean;
  /** For a node of a tree: excludes its descendants. */
  readonly hideDescendants: boolean;
}

/** A user's grants besides roles. */
export interface Grants {
  /** User Permissions by the doctype of the allowed document. */
  readonly permissions: ReadonlyMap<string, readonly UserPermission[]>;
  /**
   * Rights that shares give on at least one document, by doctype. The rows of DocShare name the documents.
   */
  readonly shares: ReadonlyMap<string, ReadonlySet<ShareRight>>;
  /** User Permissions also restrict documents with an empty link. */
  readonly strict: boolean;
  /** Equal grants have equal marks. */
  readonly mark: string;
}

/**
 * Loads a user's grants besides roles in one statement; null when there are none. `strict` is the site's
 * setting. Returns `last` when nothing changed, because decisions are cached by that object.
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
