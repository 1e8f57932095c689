import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { FilesPlace } from '../../config/files-place.ts';
import { readLiveSettings } from '../../config/live-settings.ts';
import { version } from '../../config/version.ts';
import type { Connection, Database } from '../../db/database.ts';
import { describeTable } from '../../db/describe.ts';
import { isMissingRelation } from '../../db/driver-errors.ts';
import { sql } from '../../db/sql.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { aboutTime, size } from '../../kernel/quantity.ts';
import { systemRandom } from '../../kernel/random.ts';
import { freeSpace, requireDatabaseFile, requireSoundLog, sqliteFile } from '../data-directory.ts';
import { loadNodes } from '../nodes.ts';
import { openSiteDatabase } from '../open-site-database.ts';
import { filesPlaceOf, openStorage } from '../open-storage.ts';
import { defineApps } from '../schema/definitions/define-apps.ts';
import { needsLoss, planOn, type SitePlan } from '../schema/migration/plan-site.ts';
import { NO_WEIGHT, type Weight, weighChanges } from '../schema/migration/weigh-changes.ts';
import { loadSettings, VERSION } from '../settings/settings-table.ts';
import { readSystemSettings } from '../settings/system-settings.ts';
import { refuseOthersFiles } from '../start/bind-files.ts';
import { StartError } from '../start-error.ts';
import { databaseFigures } from '../status/store-figures.ts';
import { SYSTEM_STEPS } from '../system-tables.ts';
import { messageOf } from '../why-unusable.ts';
import { examineBackup } from './examine-backup.ts';
import type { Finding } from './finding.ts';

/** What `chancery upgrade --check` reports. */
export interface UpgradeReport {
  /** False if a finding is a problem. */
  readonly ready: boolean;
  readonly findings: readonly Finding[];
  /** The changes that the first start makes; null when they cannot be planned. */
  readonly plan: SitePlan | null;
  /** The estimated cost of the changes; null without a plan. */
  readonly estimate: Weight | null;
}

