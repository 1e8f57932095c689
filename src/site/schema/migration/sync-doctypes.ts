import type { Connection, Database } from '../../../db/database.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { NO_CUSTOMIZATIONS } from '../../../doctype/merge-definition.ts';
import { buildRegistry } from '../../../doctype/registry.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Observer } from '../../../kernel/observation.ts';
import { changingUserTypes, followRoles } from '../../../standard/user-type.ts';
import {
  loadSettings,
  raiseDoctypeVersion,
  type SiteSettings,
  writeSetting,
} from '../../settings/settings-table.ts';
import { StartError } from '../../start-error.ts';
import { dropAbandoned } from '../definitions/abandoned.ts';
import { customizationsOf, loadCustomizations } from '../definitions/customizations.ts';
import {
  changedApps,
  type DefinedApp,
  META,
  type OwnerOf,
  ownerOf,
  PLAN_VERSION,
} from '../definitions/defined-apps.ts';
import { checkKnownKeys, notesOn } from '../definitions/definition-keys.ts';
import { loadRegistry, parseMerged } from '../definitions/load-registry.ts';
import { insertRows, type Stamp } from '../definitions/raw-rows.ts';
import { type Definition, eachStoredDefinition, writeDefinition } from '../definitions/stored-definitions.ts';
import { areIndexesPending, buildIndexes, INDEXES_PENDING, leaveIndexes } from './build-indexes.ts';
import { changesNow, changeTable } from './change-table.ts';
import { type Before, beforeOfDefinition, checkStored } from './check-stored.ts';
import { openedFields } from './opened-fields.ts';
import { skipPatches } from './patches.ts';
import { tellProgress, type Work, workOf } from './tell-progress.ts';

// Roles without access to the desk.
const DESKLESS: ReadonlySet<string> = new Set(['All', 'Guest']);
/** Roles that exist on every site. */
const ROLES = ['Administrator', 'System Manager', 'Desk User', 'All', 'Guest'];

export interface SyncNeeds {
  readonly database: Database;
  /** A connection to the same database for slow work; close it afterwards. */
  openPatiently(): Promise<Database>;
  /** The standard app first. */
  readonly apps: readonly DefinedApp[];
  readonly meta: DoctypeRegistry;
  readonly stamp: Stamp;
  readonly observe: Observer;
  /** Plan every table again, even if no definition changed. */
  readonly everything?: boolean;
  /** Drop tables and columns that no definition has. */
  readonly dataLoss?: boolean;
}

/**
 * Brings the tables in line with the apps' definitions when a definition changed since the last start:
 * everything but indexes in one transaction, then each index in its own. An interrupted start leaves a site
 * that the next start completes; two starting nodes take turns. Rejects with StartError naming every invalid
 * definition.
 */
export async function syncDoctypes(needs: SyncNeeds): Promise<void> {
  const { apps, everything = false } = needs;
  const settings = await loadSettings(needs.database.reader);
  const inStep = changedApps(apps, settings).length === 0 && !settings.has(INDEXES_PENDING);
  if (inStep && !everything) return;
  const database = await needs.openPatiently();
  try {
    await database.transaction(async (connection) => {
      await raiseDoctypeVersion(connection);
      const current = await loadSettings(connection);
      const changed = everything ? apps : changedApps(apps, current);
      if (changed.length > 0) await syncChanged(connection, needs, changed, current);
    });
    if (!(await areIndexesPending(database.reader))) return;
    const registry = await loadRegistry(database.reader, needs.meta, ownerOf(apps));
    await buildIndexes(database, registry, needs.observe, everything ? 'wait' : 'leave');
  } finally {
    await database.close();
  }
}

async function syncChanged(
  connection: Connection,
  needs: SyncNeeds,
  changed: readonly DefinedApp[],
  settings: SiteSettings,
): Promise<void> {
  const { apps, meta, stamp, observe, everything = false, dataLoss = false } = needs;
  const owner = ownerOf(apps);
  const replanned = everything || settings.get('plan_version') !== String(PLAN_VERSION);
  const isNew = ![...settings.keys()].some((key) => key.startsWith('app:'));
  let deferred = 0;
  const plan = async (doctype: DocType) => {
    const options = { isNew, deferIndexes: true, ...(dataLoss && { mayLose: () => true }) };
    const done = await changeTable(connection, doctype, options).catch(explain);
    deferred += done.deferred;
    if (done.changes > 0) {
      observe({ kind: 'schema_changed', doctype: doctype.name, changes: done.changes });
    }
  };
  // The tables of definitions come first, because the stored definitions are read with their new columns.
  for (const doctype of meta.all()) await plan(doctype);
  if (dataLoss) await dropAbandoned(connection, meta, owner, observe);
  const before = new Map<string, Before>();
  const stored = isNew ? [] : noting(before, eachStoredDefinition(connection, meta));
  const written = writtenBy(changed);
  const doctypes = await wantedDoctypes(connection, meta, stored, written, owner);
  const redefined = doctypes.filter(({ name }) => written.has(name));
  const notes = [...notesOn(redefined, changed, meta), ...(isNew ? [] : openedFields(doctypes, settings))];
  for (const message of notes) observe({ kind: 'warning', message });
  const others = doctypes.filter(({ name }) => (written.has(name) || replanned) && !META.includes(name));
  const tell = tellProgress(isNew ? [] : await tableWork(connection, others), observe);
  for (const doctype of others) {
    tell(doctype.name);
    const was = before.get(doctype.name);
    if (was) await checkStored(connection, was, doctype);
    await plan(doctype);
  }
  // After all tables: a change of the schema drops the prepared statements.
  for (const { name } of redefined) {
    // Without the site's customizations, which are stored separately.
    const definition = written.get(name);
    if (!definition) continue;
    const own = meta.find(name) ?? parseMerged(definition, NO_CUSTOMIZATIONS, owner);
    await writeDefinition(connection, meta, own, definition, stamp);
  }
  const registry = buildRegistry(doctypes, 0);
  await ensureRoles(connection, registry, stamp);
  if (!isNew) {
    for (const message of await changingUserTypes(connection)) observe({ kind: 'warning', message });
    await followRoles(connection);
  }
  const added = changed.filter(({ app }) => !settings.has(`app:${app.name}`)).map(({ app }) => app);
  await skipPatches(connection, registry, added, stamp);
  for (const { app, digest } of changed) await writeSetting(connection, `app:${app.name}`, digest);
  if (replanned) await writeSetting(connection, 'plan_version', String(PLAN_VERSION));
  if (deferred > 0) await leaveIndexes(connection);
}

