import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../support/postgres.ts';
import { pack, unpack } from '../support/zip.ts';
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

/** Stores a data directory, and on PostgreSQL the dump of its database. Resolves to the path. */
export async function writeFixture(
  { steps, plan }: Format,
  engine: Engine,
  { data, dump, facts }: { data: string; dump: string | null; facts: Facts },
): Promise<string> {
  const files = [{ path: 'facts.json', text: JSON.stringify(facts) }];
  if (dump !== null) files.push({ path: DUMP, text: dump });
  const kept = (await readdir(data, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && !/-(?:shm|wal|lock|reserve)$/.test(entry.name),
  );
  const contents = await Promise.all(
    kept.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: `data/${relative(data, path).replaceAll(sep, '/')}`, text: await readFile(path) };
    }),
  );
  const path = join(FOLDER, `${steps}-${plan}-${engine}.zip`);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path, await pack([...files, ...contents]));
  return path;
}

/** Unpacks a data directory. Resolves to the facts and the dump. */
export async function unpackFixture(
  { path }: Fixture,
  data: string,
): Promise<{ readonly facts: Facts; readonly dump: string | null }> {
  const files = await unpack(await readFile(path));
  for (const [name, content] of files) {
    if (!name.startsWith('data/')) continue;
    const target = join(data, name.slice('data/'.length));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode: 0o600 });
  }
  return {
    facts: JSON.parse(String(files.get('facts.json'))),
    dump: files.get(DUMP)?.toString() ?? null,
  };
}