/** The operator's part of a check. */
export interface UpgradeOptions {
  /** Where backups are; null: nowhere. */
  readonly backups: FilesPlace | null;
  /** The operator has a backup that Chancery does not know. */
  readonly ownBackup: boolean;
  /** Warnings of the configuration. */
  readonly warnings: readonly string[];
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** Seconds of a start without changes of rows: it compares the tables of all doctypes with their definitions. */
const START = 2;

/**
 * Examines whether the first start of this version would succeed, and what it would change. Changes nothing, and works
 * beside a running server of another version. Rejects with StartError when there is no site, or the database cannot be
 * used.
 */
export async function examineUpgrade(config: Config, options: UpgradeOptions): Promise<UpgradeReport> {
  requireDatabaseFile(config);
  requireSoundLog(config);
  const database = await openSiteDatabase(config, { queryTimeout: LIMITS.planTimeout });
  try {
    const { reader } = database;
    if (!(await describeTable(reader, '_migration')))
      throw new StartError('There is no site in this database yet.');
    const { clock = systemClock() } = options;
    const done = await stepsDone(reader);
    const findings = [
      await engineFinding(database, config),
      await versionFinding(reader, done),
      ...(await serverFindings(database, clock, done)),
      ...(await filesFindings(database, config)),
      await examineBackup(reader, config, clock, options),
      ...(await settingFindings(reader, config, options.warnings)),
    ];
    const changes = done > SYSTEM_STEPS.length ? NO_CHANGES : await examineChanges(database, config);
    findings.push(...changes.findings);
    const { plan, estimate } = changes;
    return { ready: findings.every(({ state }) => state !== 'problem'), findings, plan, estimate };
  } finally {
    await database.close();
  }
}

/** Foreign files, or an older database, refuse the start. */
async function filesFindings(database: Database, config: Config): Promise<Finding[]> {
  const place = filesPlaceOf(config);
  const storage = await openStorage(place, systemRandom());
  try {
    const files = { config, place, storage, observe: () => {} };
    const why = await refuseOthersFiles(files, database).then(() => null, messageOf);
    return why === null ? [] : [{ check: 'files', state: 'problem', message: why }];
  } finally {
    storage.close?.();
  }
}

async function stepsDone(reader: Connection): Promise<number> {
  const row = await reader.get(sql`select max("id") as "last" from "_migration"`);
  return Number(row?.['last'] ?? 0);
}

// The database was opened, which refuses versions of PostgreSQL that are too old.
async function engineFinding(database: Database, config: Config): Promise<Finding> {
  const { kind, version: engine } = await databaseFigures(database, config);
  const name =
    kind === 'sqlite' ? `SQLite ${engine} of Node ${process.versions.node}` : `PostgreSQL ${engine}`;
  return { check: 'engine', state: 'ok', message: `${name} is supported` };
}

async function versionFinding(reader: Connection, done: number): Promise<Finding> {
  const check = 'versions';
  const last = (await loadSettings(reader)).get(VERSION);
  const opened = last === undefined ? 'a version that did not note its number' : last;
  const known = SYSTEM_STEPS.length;
  const step = `step ${done} of ${known} of the system tables`;
  const message = `${version()} is installed, and ${opened} last opened the data: ${step}`;
  if (done <= known) return { check, state: 'ok', message };
  return {
    check,
    state: 'problem',
    message: `The data was made by a newer version: its tables are at step ${done}, and ${version()} knows ${known}`,
    remedy: 'install that version, or restore a backup from before its first start',
  };
}

/** Of a database that several servers share: which of them go on beside this version. */
async function serverFindings(database: Database, clock: Clock, done: number): Promise<Finding[]> {
  if (database.dialect.name === 'sqlite' || !(await describeTable(database.reader, '_node'))) return [];
  const check = 'servers';
  const running = (await loadNodes({ database, clock })).filter(({ isAlive }) => isAlive);
  if (running.length === 0) return [{ check, state: 'ok', message: 'No server runs on this database' }];
  const named = running.map(({ host, version }) => `${host} (${version})`).join(', ');
  const needs = Math.max(0, ...SYSTEM_STEPS.slice(done).map((step) => step.needs ?? 0));
  if (needs <= done) {
    return [{ check, state: 'ok', message: `Running servers go on while they are replaced: ${named}` }];
  }
  return [
    {
      check,
      state: 'advice',
      message: `Running servers refuse changes from the first start of this version until they are replaced: ${named}`,
      remedy: 'see When servers must stop in docs/guide/upgrade.md',
    },
  ];
}

async function settingFindings(
  reader: Connection,
  config: Config,
  warnings: readonly string[],
): Promise<Finding[]> {
  const check = 'settings';
  const row = await readSystemSettings(reader).catch((error: unknown) => {
    if (isMissingRelation(error)) return {};
    throw error;
  });
  const stored = readLiveSettings(config, row).problems.map(
    ({ fieldname, reason }) =>
      `System Settings: ${fieldname} ${reason}; the value of the configuration applies`,
  );
  const messages = [...warnings, ...stored];
  if (messages.length === 0) return [{ check, state: 'ok', message: 'This version knows all settings' }];
  return messages.map((message) => ({ check, state: 'advice', message }));
}

/** The planned changes, and what there is to say of them. */
interface Changes {
  readonly findings: readonly Finding[];
  readonly plan: SitePlan | null;
  readonly estimate: Weight | null;
}

const NO_CHANGES: Changes = { findings: [], plan: null, estimate: null };

async function examineChanges(database: Database, config: Config): Promise<Changes> {
  const storage = await openStorage(filesPlaceOf(config), systemRandom());
  try {
    const site = await defineApps(config, storage);
    const plan = await planOn(database.reader, site);
    const estimate = await weighPlan(database.reader, plan);
    return { plan, estimate, findings: [changeFinding(plan), ...costFindings(plan, estimate, config)] };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // Of an app or a definition, each with its name.
    return { ...NO_CHANGES, findings: [{ check: 'changes', state: 'problem', message: error.message }] };
  } finally {
    storage.close?.();
  }
}

function changeFinding(plan: SitePlan): Finding {
  const check = 'changes';
  if (needsLoss(plan)) {
    return {
      check,
      state: 'problem',
      message: 'Stored values do not fit a definition, so this version would not start',
      remedy: 'change the definition, or run chancery migrate --allow-data-loss once the backup is there',
    };
  }
  const { systemSteps, tables, patches, fixtures } = plan;
  const changed = tables.filter(({ changes }) => changes.length > 0).length;
  const counts = [
    [systemSteps.length, 'steps of the system tables'],
    [changed, 'tables of doctypes'],
    [patches.length, 'patches'],
    [fixtures.length, 'files of fixtures'],
  ] as const;
  const made = counts.flatMap(([count, what]) => (count === 0 ? [] : `${what}: ${count}`));
  if (made.length === 0) return { check, state: 'ok', message: 'The tables match this version' };
  return { check, state: 'ok', message: `The first start makes these changes: ${made.join(', ')}` };
}

async function weighPlan(reader: Connection, { tables }: SitePlan): Promise<Weight> {
  let weight = NO_WEIGHT;
  for (const { doctype, rows, changes } of tables) {
    const { seconds, bytes } = await weighChanges(reader, doctype, rows, changes);
    weight = { seconds: weight.seconds + seconds, bytes: weight.bytes + bytes };
  }
  return weight;
}

function costFindings({ tables, patches }: SitePlan, { seconds, bytes }: Weight, config: Config): Finding[] {
  const rows = tables.reduce((sum, table) => sum + (table.changes.length > 0 ? table.rows : 0), 0);
  const apart = patches.length === 0 ? '' : ', and what the patches take';
  const count = rows.toLocaleString('en-US');
  const time = `An estimate: ${aboutTime(START + seconds)} for tables with ${count} rows${apart}`;
  const findings: Finding[] = [{ check: 'duration', state: 'ok', message: time }];
  const check = 'disk space';
  const file = sqliteFile(config);
  const free = file === null ? null : freeSpace(dirname(file));
  const needed = `The changes need about ${size(Math.ceil(bytes))}`;
  if (free === null)
    return [...findings, { check, state: 'ok', message: `${needed} on the database's disk` }];
  const message = `${needed}, and ${size(free)} are free`;
  if (bytes < free) return [...findings, { check, state: 'ok', message }];
  return [...findings, { check, state: 'problem', message, remedy: 'make room' }];
}
