/**
 * What `npm test` runs: one PostgreSQL and one folder of templates for all test files, then
 * `run-test-files.ts`. Arguments replace the default patterns and are passed on: `npm test --
 * test/http/list.test.ts`.
 *
 * Properties are tried with values by chance, but with the same at each run of a commit, so that what fails
 * fails again. `CHANCERY_TEST_SEED=7 npm test` tries others.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmod, glob, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/support/embedded-postgres.ts';
import { asPostgresAdmin } from '../test/support/postgres.ts';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'apps/**/*.test.ts', 'admin/src/**/*.test.ts'];
/** Bytes. What a run keeps at a time is a quarter of it. */
const ENOUGH_MEMORY = 4 * 1024 ** 3;

const chosen = process.argv.slice(2);
const flags = chosen.filter((argument) => argument.startsWith('-'));
const patterns = chosen.filter((argument) => !argument.startsWith('-'));
const files: string[] = [];
for (const pattern of patterns.length > 0 ? patterns : PATTERNS) {
  for await (const file of glob(pattern, { exclude: (name) => name.includes('node_modules') }))
    files.push(file);
}

if (files.length === 0) {
  console.error(`no test file matches ${patterns.join(' ')}`);
  process.exitCode = 1;
} else process.exitCode = await withServices((env) => run([...new Set(files)], env));

/** Does it with a folder for everything that tests make, and with a PostgreSQL that runs. */
async function withServices(work: (env: NodeJS.ProcessEnv) => Promise<number>): Promise<number> {
  const folder = await makeFolder();
  process.env['TMPDIR'] = folder;
  const given = process.env['CHANCERY_TEST_POSTGRES'];
  // A developer's own server is used as it is; it is theirs to stop.
  const server = given ? { url: given, stop: async () => {} } : await startPostgres();
  const env = { ...process.env, CHANCERY_TEST_POSTGRES: server.url, CHANCERY_TEST_TEMPLATES: folder };
  try {
    return await work(env);
  } finally {
    const drop = `drop database if exists "${basename(folder).toLowerCase()}"`;
    // A server that cannot be reached has no template.
    if (given) await asPostgresAdmin((client) => client.query(drop)).catch(() => {});
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** In memory where there is enough: no test needs its data after a power cut, and there fsync costs nothing. */
async function makeFolder(): Promise<string> {
  const memory = '/dev/shm';
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  const folder = await mkdtemp(join(free > ENOUGH_MEMORY ? memory : tmpdir(), 'chancery-tests-'));
  // The PostgreSQL of tests may run as another user.
  await chmod(folder, 0o711);
  return folder;
}

function run(these: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  env['CHANCERY_TEST_SEED'] ??= String(seedOfCommit());
  // Whoever names files wants to see all of their cases.
  if (patterns.length > 0) env['CHANCERY_TEST_ALL'] ??= '1';
  // Every file is a process of its own, and a third of what most of them take is reading the same sources. Coverage is
  // told exactly only by sources that were read anew.
  if (!flags.includes('--experimental-test-coverage')) {
    env['NODE_COMPILE_CACHE'] ??= inRoot('node_modules/.cache/tests');
  }
  const runner = spawn(
    process.execPath,
    [
      '--conditions=source',
      `--import=${inRoot('scripts/property-seed.ts')}`,
      ...flags,
      inRoot('scripts/run-test-files.ts'),
      ...these,
    ],
    { stdio: 'inherit', env },
  );
  // The runner hears Ctrl-C itself; we outlive it to stop the server.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => runner.kill(signal));
  return new Promise<number>((resolve, reject) => {
    runner.once('error', reject);
    runner.once('exit', (status) => resolve(status ?? 1));
  });
}

function inRoot(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** Outside a clone: any. */
function seedOfCommit(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.slice(0, 7), 16);
  } catch {
    return Date.now() % 2 ** 31;
  }
}
