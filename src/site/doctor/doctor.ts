import type { Config } from '../../config/config.ts';
import { DamagedDatabase } from '../../db/damaged.ts';
import type { Connection, Database } from '../../db/database.ts';
import { describeTable } from '../../db/describe.ts';
import { sql } from '../../db/sql.ts';
import { writtenIndex } from '../../doctype/composite-indexes.ts';
import type { DoctypeRegistry } from '../../doctype/doctype.ts';
import { noteText } from '../../doctype/note.ts';
import type { Storage } from '../../file/storage.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { systemRandom } from '../../kernel/random.ts';
import { STATE } from '../../webhook/queue/delivery-state.ts';
import type { App } from '../app.ts';
import { freeSpace, requireDatabaseFile, requireSoundLog } from '../data-directory.ts';
import { openSiteDatabase, replicasOf } from '../open-site-database.ts';
import { filesPlaceOf, openStorage } from '../open-storage.ts';
import { defineApps } from '../schema/definitions/define-apps.ts';
import { changedApps, type DefinedApp } from '../schema/definitions/defined-apps.ts';
import { loadRegistry } from '../schema/definitions/load-registry.ts';
import { areIndexesPending } from '../schema/migration/build-indexes.ts';
import { unreadyIndexes } from '../schema/migration/index-states.ts';
import { checkSecretKey } from '../settings/secret-key.ts';
import { loadSettings } from '../settings/settings-table.ts';
import { loadSlowQueries } from '../slow-queries.ts';
import { LITTLE_SPACE, NO_SPACE } from '../status/store-figures.ts';
import { SYSTEM_STEPS } from '../system-tables.ts';
import { examineArchive } from './examine-archive.ts';
import { examineBackups } from './examine-backups.ts';
import { examineContents, examineIntegrity } from './examine-deep.ts';
import { examineFiles } from './examine-files.ts';
import { examineLog } from './examine-log.ts';
import type { Finding } from './finding.ts';
import { suggestIndexes } from './suggest-indexes.ts';

/** A delivery that is overdue by more is stuck; milliseconds. */
const STUCK = 15 * 60_000;
/** Stuck deliveries are counted up to this number. */
const COUNTED = 10_000;

/**
 * Examines a site, with or without a running server, and changes nothing. `deep` also reads the whole
 * database and all stored files. Rejects with StartError where there is no site.
 */
export async function examineSite(config: Config, given?: readonly App[], deep = false): Promise<Finding[]> {
  requireDatabaseFile(config);
  requireSoundLog(config);
  const files = filesPlaceOf(config);
  const storage = await openStorage(files, systemRandom());
  const { defined, meta, owner } = await defineApps(config, storage, given);
  const database = await openSiteDatabase(config, {
    ...(deep && { queryTimeout: LIMITS.migrationTimeout }),
    ...replicasOf(config),
  });
  const findings: Finding[] = [];
  try {
    const { reader } = database;
    if (deep) findings.push(...(await examineIntegrity(database)));
    const tables = await checkTables(reader, defined);
    findings.push(tables, ...(await checkDurability(reader)), ...(await checkReplicas(database)));
    findings.push(...(await examineArchive(reader)), ...examineLog(config));
    if (files.kind === 'disk') findings.push(...checkSpace(config.data, files.root));
    else findings.push(...checkSpace(config.data), await checkFiles(storage));
    if (tables.state === 'problem') return findings;
    if (deep) findings.push(...(await examineContents(database, storage)));
    const registry = await loadRegistry(reader, meta, owner);
    if (findings.every(({ check, state }) => check !== 'files' || state === 'ok')) {
      findings.push(...(await examineFiles({ config, place: files, storage, observe: () => {} }, database)));
    }
    findings.push(secretKeyFinding(await checkSecretKey(reader, config)));
    findings.push(...checkNotes(registry), ...(await checkIndexes(reader, registry)));
    findings.push(await checkWebhooks(reader), ...(await examineBackups(config, reader)));
    findings.push(...(await adviseIndexes(reader, registry)));
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    findings.push(damageFinding(error));
  } finally {
    storage.close?.();
    await database.close();
  }
  return findings;
}