/** The work on the rows of large tables, without the indexes that are built afterwards. */
async function tableWork(connection: Connection, doctypes: readonly DocType[]): Promise<readonly Work[]> {
  const work: Work[] = [];
  for (const doctype of doctypes) {
    const part = await workOf(connection, doctype.name, await changesNow(connection, doctype));
    if (part) work.push(part);
  }
  return work;
}

async function* noting(
  before: Map<string, Before>,
  stored: AsyncIterable<Definition>,
): AsyncGenerator<Definition> {
  for await (const definition of stored) {
    before.set(String(definition['name']), beforeOfDefinition(definition));
    yield definition;
  }
}

function explain(error: unknown): never {
  if (!(error instanceof ServiceError) || error.status !== 417) throw error;
  const problems = error.details.messages ?? [error.message];
  throw new StartError(
    `Tables cannot follow the definitions without losing stored values:\n  ${problems.join('\n  ')}\n` +
      'chancery migrate --plan shows the changes, chancery migrate --allow-data-loss makes them.',
    { cause: error },
  );
}

/** The definitions of apps, by doctype. */
export function writtenBy(apps: readonly DefinedApp[]): ReadonlyMap<string, Definition> {
  return new Map(
    apps.flatMap(({ definitions }) =>
      definitions.map((definition) => [String(definition['name']), definition] as const),
    ),
  );
}

/**
 * The effective doctypes after the migration: the stored ones, replaced by those of the apps, with the site's
 * customizations.
 * @throws StartError naming every invalid definition
 */
export async function wantedDoctypes(
  connection: Connection,
  meta: DoctypeRegistry,
  stored: AsyncIterable<Definition> | Iterable<Definition>,
  written: ReadonlyMap<string, Definition>,
  owner: OwnerOf,
  options: { readonly unmigrated?: boolean } = {},
): Promise<readonly DocType[]> {
  const customizations = await loadCustomizations(connection, meta, options);
  await gather(written.values(), (definition) => checkKnownKeys(definition, meta, 'DocType'));
  const doctypes = await gather(
    replaced(stored, written),
    (definition) =>
      meta.find(String(definition['name'])) ??
      parseMerged(definition, customizationsOf(customizations, definition['name']), owner),
  );
  return buildRegistry(doctypes, 0).all();
}

async function* replaced(
  stored: AsyncIterable<Definition> | Iterable<Definition>,
  written: ReadonlyMap<string, Definition>,
): AsyncGenerator<Definition> {
  for await (const definition of stored) if (!written.has(String(definition['name']))) yield definition;
  yield* written.values();
}

// Users can get a role only when it exists, so each role of a permission is created.
async function ensureRoles(connection: Connection, registry: DoctypeRegistry, stamp: Stamp): Promise<void> {
  const role = registry.find('Role');
  if (!role) return;
  const named = registry.all().flatMap((doctype) => doctype.permissions.map((permission) => permission.role));
  const rows = [...new Set([...ROLES, ...named])].map((name) => ({
    name,
    role_name: name,
    desk_access: DESKLESS.has(name) ? 0 : 1,
  }));
  await insertRows(connection, role, rows, stamp);
}

// Runs a check over all definitions, so that their author sees all errors at once.
async function gather<R>(
  definitions: AsyncIterable<Definition> | Iterable<Definition>,
  check: (definition: Definition) => R,
): Promise<R[]> {
  const problems: string[] = [];
  const results: R[] = [];
  for await (const definition of definitions) {
    try {
      results.push(check(definition));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const messages = error.details.messages ?? [error.message];
      problems.push(...messages.map((message) => `${definition['name']}: ${message}`));
    }
  }
  if (problems.length > 0) throw new StartError(`Doctypes do not fit:\n  ${problems.join('\n  ')}`);
  return results;
}
