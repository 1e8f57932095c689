import { createHash } from 'node:crypto';
import { applyChanges } from '../db/apply-changes.ts';
import type { Connection, Database } from '../db/database.ts';
import { describeTable } from '../db/describe.ts';
import type { DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { checkReferences, parseDoctype } from '../doctype/parse-doctype.ts';
import { buildRegistry } from '../doctype/registry.ts';
import { planTable, tableOf } from '../doctype/schema-plan.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Observer } from '../kernel/observation.ts';
import { isRecord } from '../kernel/value.ts';
import type { App } from './app.ts';
import { readDefinitions } from './load-app.ts';
import { skipPatches } from './patches.ts';
import { insertRows, type Stamp } from './raw-rows.ts';
import {
  raiseDoctypeVersion,
  readDoctypeVersion,
  readSettings,
  type SiteSettings,
  writeSetting,
} from './settings-table.ts';
import { StartError } from './start-error.ts';
import { type Definition, readStoredDefinitions, writeDefinition } from './stored-definitions.ts';

/** Raised when the plan made of the same definitions changes, so that existing sites plan anew. */
const PLAN_VERSION = 2;

/** The doctypes that describe doctypes: always taken from their files, everything else from the tables. */
const META = ['DocType', 'DocField', 'DocPerm'];

/** Roles that exist on every site. */
const ROLES = ['Administrator', 'System Manager', 'All', 'Guest'];

/** An app with the definitions of its folder. */
export interface DefinedApp {
  readonly app: App;
  readonly definitions: readonly Definition[];
  /** Changes whenever a definition does. */
  readonly digest: string;
}

/** Reads an app's folder of definitions. @throws StartError */
export function defineDoctypes(app: App): DefinedApp {
  const definitions = readDefinitions(app).map((definition) => {
    if (isRecord(definition) && typeof definition['name'] === 'string') return definition;
    throw new StartError(`A doctype of the app ${app.name} has no name.`);
  });
  const digest = createHash('sha256')
    .update(JSON.stringify([PLAN_VERSION, definitions]))
    .digest('hex');
  return { app, definitions, digest };
}

/** A registry of the doctypes that describe doctypes, from the standard app's files. */
export function metaRegistry(standard: DefinedApp): DoctypeRegistry {
  const definitions = standard.definitions.filter((definition) => META.includes(String(definition['name'])));
  return buildRegistry(
    definitions.map((definition) => parseDoctype(definition, standard.app.name)),
    0,
  );
}

/** @throws StartError when two apps have one name or define one doctype */
export function requireDistinctApps(apps: readonly DefinedApp[]): void {
  const names = new Set<string>();
  const owners = new Map<string, string>();
  for (const { app, definitions } of apps) {
    if (names.has(app.name)) throw new StartError(`Two apps are named ${app.name}.`);
    names.add(app.name);
    for (const name of definitions.map((definition) => String(definition['name']))) {
      const other = owners.get(name);
      if (other) throw new StartError(`The apps ${other} and ${app.name} both define the doctype ${name}.`);
      owners.set(name, app.name);
    }
  }
}

/** Which app's file defines a doctype, as far as the loaded apps go; '' for one made at run time. */
export function ownerOf(apps: readonly DefinedApp[]): (doctypeName: string) => string {
  const owners = new Map(
    apps.flatMap(({ app, definitions }) => definitions.map(({ name }) => [String(name), app.name] as const)),
  );
  return (doctypeName) => owners.get(doctypeName) ?? '';
}

export interface SyncNeeds {
  readonly database: Database;
  /** The standard app first. */
  readonly apps: readonly DefinedApp[];
  readonly meta: DoctypeRegistry;
  readonly stamp: Stamp;
  readonly observe: Observer;
  /** Plan every table again, whether or not a definition changed. */
  readonly everything?: boolean;
}

/**
 * Brings the tables in step with the apps' definitions, in one transaction, when a definition changed since the last
 * start; two nodes that start at once take turns. Rejects with StartError naming every definition that does not fit.
 */
export async function syncDoctypes(needs: SyncNeeds): Promise<void> {
  const { database, apps, everything = false } = needs;
  if (!everything && changedApps(apps, await readSettings(database.reader)).length === 0) return;
  await database.transaction(async (connection) => {
    await raiseDoctypeVersion(connection);
    const settings = await readSettings(connection);
    const changed = everything ? apps : changedApps(apps, settings);
    if (changed.length > 0) await syncChanged(connection, needs, changed, settings);
  });
}

/** The registry as the tables have it. */
export async function loadRegistry(
  connection: Connection,
  meta: DoctypeRegistry,
  owner: (doctypeName: string) => string,
): Promise<DoctypeRegistry> {
  for (;;) {
    const version = await readDoctypeVersion(connection);
    const stored = await readStoredDefinitions(connection, meta);
    // The tables are read one by one: a change in between shows in the version.
    if ((await readDoctypeVersion(connection)) !== version) continue;
    const doctypes = stored.map(
      (definition) => meta.find(String(definition['name'])) ?? parse(definition, owner),
    );
    return buildRegistry(doctypes, version);
  }
}

/** Applies the plan that takes a doctype's table to its definition; resolves to the number of changes. */
export async function applyPlan(connection: Connection, doctype: DocType, exists: boolean): Promise<number> {
  if (doctype.is_virtual) return 0;
  const wanted = tableOf(doctype);
  const changes = planTable(wanted, exists ? await describeTable(connection, wanted.name) : null);
  await applyChanges(connection, changes);
  return changes.length;
}

function changedApps(apps: readonly DefinedApp[], settings: SiteSettings): DefinedApp[] {
  return apps.filter(({ app, digest }) => settings.get(`app:${app.name}`) !== digest);
}

async function syncChanged(
  connection: Connection,
  { apps, meta, stamp, observe, everything = false }: SyncNeeds,
  changed: readonly DefinedApp[],
  settings: SiteSettings,
): Promise<void> {
  const owner = ownerOf(apps);
  const replanned = everything || settings.get('plan_version') !== String(PLAN_VERSION);
  const isNew = ![...settings.keys()].some((key) => key.startsWith('app:'));
  const plan = async (doctype: DocType) => {
    const changes = await applyPlan(connection, doctype, !isNew);
    if (changes > 0) observe({ kind: 'schema_changed', doctype: doctype.name, changes });
  };
  // The tables of definitions come first: the stored ones are read with the columns they have from now on.
  for (const doctype of meta.all()) await plan(doctype);
  const stored = isNew ? [] : await readStoredDefinitions(connection, meta);
  const written = new Map(
    changed.flatMap(({ definitions }) =>
      definitions.map((definition) => [String(definition['name']), definition]),
    ),
  );
  const kept = stored.filter(({ name }) => !written.has(String(name)));
  const doctypes = parseAll([...kept, ...written.values()], owner);
  const registry = buildRegistry(doctypes, 0);
  gather(doctypes, (doctype) => checkReferences(doctype, registry.find));
  for (const doctype of doctypes) {
    const definition = written.get(doctype.name);
    if ((definition || replanned) && !META.includes(doctype.name)) await plan(doctype);
    if (definition) await writeDefinition(connection, meta, doctype, definition, stamp);
  }
  await ensureRoles(connection, registry, stamp);
  const added = changed.filter(({ app }) => !settings.has(`app:${app.name}`)).map(({ app }) => app);
  await skipPatches(connection, registry, added, stamp);
  for (const { app, digest } of changed) await writeSetting(connection, `app:${app.name}`, digest);
  if (replanned) await writeSetting(connection, 'plan_version', String(PLAN_VERSION));
}

// A permission names a role; the role must be there to be given to someone.
async function ensureRoles(connection: Connection, registry: DoctypeRegistry, stamp: Stamp): Promise<void> {
  const role = registry.find('Role');
  if (!role) return;
  const named = registry.all().flatMap((doctype) => doctype.permissions.map((permission) => permission.role));
  const rows = [...new Set([...ROLES, ...named])].map((name) => ({ name, role_name: name }));
  await insertRows(connection, role, rows, stamp);
}

function parse(definition: Definition, owner: (doctypeName: string) => string): DocType {
  return parseDoctype(definition, owner(String(definition['name'])));
}

function parseAll(definitions: readonly Definition[], owner: (doctypeName: string) => string): DocType[] {
  return gather(definitions, (definition) => parse(definition, owner));
}

// Runs a check over all definitions, so that their author hears of everything at once.
function gather<T extends { readonly name?: unknown }, R>(items: readonly T[], check: (item: T) => R): R[] {
  const problems: string[] = [];
  const results = items.flatMap((item) => {
    try {
      return [check(item)];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const messages = error.details.messages ?? [error.message];
      problems.push(...messages.map((message) => `${item.name}: ${message}`));
      return [];
    }
  });
  if (problems.length > 0) throw new StartError(`Doctypes do not fit:\n  ${problems.join('\n  ')}`);
  return results;
}
