/**
 * What `npm test` runs: one PostgreSQL for all test files, then Node's test runner. Arguments replace the default
 * patterns and are passed on: `npm test -- test/http/list.test.ts`. With `--second-chance` files that failed run once more, alone, and
 * what they say then counts: many tests wait for real processes, which other work on the machine may hold up.
 *
 * Properties are tried with values by chance, but with the same at each run of a commit, so that what fails fails again.
 * `CHANCERY_TEST_SEED=7 npm test` tries others.
 */
import { execFileSync, spawn } from 'node:child_process';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/support/embedded-postgres.ts';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'apps/**/*.test.ts', 'admin/src/**/*.test.ts'];

// A developer's own server is used as it is; it is theirs to stop.
const given = process.env['CHANCERY_TEST_POSTGRES'];
const server = given ? { url: given, stop: async () => {} } : await startPostgres();

const chosen = process.argv.slice(2).filter((argument) => argument !== '--second-chance');
const flags = chosen.filter((argument) => argument.startsWith('-'));
const patterns = chosen.filter((argument) => !argument.startsWith('-'));
const files: string[] = [];
for (const pattern of patterns.length > 0 ? patterns : PATTERNS) {
  for await (const file of glob(pattern, { exclude: (name) => name.includes('node_modules') }))
    files.push(file);
}

// Every file is a process of its own, and a third of what most of them take is reading the same sources. Coverage is
// told exactly only by sources that were read anew.
const env: NodeJS.ProcessEnv = { ...process.env, CHANCERY_TEST_POSTGRES: server.url };
env['CHANCERY_TEST_SEED'] ??= String(seedOfCommit());
if (!flags.includes('--experimental-test-coverage')) {
  env['NODE_COMPILE_CACHE'] ??= inRoot('node_modules/.cache/tests');
}

let code = 1;
if (files.length === 0) console.error(`no test file matches ${patterns.join(' ')}`);
else {
  const scratch = await mkdtemp(join(tmpdir(), 'chancery-failed-'));
  const noted = join(scratch, 'files');
  code = await run([...new Set(files)].sort(), 2, [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${inRoot('scripts/failed-files.ts')}`,
    `--test-reporter-destination=${noted}`,
  ]);
  const failed = (await readFile(noted, 'utf8').catch(() => '')).split('\n').filter((file) => file !== '');
  await rm(scratch, { recursive: true });
  if (code === 1 && failed.length > 0 && process.argv.includes('--second-chance')) {
    console.log(`\nfailed, and run once more:\n${failed.join('\n')}\n`);
    code = await run(failed, 1, []);
  }
}
await server.stop();
process.exitCode = code;

function run(these: readonly string[], concurrency: number, reporters: readonly string[]): Promise<number> {
  const runner = spawn(
    process.execPath,
    [
      '--conditions=source',
      `--import=${inRoot('scripts/property-seed.ts')}`,
      '--test',
      `--test-concurrency=${concurrency}`,
      '--test-timeout=120000',
      ...reporters,
      ...flags,
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