function damageFinding({ words }: DamagedDatabase): Finding {
  const message = `The database is damaged where this check reads it: ${words}`;
  const remedy = 'run chancery doctor --deep to see what is damaged, and restore a backup';
  return { check: 'integrity', state: 'problem', message, remedy };
}

async function checkTables(connection: Connection, defined: readonly DefinedApp[]): Promise<Finding> {
  const check = 'tables';
  const remedy = 'start the server once, or run chancery migrate';
  if (!(await describeTable(connection, '_migration'))) {
    return { check, state: 'problem', message: 'There is no site in this database yet', remedy };
  }
  const row = await connection.get(sql`select max("id") as "last" from "_migration"`);
  const behind = SYSTEM_STEPS.length - Number(row?.['last'] ?? 0);
  const message = behind < 0 ? 'The tables match a newer version' : 'The tables match an older version';
  if (behind < 0) return { check, state: 'problem', message, remedy: 'use the newer version' };
  // Stored definitions are read with the columns that this version's own doctypes have.
  const [standard] = changedApps(defined.slice(0, 1), await loadSettings(connection));
  if (behind > 0 || standard) return { check, state: 'problem', message, remedy };
  return { check, state: 'ok', message: 'The tables match this version' };
}

/** The settings of each engine with which a committed change survives a crash. */
const DURABLE = {
  sqlite: { journal_mode: 'wal', synchronous: '2' },
  postgres: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
} as const;

async function checkDurability(connection: Connection): Promise<Finding[]> {
  const { name } = connection.dialect;
  const row = await connection.get(
    name === 'sqlite'
      ? sql`select j.journal_mode, s.synchronous from pragma_journal_mode j, pragma_synchronous s`
      : sql`select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
          current_setting('synchronous_commit') as synchronous_commit`,
  );
  const wrong = Object.entries(DURABLE[name]).filter(([setting, wanted]) => {
    const is = String(row?.[setting]);
    // Values for sites with standby servers; each of them also waits for the local disk.
    return is !== wanted && !(setting === 'synchronous_commit' && /^remote_|^local$/.test(is));
  });
  const check = 'durability';
  if (wrong.length === 0) {
    const settings = Object.entries(row ?? {}).map(([setting, is]) => `${setting} ${is}`);
    return [{ check, state: 'ok', message: `Committed changes survive a crash (${settings.join(', ')})` }];
  }
  return wrong.map(([setting, wanted]) => ({
    check,
    state: 'problem',
    message: `${setting} is ${row?.[setting]}: a crash may lose committed changes`,
    remedy: `set ${setting} to ${wanted}`,
  }));
}

async function checkReplicas({ replicas }: Database): Promise<Finding[]> {
  const check = 'replicas';
  const figures = (await replicas?.figures()) ?? [];
  return figures.map(({ host, problem, behind }): Finding => {
    if (problem === null)
      return { check, state: 'ok', message: `${host} is ${behind ?? '?'} bytes behind the primary` };
    const message = `The read replica ${host} is not used: ${problem}`;
    const remedy = 'see Read replicas in docs/guide/postgresql.md, or remove it from databaseReplicas';
    return { check, state: 'advice', message, remedy };
  });
}

function secretKeyFinding(state: 'present' | 'missing' | 'wrong'): Finding {
  const check = 'secret key';
  if (state === 'present') return { check, state: 'ok', message: 'The key that encrypts secrets is present' };
  const what = state === 'missing' ? 'is missing' : 'is not the one this site was started with';
  return {
    check,
    state: 'problem',
    message: `The key that encrypts secrets ${what}: stored secrets cannot be read`,
    remedy: 'restore secret.key from a backup, or set CHANCERY_SECRET_KEY',
  };
}

function checkSpace(...places: readonly string[]): Finding[] {
  const check = 'disk space';
  return [...new Set(places)].flatMap((place): Finding[] => {
    const free = freeSpace(place);
    if (free === null) return [];
    const message = `${Math.floor(free / 1024 ** 2).toLocaleString('en')} MB are free for ${place}`;
    if (free >= LITTLE_SPACE) return [{ check, state: 'ok', message }];
    return [{ check, state: free < NO_SPACE ? 'problem' : 'advice', message, remedy: 'make room' }];
  });
}

