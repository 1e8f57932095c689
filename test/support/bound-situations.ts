import assert from 'node:assert/strict';
import { copyFile, cp, mkdir, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { parseMark, renderMark } from '../../src/file/site-mark.ts';
import {
  ALL,
  EARLY,
  emptySchema,
  filesOf,
  forgetBinding,
  noteUsedAt,
  renamedSchema,
  type Stage,
  type Where,
  withStorage,
} from './bound-site.ts';
import { opened } from './kept-files.ts';
import type { Engine } from './postgres.ts';

/** Something that happens to a site whose server is stopped. */
export interface Situation {
  readonly name: string;
  readonly only?: { readonly engine?: Engine; readonly where?: readonly Where[] };
  /** Brings it about; resolves to the configuration of the next start. */
  readonly bring: (stage: Stage) => Promise<Config>;
  /** What the start says; null when it starts. */
  readonly refused: RegExp | null;
  /** Texts that the site serves after that, or after `files adopt` where that is the remedy. */
  readonly served?: readonly string[];
  /** The remedy is not to adopt. */
  readonly noAdopt?: true;
  /** It has storage of its own, which is not looked at. */
  readonly elsewhere?: true;
}

const OUTSIDE: readonly Where[] = ['in another directory', 'in a bucket'];
const INSIDE: readonly Where[] = ['in the data directory'];

/** The SQLite database of a site. */
export function dbFile({ config }: Stage): string {
  return join(config.data, 'chancery.db');
}

/** Loses it. */
export async function removeDatabase(stage: Stage): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(dbFile(stage) + end, { force: true });
}

