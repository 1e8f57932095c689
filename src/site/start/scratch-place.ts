import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { quote } from '../../db/ddl.ts';
import { openCopySession } from '../../db/postgres/copy-session.ts';
import { directUrl, emptyDirectory, removeDirectory, sqliteFile } from '../data-directory.ts';

/** An empty place for a restored database that is only read. */
export interface Scratch {
  readonly url: string;
  remove(): Promise<void>;
}

/**
 * Opens an empty place: a directory beside the SQLite database, or a schema beside that of the site. What a killed
 * process has left there goes: one process at a time uses a name.
 */
export async function openScratch(config: Config, name: string): Promise<Scratch> {
  const file = sqliteFile(config);
  if (file === null) return openSchema(config, name);
  const directory = join(dirname(file), name);
  emptyDirectory(directory);
  return {
    url: `sqlite:${join(directory, 'chancery.db')}`,
    remove: async () => removeDirectory(directory),
  };
}

async function openSchema(config: Config, name: string): Promise<Scratch> {
  const url = new URL(directUrl(config));
  const session = await openCopySession(url.href);
  const schema = `${session.schema}_${name}`;
  const drop = async () => {
    await session.begin('isolation level read committed');
    await session.query(`drop schema if exists ${quote(schema)} cascade`);
    await session.commit();
  };
  try {
    await drop();
  } catch (error) {
    await session.close();
    throw error;
  }
  url.searchParams.set('schema', schema);
  return {
    url: url.href,
    remove: () => drop().finally(() => session.close()),
  };
}
