import { readFile } from 'node:fs/promises';
import { CODE, RUNS_SOURCES } from '../../kernel/code-place.ts';
import { isRecord } from '../../kernel/value.ts';
import type { Coding } from '../wire/content-coding.ts';

/** A file of the built admin UI, in each content coding that the build compressed it to. */
export interface BuiltFile {
  readonly type: string;
  /** Changes with the content. */
  readonly hash: string;
  readonly bytes: Buffer;
  readonly coded: Readonly<Partial<Record<Coding, Buffer>>>;
}

/** The built admin UI: its page, and every file that the page requests. */
export interface BuiltUi {
  readonly page: BuiltFile;
  /** By path below `/app/`. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** Resolves to the built UI, which stays in memory from the first call on, or to null while none is built. */
export type LoadUi = () => Promise<BuiltUi | null>;

// Beside the compiled server, or where a checkout builds to.
const FOLDER = new URL(RUNS_SOURCES ? 'dist/admin/' : 'admin/', CODE);

/**
 * Loads the output of the build on the first request. The build compressed it already, so a start costs
 * nothing.
 */
export function builtUi(folder: URL = FOLDER): LoadUi {
  let loaded: Promise<BuiltUi | null> | null = null;
  const forget = () => {
    loaded = null;
  };
  return () => {
    if (!loaded) {
      loaded = load(folder);
      // A UI that is built while the server runs is found.
      loaded.then((ui) => ui ?? forget(), forget);
    }
    return loaded;
  };
}

async function load(folder: URL): Promise<BuiltUi | null> {
  const list = await readFile(new URL('files.json', folder), 'utf8').catch(noneIsNull);
  if (list === null) return null;
  const { files }: { files: readonly unknown[] } = JSON.parse(list);
  const read = await Promise.all(files.filter(isRecord).map((entry) => loadFile(folder, entry)));
  const found = new Map(read);
  const page = found.get('index.html');
  return page ? { page, files: found } : null;
}

async function loadFile(folder: URL, entry: Readonly<Record<string, unknown>>) {
  const path = String(entry['path']);
  const part = (suffix: string) => readFile(new URL(path + suffix, folder));
  const [bytes, br, gzip] = await Promise.all([
    part(''),
    entry['br'] === undefined ? null : part('.br'),
    entry['gzip'] === undefined ? null : part('.gz'),
  ]);
  const coded = { ...(br && { br }), ...(gzip && { gzip }) };
  const file: BuiltFile = { type: String(entry['type']), hash: String(entry['hash']), bytes, coded };
  return [path, file] as const;
}

function noneIsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
