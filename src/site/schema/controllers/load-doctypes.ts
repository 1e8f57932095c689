import { setImmediate } from 'node:timers/promises';
import { sql } from '../../../db/sql.ts';
import type { Note } from '../../../doctype/note.ts';
import type { Context } from '../../../document/contract.ts';
import { createDocument } from '../../../document/verbs/create.ts';
import { updateDocument } from '../../../document/verbs/update.ts';
import { errorAbout, ServiceError } from '../../../kernel/errors.ts';
import { isRecord } from '../../../kernel/value.ts';
import type { Metadata } from '../definitions/metadata.ts';
import type { Definition } from '../definitions/stored-definitions.ts';
import { type DoctypeTurn, takeTurn } from './doctype-turn.ts';

/** The outcome of a batch of definitions. */
export interface LoadedDoctypes {
  /** Names, in the order of the batch. */
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly notes: readonly Note[];
}

/**
 * Creates or updates the doctypes of these definitions in the transaction of `ctx`, and the roles of their
 * permissions. Definitions may refer to each other in any order, and oddities become notes. Doctypes of the
 * server and of its apps stay as they are.
 * @throws ServiceError PermissionError, ValidationError naming the first definition that cannot be loaded
 */
export async function loadDoctypes(
  ctx: Context,
  metadata: Metadata,
  definitions: readonly Definition[],
): Promise<LoadedDoctypes> {
  const names = namesOf(definitions);
  const turn = await takeTurn(ctx, metadata);
  turn.isLenient = true;
  await createRoles(ctx, definitions);
  const [created, updated, notes]: [string[], string[], Note[]] = [[], [], []];
  for (const [index, definition] of definitions.entries()) {
    // A batch takes seconds, and SQLite answers at once: other requests have their turn in between.
    await setImmediate();
    const name = names[index] ?? '';
    const reason = whyIgnored(turn, name, definition);
    if (reason !== null) notes.push({ doctype: name, message: `${reason}; this definition is ignored` });
    else if (await put(ctx, turn, name, definition)) created.push(name);
    else updated.push(name);
  }
  for (const name of [...created, ...updated]) notes.push(...turn.registry.get(name).notes);
  return { created, updated, notes };
}

function namesOf(definitions: readonly Definition[]): string[] {
  const names = definitions.map(({ name, doctype = 'DocType' }, index) => {
    if (typeof name === 'string' && name.trim() !== '' && doctype === 'DocType') return name.trim();
    throw new ServiceError('ValidationError', `Definition ${index + 1} is not a DocType with a name`);
  });
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return names;
  throw new ServiceError('ValidationError', `DocType ${twice} is defined more than once`);
}

function whyIgnored(turn: DoctypeTurn, name: string, definition: Definition): string | null {
  const existing = turn.find(name);
  if (existing?.app === 'standard') return 'it belongs to Chancery itself';
  if (existing && existing.app !== '') return `it is defined by the app ${existing.app}`;
  const isVirtual = definition['is_virtual'] === 1 || definition['is_virtual'] === true;
  return isVirtual && !existing ? "a virtual doctype needs an app's controller" : null;
}

// Keys that describe the document in the file's own site.
const FOREIGN = ['doctype', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx'];

/** Resolves to true when the doctype is new. */
async function put(ctx: Context, turn: DoctypeTurn, name: string, definition: Definition): Promise<boolean> {
  const fields = Object.fromEntries(Object.entries(definition).filter(([key]) => !FOREIGN.includes(key)));
  const isNew = turn.find(name) === undefined;
  try {
    if (isNew) await createDocument(ctx, 'DocType', { ...fields, name });
    else await updateDocument(ctx, 'DocType', name, fields);
  } catch (error) {
    throw error instanceof ServiceError ? errorAbout(error, `DocType ${name}`, name) : error;
  }
  return isNew;
}

async function createRoles(ctx: Context, definitions: readonly Definition[]): Promise<void> {
  const rows = await ctx.db.all(sql`select "name" from "Role"`);
  const known = new Set(rows.map((row) => row['name']));
  for (const { permissions } of definitions) {
    for (const row of Array.isArray(permissions) ? permissions : []) {
      const role = isRecord(row) ? row['role'] : undefined;
      if (typeof role !== 'string' || role.trim() === '' || known.has(role.trim())) continue;
      known.add(role.trim());
      await createDocument(ctx, 'Role', { role_name: role.trim(), desk_access: 1 });
    }
  }
}
