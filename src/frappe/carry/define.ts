import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import type { Connection } from '../../db/database.ts';
import { ident, sql } from '../../db/sql.ts';
import type { Note } from '../../doctype/note.ts';
import type { Context } from '../../document/contract.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import { loadSettings, writeSetting } from '../../site/settings/settings-table.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { SourceDefinition } from '../plan/built-in.ts';
import type { SmallRow } from '../plan/read-schema.ts';
import type { SourceDefinitions } from '../plan/source-definitions.ts';

/** What became of the definitions of a source. */
export interface Defined {
  /** Oddities of doctypes. */
  readonly notes: readonly Note[];
  /** Doctypes and customizations that this site refused, each with its reason. */
  readonly refused: readonly string[];
}

/**
 * Creates the doctypes of a source in one transaction, then its customizations, and before them the roles that
 * permissions name. What is there already stays as it is, so that an interrupted import can begin again; doctypes of
 * this site's own get no customization of the source.
 */
export async function defineSource(
  site: OpenSite,
  definitions: SourceDefinitions,
  roles: readonly Readonly<Record<string, unknown>>[],
  sourceId: string,
): Promise<Defined> {
  // Before the definitions: these make roles of their own for the names in their permissions.
  await asAdministrator(site, (ctx) => createRoles(ctx, roles));
  const { notes, refused } = await createDoctypes(site, definitions.created, sourceId);
  const made = await madeDoctypes(site.database.reader, sourceId);
  const own = new Set(definitions.created.map(({ name }) => name).filter((name) => !made.has(name)));
  for (const [doctype, rows, of] of [
    ['Custom Field', definitions.customFields, 'dt'],
    ['Property Setter', definitions.propertySetters, 'doc_type'],
    ['Custom DocPerm', definitions.permissions, 'parent'],
  ] as const) {
    for (const row of rows) {
      if (own.has(String(row[of]))) continue;
      const problem = await customize(site, doctype, row);
      if (problem !== null) refused.push(`${doctype} ${row['name']}: ${problem}`);
    }
  }
  return { notes, refused };
}

/** The doctypes that imports of a source have made. */
export async function madeDoctypes(db: Connection, sourceId: string): Promise<ReadonlySet<string>> {
  const names: unknown = JSON.parse((await loadSettings(db)).get(madeKey(sourceId)) ?? '[]');
  return new Set(Array.isArray(names) ? names.map(String) : []);
}

function madeKey(sourceId: string): string {
  return `frappe_doctypes ${sourceId}`;
}

function asAdministrator<T>(site: OpenSite, work: (ctx: Context) => Promise<T>): Promise<T> {
  return unitOfWork(site, ADMINISTRATOR, work, COMMAND_LINE);
}

/** A doctype that the site refuses is left out, and the others are created without it. */
async function createDoctypes(
  site: OpenSite,
  created: readonly SourceDefinition[],
  sourceId: string,
): Promise<{ readonly notes: readonly Note[]; readonly refused: string[] }> {
  const refused: string[] = [];
  // All came in one transaction: one that is here came with a former run, and may have changed since, or is the
  // site's own.
  let left = created.filter(({ name }) => site.doctypes.find(name) === undefined);
  for (;;) {
    const wanted = left;
    try {
      const { notes } = await asAdministrator(site, async (ctx) => {
        const loaded = await site.loadDoctypes(ctx, wanted);
        const made = new Set([...(await madeDoctypes(ctx.db, sourceId)), ...wanted.map(({ name }) => name)]);
        await writeSetting(ctx.db, madeKey(sourceId), JSON.stringify([...made]));
        return loaded;
      });
      return { notes, refused };
    } catch (error) {
      // The message begins with the doctype, the longest one of those that it may mean.
      if (!(error instanceof ServiceError)) throw error;
      const named = left.filter(({ name }) => error.message.includes(name));
      const [bad] = named.toSorted((one, other) => other.name.length - one.name.length);
      if (!bad) throw error;
      refused.push(error.message);
      left = left.filter((definition) => definition !== bad);
    }
  }
}

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

/** Resolves to the reason of a refusal; null when the customization is there. */
async function customize(site: OpenSite, doctype: string, row: SmallRow): Promise<string | null> {
  const entries = Object.entries(row).filter(([key]) => !FOREIGN.has(key) && !key.startsWith('_'));
  try {
    await asAdministrator(site, async (ctx) => {
      if (
        doctype === 'Custom DocPerm'
          ? await isPermitted(ctx, row)
          : await exists(ctx, doctype, String(row['name']))
      )
        return;
      // Makes oddities of definitions notes in this transaction.
      await site.loadDoctypes(ctx, []);
      await createDocument(ctx, doctype, Object.fromEntries(entries) as Fields);
    });
    return null;
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return error.message;
    throw error;
  }
}

/** A permission gets a name of its own here, so it is known by what it is about. */
async function isPermitted(ctx: Context, row: SmallRow): Promise<boolean> {
  const flag = (column: string) => Number(row[column] ?? 0);
  const found = await ctx.db.get(
    sql`select 1 as "found" from "Custom DocPerm" where "parent" = ${String(row['parent'])}
        and "role" = ${String(row['role'])} and "permlevel" = ${flag('permlevel')} and "if_owner" = ${flag('if_owner')}`,
  );
  return found !== undefined && found !== null;
}

async function exists(ctx: Context, doctype: string, name: string): Promise<boolean> {
  const row = await ctx.db.get(sql`select 1 as "found" from ${ident(doctype)} where "name" = ${name}`);
  return row !== undefined && row !== null;
}
