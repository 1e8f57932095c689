import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { ChildRow, Document } from '../doctype/doctype.ts';
import { allowedValue, sharedNames } from './row-filter.ts';
import type { Restriction, RowRule } from './row-rule.ts';

/** Whether a rule gives its user access to one document, and the reason. */
export type RightVerdict =
  | { readonly allowed: true; readonly by: 'role' | 'owner' | 'share' }
  | {
      readonly allowed: false;
      /** The restriction that refused a role's access; null where no role reaches the document. */
      readonly restriction: Restriction | null;
      /** The value of the restricted field; null when it is empty. */
      readonly value: string | null;
    };

/**
 * Checks one document and its rows against the rule of lists. Queries the database only for trees and shares,
 * so a document that is not stored yet gets the same verdict.
 */
export async function judge(connection: Connection, rule: RowRule, doc: Document): Promise<RightVerdict> {
  const broken = rule.all ? await brokenRestriction(connection, rule, doc) : NOT_REACHED;
  if (broken === null) return { allowed: true, by: 'role' };
  if (rule.own && doc.owner === rule.user) return { allowed: true, by: 'owner' };
  if (rule.shared && (await isShared(connection, rule, doc))) return { allowed: true, by: 'share' };
  return { allowed: false, ...broken };
}

interface Broken {
  readonly restriction: Restriction | null;
  readonly value: string | null;
}

const NOT_REACHED: Broken = { restriction: null, value: null };

async function brokenRestriction(
  connection: Connection,
  rule: RowRule,
  doc: Document,
): Promise<Broken | null> {
  for (const restriction of rule.restrictions) {
    for (const value of restrictedValues(doc, restriction)) {
      const passes =
        value === null
          ? restriction.orEmpty
          : restriction.values.includes(value) || (await isBelow(connection, restriction, value));
      if (!passes) return { restriction, value };
    }
  }
  return null;
}

function restrictedValues(doc: Document, { table, fieldname }: Restriction): readonly (string | null)[] {
  if (!table) return [nameOrNull(doc[fieldname])];
  const rows = doc[table.fieldname];
  return Array.isArray(rows) ? rows.map((row: ChildRow) => nameOrNull(row[fieldname])) : [];
}

function nameOrNull(value: unknown): string | null {
  return value === null || value === undefined || value === '' ? null : String(value);
}

async function isBelow(connection: Connection, restriction: Restriction, value: string): Promise<boolean> {
  if (restriction.roots.length === 0) return false;
  const held = sql`${value}`;
  return (
    (await connection.get(sql`select 1 as "one" where ${allowedValue(held, restriction)}`)) !== undefined
  );
}

async function isShared(connection: Connection, rule: RowRule, doc: Document): Promise<boolean> {
  const row = await connection.get(sharedNames(rule, doc.name));
  return row !== undefined;
}
