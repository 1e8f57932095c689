import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../support/postgres.ts';
import { type Packed, pack, unpack } from '../support/zip.ts';
import type { Facts } from './story.ts';

const FOLDER = fileURLToPath(new URL('formats/', import.meta.url));

/** The name of the dump of a PostgreSQL database in an archive. */
const DUMP = 'database.sql';

/** The format of a site's data: the numbers that a change of the tables raises. */
export interface Format {
  /** Steps of the system's tables. */
  readonly steps: number;
  /** The way in which tables follow from doctypes: `PLAN_VERSION`. */
  readonly plan: number;
}

/** A site as a program of this format left it. */
export interface Fixture {
  readonly format: Format;
  readonly engine: Engine;
  /** `test/upgrade/formats/…` */
  readonly path: string;
}

/** The fixtures in the repository, the oldest format first. */
export async function listFixtures(): Promise<readonly Fixture[]> {
  const found = (await readdir(FOLDER)).flatMap((name): Fixture[] => {
    const [, steps, plan, engine] = /^(\d+)-(\d+)-(sqlite|postgres)\.zip$/.exec(name) ?? [];
    if (engine !== 'sqlite' && engine !== 'postgres') return [];
    return [{ format: { steps: Number(steps), plan: Number(plan) }, engine, path: join(FOLDER, name) }];
  });
  return found.toSorted(
    ({ format: one }, { format: other }) => one.steps - other.steps || one.plan - other.plan,
  );
}

/** The fixtures of backups in the repository, the oldest format first. */
export async function listBackups(): Promise<readonly { format: number; engine: Engine; path: string }[]> {
  const found = (await readdir(FOLDER)).flatMap((name) => {
    const [, format, engine] = /^backup-(\d+)-(sqlite|postgres)\.zip$/.exec(name) ?? [];
    if (engine !== 'sqlite' && engine !== 'postgres') return [];
    return [{ format: Number(format), engine, path: join(FOLDER, name) } as const];
  });
  return found.toSorted((one, other) => one.format - other.format);
}

/** The files of a fixture. */
interface Contents {
  readonly facts: Facts;
  /** Folders by their names in the archive: the data directory is `data`, a place of backups `backups`. */
  readonly folders: Readonly<Record<string, string>>;
  readonly dump?: string | null;
}

/** Stores a fixture as `<name>.zip`. Resolves to the path. */
export async function writeFixture(name: string, { facts, folders, dump = null }: Contents): Promise<string> {
  const files: Packed[] = [{ path: 'facts.json', text: JSON.stringify(facts) }];
  if (dump !== null) files.push({ path: DUMP, text: dump });
  for (const [folder, root] of Object.entries(folders)) {
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || /-(?:shm|wal|lock|reserve)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const within = relative(root, path).replaceAll(sep, '/');
      files.push({ path: `${folder}/${within}`, text: await readFile(path) });
    }
  }
  const path = join(FOLDER, `${name}.zip`);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path, await pack(files));
  return path;
}

/** Unpacks a folder of a fixture. Resolves to the facts and the dump. */
export async function unpackFixture(
  { path }: Pick<Fixture, 'path'>,
  target: string,
  folder = 'data',
): Promise<{ readonly facts: Facts; readonly dump: string | null }> {
  const files = await unpack(await readFile(path));
  for (const [name, content] of files) {
    if (!name.startsWith(`${folder}/`)) continue;
    const file = join(target, name.slice(folder.length + 1));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o600 });
  }
  return {
    facts: JSON.parse(String(files.get('facts.json'))),
    dump: files.get(DUMP)?.toString() ?? null,
  };
}