// No file has this key. A store that answers so is reachable and accepts the credentials.
async function checkFiles(storage: Storage): Promise<Finding> {
  const check = 'files';
  try {
    await storage.stat(storage.newKey());
    return { check, state: 'ok', message: 'The S3 store answers' };
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    const remedy = 'check the setting files, and the access rights of this machine';
    return { check, state: 'problem', message: `The S3 store does not answer correctly: ${why}`, remedy };
  }
}

function checkNotes(registry: DoctypeRegistry): Finding[] {
  const check = 'doctypes';
  const findings = registry
    .all()
    .flatMap(({ notes }) => notes)
    .map((note): Finding => ({ check, state: 'advice', message: noteText(note) }));
  if (findings.length > 0) return findings;
  return [{ check, state: 'ok', message: 'No definition has a note' }];
}

async function checkIndexes(connection: Connection, registry: DoctypeRegistry): Promise<Finding[]> {
  const check = 'indexes';
  const isPending = await areIndexesPending(connection);
  const findings = (await unreadyIndexes(connection, registry)).map(
    ({ doctype, index, state, build }): Finding => {
      const on = `index on ${writtenIndex(index).join(', ')}`;
      if (build) {
        const percent = Math.floor(100 * build.share);
        return { check, state: 'advice', message: `${doctype}: its ${on} is being built (${percent} %)` };
      }
      const what =
        state === 'interrupted' ? `has a part of its ${on}: the build was killed` : `lacks its ${on}`;
      const remedy = isPending
        ? 'a running server builds it within minutes; chancery migrate builds it now'
        : 'stop the server and run chancery migrate --plan';
      return { check, state: 'problem', message: `${doctype} ${what}`, remedy };
    },
  );
  if (findings.length > 0) return findings;
  return [{ check, state: 'ok', message: 'Every doctype has its indexes' }];
}

async function checkWebhooks(connection: Connection): Promise<Finding> {
  const check = 'webhooks';
  const late = Date.now() - STUCK;
  const row = await connection.get(
    sql`select count(*) as "count" from (
        select 1 from "_webhook_delivery" where "state" = ${STATE.waiting} and "due_at" < ${late} limit ${COUNTED}) as "due"`,
  );
  const count = Number(row?.['count'] ?? 0);
  if (count === 0) return { check, state: 'ok', message: 'No delivery is overdue' };
  return {
    check,
    state: 'problem',
    message: `${count === COUNTED ? `${COUNTED} or more` : count} deliveries have been due for 15 minutes`,
    remedy: 'is a server running that delivers (webhooks.worker)?',
  };
}

async function adviseIndexes(connection: Connection, registry: DoctypeRegistry): Promise<Finding[]> {
  const check = 'slow queries';
  const slow = await loadSlowQueries(connection);
  const advice = suggestIndexes(slow, registry).map((index): Finding => {
    const { doctype, count, totalMillis, indexes } = index;
    const average = Math.round(totalMillis / count);
    return {
      check,
      state: 'advice',
      message: `${doctype}: ${count} queries of ${average} ms each want an index on ${index.fields.join(', ')}`,
      remedy: remedyFor(registry.get(doctype).app, doctype, JSON.stringify(indexes)),
      index,
    };
  });
  if (advice.length > 0) return advice;
  const message = slow.length === 0 ? 'No query was slow' : 'No index would help the slow queries';
  return [{ check, state: 'ok', message }];
}

function remedyFor(app: string, doctype: string, indexes: string): string {
  const property = `"indexes": ${indexes}`;
  if (app === '') return `in the DocType ${doctype}: ${property}`;
  const setter = `a Property Setter of the DocType ${doctype}, property indexes, value ${indexes}`;
  return app === 'standard'
    ? setter
    : `in the app ${app}, in the file of ${doctype}: ${property}; or ${setter}`;
}
