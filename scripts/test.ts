/**
 * What `npm test` runs: one PostgreSQL and one folder of templates for all test files, then `run-test-files.ts`. Arguments replace the
 * default patterns and are passed on: `npm test -- test/http/list.test.ts`.
 *
 * Properties are tried with values by chance, but with the same at each run of a commit, so that what fails fails again.
 * `CHANCERY_TEST_SEED=7 npm test` tries others.
 */
import { execFileSync, spawn } from 'node:child_process';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/support/embedded-postgres.ts';
import { asPostgresAdmin } from '../test/support/postgres.ts';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'apps/**/*.test.ts', 'admin/src/**/*.test.ts'];

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

/** Does it with a PostgreSQL that runs and a folder for templates. */
async function withServices(work: (env: NodeJS.ProcessEnv) => Promise<number>): Promise<number> {
  const given = process.env['CHANCERY_TEST_POSTGRES'];
  // A developer's own server is used as it is; it is theirs to stop.
  const server = given ? { url: given, stop: async () => {} } : await startPostgres();
  const templates = await mkdtemp(join(tmpdir(), 'chancery-templates-'));
  const env = { ...process.env, CHANCERY_TEST_POSTGRES: server.url, CHANCERY_TEST_TEMPLATES: templates };
  try {
    return await work(env);
  } finally {
    const drop = `drop database if exists "${basename(templates).toLowerCase()}"`;
    // A server that cannot be reached has no template.
    if (given) await asPostgresAdmin((client) => client.query(drop)).catch(() => {});
    await rm(templates, { recursive: true });
    await server.stop();
  }
}

function run(these: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  env['CHANCERY_TEST_SEED'] ??= String(seedOfCommit());
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