/** Every way in which database and files may no longer be those of one site. */
export const SITUATIONS: readonly Situation[] = [
  { name: 'a restart', bring: async ({ config }) => config, refused: null, served: ALL },
  {
    name: 'a database that is missing',
    only: { engine: 'sqlite' },
    bring: async (stage) => {
      await removeDatabase(stage);
      return stage.config;
    },
    refused:
      /chancery\.db is missing, but its site has left .*secret\.key and files in .*restore it from a backup/,
    noAdopt: true,
  },
  {
    name: 'a database of 0 bytes',
    only: { engine: 'sqlite' },
    bring: async (stage) => {
      await removeDatabase(stage);
      await copyFile('/dev/null', dbFile(stage));
      await truncate(dbFile(stage));
      return stage.config;
    },
    refused: /chancery\.db is empty, but its site has left .*secret\.key and files in /,
    noAdopt: true,
  },
  {
    name: 'an older copy of the database, written over the database',
    only: { engine: 'sqlite' },
    bring: async (stage) => {
      await copyFile(join(stage.early, 'chancery.db'), dbFile(stage));
      return stage.config;
    },
    refused: /is in an older state of \S+ \S+ than the files in .*use chancery restore/,
    served: EARLY,
  },
  {
    name: 'an older copy of the database, in its place',
    only: { engine: 'sqlite', where: OUTSIDE },
    bring: async (stage) => {
      await rename(join(stage.early, 'chancery.db'), dbFile(stage));
      return stage.config;
    },
    refused: /bound to another copy of this database/,
    served: EARLY,
  },
  {
    name: 'an older state of a PostgreSQL database, as after a restore to a point in time',
    only: { engine: 'postgres' },
    bring: async ({ config }) => {
      await noteUsedAt(config, -6 * 60_000);
      return config;
    },
    refused: /is in an older state of \S+ \S+ than the files in /,
    served: ALL,
  },
  {
    name: 'a PostgreSQL database that lacks the last commits, as after a standby took over',
    only: { engine: 'postgres' },
    bring: async ({ config }) => {
      await noteUsedAt(config, -4 * 60_000);
      return config;
    },
    refused: null,
    served: ALL,
  },
  {
    name: 'files of a version that noted no use',
    bring: async ({ config }) => {
      await withStorage(config, async (storage) => {
        const mark = parseMark(await storage.readMark());
        assert.ok(mark?.used);
        await storage.writeMark(renderMark({ ...mark, used: 0 }), { replace: true });
      });
      return config;
    },
    refused: null,
    served: ALL,
  },
  {
    name: 'a new database in another place',
    bring: async ({ config, root }) => ({ ...config, database: `sqlite:${join(root, 'new.db')}` }),
    refused: /new\.db is missing, but its site has left /,
    noAdopt: true,
  },
  {
    name: 'an empty PostgreSQL database',
    bring: async ({ config }) => ({ ...config, database: await emptySchema() }),
    refused: /The database is empty, but its site has left files in /,
    noAdopt: true,
  },
  {
    name: 'the database of another site',
    bring: async ({ config, root }) => {
      const other = { ...DEFAULT_CONFIG, apps: [], data: join(root, 'other') };
      await opened(other, async () => {});
      return { ...other, files: filesOf(config) };
    },
    refused: /belong to another site \([0-9a-f]{8}\) than the database \([0-9a-f]{8}\)/,
    served: [],
  },
  {
    name: 'a copy of the site with the same files',
    only: { engine: 'sqlite', where: OUTSIDE },
    bring: async ({ config, root }) => {
      const data = join(root, 'clone');
      await cp(config.data, data, { recursive: true });
      return { ...config, data };
    },
    refused: /bound to another copy of this database.*give it another place: --files/,
    served: ALL,
  },
  {
    name: 'a copy of the data directory that names the files of the first',
    only: { engine: 'sqlite', where: INSIDE },
    bring: async ({ config, root }) => {
      const data = join(root, 'clone');
      await cp(config.data, data, { recursive: true });
      return { ...config, data, files: join(config.data, 'files') };
    },
    refused: /bound to another copy of this database/,
    served: ALL,
  },
  {
    name: 'a copy of the data directory with files of its own',
    only: { engine: 'sqlite', where: INSIDE },
    bring: async ({ config, root }) => {
      const data = join(root, 'copy');
      await cp(config.data, data, { recursive: true });
      return { ...config, data };
    },
    refused: null,
    served: ALL,
  },
  {
    name: 'a data directory under another name',
    only: { engine: 'sqlite' },
    bring: async ({ config, root }) => {
      const data = join(root, 'moved');
      await rename(config.data, data);
      return { ...config, data };
    },
    refused: null,
    served: ALL,
  },
  {
    name: 'a PostgreSQL database under another name',
    only: { engine: 'postgres' },
    bring: async ({ config }) => ({ ...config, database: await renamedSchema(config) }),
    refused: /bound to another copy of this database/,
    served: ALL,
  },
  {
    name: 'files without a mark, from before there were marks',
    bring: async ({ config }) => {
      await forgetBinding(config);
      return config;
    },
    refused: null,
    served: ALL,
  },
  {
    name: 'files without a mark, and another database',
    bring: async ({ config, root }) => {
      await forgetBinding(config);
      const other = { ...DEFAULT_CONFIG, apps: [], data: join(root, 'other') };
      await opened(other, async () => {});
      return { ...other, files: filesOf(config) };
    },
    refused: /does not know most of the files in .*\(5 of 5 checked\)/,
    served: [],
  },
  {
    name: 'a mark that cannot be read',
    bring: async ({ config }) => {
      await withStorage(config, (storage) => storage.writeMark('{', { replace: true }));
      return config;
    },
    refused: /belong to another site \(unknown\)/,
    served: ALL,
  },
  {
    name: 'an empty place, on a server of its own',
    only: { engine: 'postgres' },
    bring: async ({ config, root }) => {
      const data = join(root, 'second');
      await mkdir(data);
      await copyFile(join(config.data, 'secret.key'), join(data, 'secret.key'));
      return { ...config, data, files: null };
    },
    refused:
      /second\/files is not the place of this database's files.*All servers .* the same one: set --files/,
    noAdopt: true,
    elsewhere: true,
  },
  {
    name: 'a place of the same database with another id, as two servers of an older version had',
    only: { engine: 'postgres' },
    bring: async ({ config }) => {
      await withStorage(config, async (storage) => {
        const mark = parseMark(await storage.readMark());
        assert.ok(mark?.storage);
        await storage.writeMark(renderMark({ ...mark, storage: null }), { replace: true });
      });
      return config;
    },
    refused: /is not the place of this database's files/,
    served: ALL,
  },
  {
    name: 'a place without the files',
    bring: async ({ config, root }) => ({ ...config, files: join(root, 'not-mounted') }),
    refused:
      /not-mounted (contains none of them|is not the place of this database's files).*Is the volume mounted/,
    noAdopt: true,
    elsewhere: true,
  },
];
