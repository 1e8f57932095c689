import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Where a checkout has it. */
export const ADMIN_UI = join(ROOT, 'dist', 'admin');

/** What the UI is made of: another hash of all this, another UI. Tests are not part of it. */
const SOURCES = ['admin/**/*', 'src/kernel/**/*.ts', 'package-lock.json', 'scripts/admin-ui.ts'];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const COMPRESSED = new Set(['.html', '.js', '.css', '.json', '.svg']);

/** A file of the built UI, as the server and the budgets read of it. Sizes are bytes. */
export interface ListedFile {
  readonly path: string;
  readonly type: string;
  readonly hash: string;
  readonly size: number;
  /** Absent where it was not compressed. */
  readonly br?: number;
  readonly gzip?: number;
  /** Loaded before the first screen shows, whichever it is. */
  readonly first: boolean;
}

/** `files.json` of a built UI. */
export interface FileList {
  /** Hash of the sources. */
  readonly source: string;
  readonly files: readonly ListedFile[];
}

/** Why the UI cannot be built here: a sentence for people. */
export class CannotBuild extends Error {}

/**
 * Builds the admin UI into `dist/admin`, unless what is there is of these sources. Resolves to what it did;
 * null: nothing.
 * @throws CannotBuild where there are no development dependencies
 */
export async function buildAdminUi({ always = false } = {}): Promise<string | null> {
  const free = await turn(`${ADMIN_UI}.lock`);
  const folder = `${ADMIN_UI}.new`;
  try {
    const source = hashOfSources();
    if (!always && adminUiFiles()?.source === source) return null;
    const began = performance.now();
    runVite(folder);
    const list: FileList = { source, files: await listFiles(folder) };
    writeFileSync(join(folder, 'files.json'), JSON.stringify(list, null, 1));
    // A server that is starting finds the former one, none, or this one; never half of it.
    rmSync(ADMIN_UI, { recursive: true, force: true });
    renameSync(folder, ADMIN_UI);
    return told(list, performance.now() - began);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await free();
  }
}

/** What is built; null: nothing. */
export function adminUiFiles(): FileList | null {
  const path = join(ADMIN_UI, 'files.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const paths = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$|\.md$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) hash.update(path.slice(ROOT.length)).update(readFileSync(path));
  return hash.digest('hex');
}

function runVite(folder: string): void {
  const vite = placeOfVite();
  const argv = ['build', '--config', 'admin/vite.config.ts', '--outDir', folder, '--emptyOutDir'];
  const ran = spawnSync(process.execPath, [vite, ...argv, '--logLevel', 'warn'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (ran.status !== 0) throw new CannotBuild('The admin UI could not be built');
}

function placeOfVite(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js');
  } catch {
    throw new CannotBuild('The admin UI is not built: it takes the development dependencies (npm ci)');
  }
}

async function listFiles(folder: string): Promise<readonly ListedFile[]> {
  // What the page names is what a browser asks for by itself.
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const named = [...page.matchAll(/<(?:script|link)\b[^>]*\s(?:src|href)="\/app\/([^"]+)"/g)];
  const first = new Set(['index.html', ...named.map(([, path]) => path)]);
  const entries = globSync('**/*', { cwd: folder, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
  return Promise.all(paths.sort().map((path) => finish(folder, path, first.has(path))));
}

const brotlied = promisify(brotliCompress);
const gzipped = promisify(gzip);

async function finish(folder: string, path: string, first: boolean): Promise<ListedFile> {
  const extension = extname(path);
  const type = TYPES[extension];
  if (type === undefined) throw new Error(`scripts/admin-ui.ts does not know the type of ${path}`);
  const bytes = await readFile(join(folder, path));
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const listed = { path, type, hash, size: bytes.length, first };
  if (!COMPRESSED.has(extension)) return listed;
  const [br, gz] = await Promise.all([
    brotlied(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    gzipped(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(join(folder, `${path}.br`), br), writeFile(join(folder, `${path}.gz`), gz)]);
  return { ...listed, br: br.length, gzip: gz.length };
}

function told({ files }: FileList, millis: number): string {
  const kilobytes = (of: readonly ListedFile[]) =>
    `${Math.round(of.reduce((sum, { gzip: size = 0 }) => sum + size, 0) / 1000)} kB`;
  const first = files.filter((file) => file.first);
  return `Admin UI built in ${(millis / 1000).toFixed(1)} s: ${kilobytes(files)} (gzip), of which ${kilobytes(first)} load first`;
}

/** Milliseconds after which a lock that names nobody is taken for left behind. */
const PATIENCE = 10_000;

// One at a time: tests and a start may want it at once. A lock whose process is gone holds nobody up.
async function turn(lock: string): Promise<() => Promise<void>> {
  await mkdir(dirname(lock), { recursive: true });
  const began = performance.now();
  for (;;) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' });
      return () => rm(lock, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    const isLeft = holder > 0 ? !isAlive(holder) : performance.now() - began > PATIENCE;
    if (isLeft) await rm(lock, { force: true });
    await setTimeout(100);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
