import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import { ident, sql } from '../../db/sql.ts';
import type { Note } from '../../doctype/note.ts';
import type { Context } from '../../document/contract.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { errorAbout, ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { SmallRow } from '../plan/read-schema.ts';
import type { SourceDefinitions } from '../plan/source-definitions.ts';

/**
 * Creates the doctypes of a source with their customizations, and the roles that their permissions name, in one
 * transaction. What is there already is left or brought up to date, so that an interrupted import can begin again.
 */
export function defineSource(
  site: OpenSite,
  definitions: SourceDefinitions,
  roles: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly Note[]> {
  return unitOfWork(
    site,
    ADMINISTRATOR,
    async (ctx) => {
      await createRoles(ctx, roles);
      const { notes } = await site.loadDoctypes(ctx, definitions.created);
      for (const row of definitions.customFields) await customize(ctx, 'Custom Field', row);
      for (const row of definitions.propertySetters) await customize(ctx, 'Property Setter', row);
      for (const row of definitions.permissions) await customize(ctx, 'Custom DocPerm', row);
      return notes;
    },
    COMMAND_LINE,
  );
}

// Before the definitions: these make roles of their own for the names in their permissions.
async function createRoles(ctx: Context, roles: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  for (const row of roles) {
    const name = String(row['name']);
    if (await exists(ctx, 'Role', name)) continue;
    const flag = (column: string, otherwise: number) => Number(row[column] ?? otherwise);
    const fields = { role_name: name, desk_access: flag('desk_access', 1), disabled: flag('disabled', 0) };
    await createDocument(ctx, 'Role', fields);
  }
}

const FOREIGN = new Set(['owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx', '_last_update']);

async function customize(ctx: Context, doctype: string, row: SmallRow): Promise<void> {
  const name = String(row['name']);
  if (await exists(ctx, doctype, name)) return;
  const entries = Object.entries(row).filter(([key]) => !FOREIGN.has(key) && !key.startsWith('_'));
  try {
    await createDocument(ctx, doctype, Object.fromEntries(entries) as Fields);
  } catch (error) {
    throw error instanceof ServiceError ? errorAbout(error, `${doctype} ${name}`, name) : error;
  }
}

async function exists(ctx: Context, doctype: string, name: string): Promise<boolean> {
  const row = await ctx.db.get(sql`select 1 as "found" from ${ident(doctype)} where "name" = ${name}`);
  return row !== undefined && row !== null;
}
