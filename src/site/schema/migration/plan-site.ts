import type { Config } from '../../../config/config.ts';
import type { Connection } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import type { SchemaChange } from '../../../db/dialect.ts';
import { sql } from '../../../db/sql.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { afterLosses, type Loss, lossesOf, requiredLosses } from '../../../doctype/loss-plan.ts';
import { planTable, tableOf, tableOn } from '../../../doctype/schema-plan.ts';
import { LIMITS } from '../../../kernel/limits.ts';
import { systemRandom } from '../../../kernel/random.ts';
import { isRecord } from '../../../kernel/value.ts';
import { changingUserTypes } from '../../../standard/user-type.ts';
import type { App } from '../../app.ts';
import { mayHaveDatabase } from '../../data-directory.ts';
import { openSiteDatabase } from '../../open-site-database.ts';
import { filesPlaceOf, openStorage } from '../../open-storage.ts';
import { loadSettings } from '../../settings/settings-table.ts';
import { SYSTEM_STEPS } from '../../system-tables.ts';
import { type Abandoned, findAbandoned } from '../definitions/abandoned.ts';
import { defineApps, type SiteApps } from '../definitions/define-apps.ts';
import { notesOn } from '../definitions/definition-keys.ts';
import { type Definition, loadStoredDefinitions } from '../definitions/stored-definitions.ts';
import { unfitNames } from './check-names.ts';
import { pendingFixtures } from './fixtures.ts';
import { countLost, type Lost } from './lose-data.ts';
import { openedFields } from './opened-fields.ts';
import { pendingPatches } from './patches.ts';
import { wantedDoctypes, writtenBy } from './sync-doctypes.ts';
import { countRows } from './weigh-changes.ts';

/** The changes that a migration would make to one doctype's table. */
export interface TablePlan {
  readonly doctype: string;
  /** Rows stored now. */
  readonly rows: number;
  /** In order, and planned as if the required losses were accepted. */
  readonly changes: readonly SchemaChange[];
  readonly losses: readonly PlannedLoss[];
}

export interface PlannedLoss {
  readonly loss: Loss;
  readonly lost: Lost;
  /** The migration cannot proceed without it. */
  readonly required: boolean;
}

export interface PlannedDrop extends Abandoned {
  readonly rows: number;
}

/** A changed rule of a link, which no table shows. */
export interface PlannedLink {
  readonly doctype: string;
  readonly fieldname: string;
  readonly from: string;
  readonly to: string;
}

