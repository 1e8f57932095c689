import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type LaterState, readLaterState } from '../../src/backup/after/later-state.ts';
import { type Settled, settleRestored } from '../../src/backup/after/settle-restored.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { Database } from '../../src/db/database.ts';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { databaseUrl } from '../../src/site/data-directory.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { asPostgresAdmin, type Engine } from './postgres.ts';
import { startTestSite, type TestSite, type TestSiteOptions } from './site.ts';
import { siteDatabase } from './site-database.ts';

/** Where a site is kept, between its runs: a data directory, and on PostgreSQL a database. */
export interface KeptSite {
  readonly data: string;
  readonly url: string | null;
}

/** Sites whose databases are copied while they are stopped, as a backup would. */
export class KeptSites {
  readonly #engine: Engine;
  readonly #undos: (() => Promise<unknown>)[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** A place for a site that has not begun. */
  async make(): Promise<KeptSite> {
    const data = await this.#directory();
    const { url, drop } = await siteDatabase(this.#engine, data);
    this.#undos.push(drop);
    return { data, url };
  }

  /** The site as it is now, at another place, without its files. */
  async copy(kept: KeptSite): Promise<KeptSite> {
    const data = await this.#directory();
    await cp(kept.data, data, { recursive: true, filter: (path) => basename(path) !== 'files' });
    if (kept.url === null) return { data, url: null };
    const url = new URL(kept.url);
    const [former, name] = [url.pathname.slice(1), basename(data).toLowerCase()];
    url.pathname = name;
    await asPostgresAdmin((client) => client.query(`create database "${name}" template "${former}"`));
    this.#undos.push(() =>
      asPostgresAdmin((client) => client.query(`drop database if exists "${name}" with (force)`)),
    );
    return { data, url: url.href };
  }

  /** A server on it. */
  start({ data, url }: KeptSite, options: TestSiteOptions = {}): Promise<TestSite> {
    const config = { data, database: url, files: join(data, 'files'), ...options.config };
    return startTestSite(this.#engine, { ...options, config });
  }

  async stop(): Promise<void> {
    for (const undo of this.#undos.reverse()) await undo();
  }

  async #directory(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'chancery-kept-'));
    this.#undos.push(() => rm(path, { recursive: true, force: true }));
    return path;
  }
}

/** Works on the database of a site that does not run. */
export async function onDatabase<T>(
  { data, url }: KeptSite,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(url ?? databaseUrl({ ...DEFAULT_CONFIG, data }));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** What a later restore knows of this site. */
export function laterStateOf(kept: KeptSite): Promise<LaterState> {
  return onDatabase(kept, ({ reader }) => readLaterState(reader));
}

/** Settles a copy as a restore does. */
export function settled(kept: KeptSite, moment: number, later: LaterState | null): Promise<Settled> {
  return onDatabase(kept, async (database) => {
    await migrateSystemTables(database, SYSTEM_STEPS);
    return settleRestored(database, {
      moment,
      later,
      config: { timeZone: DEFAULT_CONFIG.timeZone },
      clock: systemClock(),
      random: systemRandom(),
      observe: () => {},
    });
  });
}