/** The plan of `chancery migrate`. */
export interface SitePlan {
  /** There is no site yet: the migration would create it. */
  readonly isNew: boolean;
  /** Migration steps of the system's own tables. */
  readonly systemSteps: readonly string[];
  /** Tables with changes, by name. */
  readonly tables: readonly TablePlan[];
  readonly drops: readonly PlannedDrop[];
  /** Links whose `on_delete` changes. */
  readonly links: readonly PlannedLink[];
  /** Pending patches, by their names in `Patch Log`. */
  readonly patches: readonly string[];
  /** Pending files of fixtures. */
  readonly fixtures: readonly string[];
  /** Notes on the definitions: one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Examines the database and the apps without any change, even when there is no site. Rejects with StartError.
 */
export async function planSite(config: Config, given?: readonly App[]): Promise<SitePlan> {
  const storage = await openStorage(filesPlaceOf(config), systemRandom());
  const site = await defineApps(config, storage, given);
  if (!mayHaveDatabase(config)) return planOfNothing(site);
  const database = await openSiteDatabase(config, { queryTimeout: LIMITS.planTimeout });
  try {
    return await planOn(database.reader, site);
  } finally {
    await database.close();
  }
}

/** True when every possible change loses data. */
export function needsLoss({ tables }: SitePlan): boolean {
  return tables.some(({ losses }) => losses.some(({ required }) => required));
}

async function planOfNothing({ apps, defined, owner, meta }: SiteApps): Promise<SitePlan> {
  // There are no stored definitions, so the connection is never used.
  const none: Connection = {
    get dialect(): never {
      throw new Error('there is no database');
    },
    all: async () => [],
    get: async () => undefined,
    run: async () => 0,
  };
  const doctypes = await wantedDoctypes(none, meta, [], writtenBy(defined), owner);
  return {
    isNew: true,
    systemSteps: SYSTEM_STEPS.map((step) => step.name),
    tables: inOrder(doctypes).map((doctype) => ({
      doctype: doctype.name,
      rows: 0,
      changes: planTable(tableOf(doctype), null),
      losses: [],
    })),
    drops: [],
    links: [],
    patches: [],
    fixtures: titles(await pendingFixtures(none, apps)),
    notes: notesOn(doctypes, defined, meta),
  };
}

function titles(files: readonly { readonly title: string }[]): string[] {
  return files.map(({ title }) => title);
}

// An app that is new to the site has no pending patches, and an old site has no log yet.
async function patchesOf(connection: Connection, apps: readonly App[]): Promise<string[]> {
  const settings = await loadSettings(connection);
  const known = apps.filter(({ name }) => settings.has(`app:${name}`));
  if (await describeTable(connection, 'Patch Log')) {
    return (await pendingPatches(connection, known)).map(({ key }) => key);
  }
  return known.flatMap((app) => (app.patches ?? []).map(({ name }) => `${app.name}.${name}`));
}

/** The same, on an open database. */
export async function planOn(connection: Connection, site: SiteApps): Promise<SitePlan> {
  const migrated = await describeTable(connection, '_migration');
  if (!migrated) return planOfNothing(site);
  const row = await connection.get(sql`select max("id") as "last" from "_migration"`);
  const { meta, owner, defined } = site;
  const stored = await loadStoredDefinitions(connection, meta, { unmigrated: true });
  const abandoned = findAbandoned(stored, owner);
  const going = new Set(abandoned.filter(({ usedBy }) => usedBy.length === 0).map(({ name }) => name));
  const unmigrated = { unmigrated: true };
  const written = writtenBy(defined);
  const doctypes = await wantedDoctypes(connection, meta, stored, written, owner, unmigrated);
  const tables: TablePlan[] = [];
  for (const doctype of inOrder(doctypes)) {
    if (going.has(doctype.name)) continue;
    const planned = await planOf(connection, doctype);
    if (planned.changes.length > 0 || planned.losses.length > 0) tables.push(planned);
  }
  const drops: PlannedDrop[] = [];
  for (const each of abandoned) drops.push({ ...each, rows: await countStored(connection, each.name) });
  return {
    isNew: false,
    systemSteps: SYSTEM_STEPS.slice(Number(row?.['last'] ?? 0)).map((step) => step.name),
    tables,
    drops,
    links: stored.flatMap((definition) => changedLinks(definition, written.get(String(definition['name'])))),
    patches: await patchesOf(connection, site.apps),
    fixtures: titles(await pendingFixtures(connection, site.apps)),
    notes: [
      ...notesOn(doctypes, defined, meta),
      ...openedFields(doctypes, await loadSettings(connection)),
      ...(await changingUserTypes(connection)),
      ...(await unfitNames(connection, inOrder(doctypes))),
    ],
  };
}

// Of the definition alone: what the site has customized stays.
function changedLinks(stored: Definition, written: Definition | undefined): PlannedLink[] {
  const before = onDeletes(stored);
  return [...onDeletes(written ?? {})].flatMap(([fieldname, to]) => {
    const from = before.get(fieldname) ?? 'block';
    return from === to ? [] : { doctype: String(stored['name']), fieldname, from, to };
  });
}

function onDeletes({ fields }: Definition): ReadonlyMap<string, string> {
  const rows = Array.isArray(fields) ? fields.filter(isRecord) : [];
  return new Map(rows.map((row) => [String(row['fieldname']), String(row['on_delete'] || 'block')]));
}

async function planOf(connection: Connection, doctype: DocType): Promise<TablePlan> {
  const wanted = tableOn(connection.dialect.name, doctype);
  const actual = await describeTable(connection, doctype.name);
  if (!actual) return { doctype: doctype.name, rows: 0, changes: planTable(wanted, null), losses: [] };
  const found = lossesOf(wanted, actual);
  const required = requiredLosses(wanted, found);
  const changes = planTable(wanted, afterLosses(actual, required));
  if (found.length === 0 && changes.length === 0) {
    return { doctype: doctype.name, rows: 0, changes, losses: [] };
  }
  const losses: PlannedLoss[] = [];
  for (const loss of found) {
    const lost = await countLost(connection, doctype, loss);
    losses.push({ loss, lost, required: required.includes(loss) });
  }
  return { doctype: doctype.name, rows: await countRows(connection, doctype.name), changes, losses };
}

async function countStored(connection: Connection, table: string): Promise<number> {
  return (await describeTable(connection, table)) ? countRows(connection, table) : 0;
}

function inOrder(doctypes: readonly DocType[]): DocType[] {
  return doctypes
    .filter((doctype) => !doctype.is_virtual)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
