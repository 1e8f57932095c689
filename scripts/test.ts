/**
 * What `npm test` runs: one PostgreSQL for all test files, then Node's test runner. Arguments replace the default
 * patterns and are passed on: `npm test -- test/http/list.test.ts`.
 */
import { spawn } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/support/embedded-postgres.ts';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'apps/**/*.test.ts', 'admin/src/**/*.test.ts'];

// A developer's own server is used as it is; it is theirs to stop.
const given = process.env['CHANCERY_TEST_POSTGRES'];
const server = given ? { url: given, stop: async () => {} } : await startPostgres();

const chosen = process.argv.slice(2);
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
if (!flags.includes('--experimental-test-coverage')) {
  env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url));
}

let code = 1;
if (files.length === 0) console.error(`no test file matches ${patterns.join(' ')}`);
else {
  const runner = spawn(
    process.execPath,
    [
      '--conditions=source',
      '--test',
      '--test-concurrency=2',
      '--test-timeout=120000',
      ...flags,
      ...[...new Set(files)].sort(),
    ],
    { stdio: 'inherit', env },
  );
  // The runner hears Ctrl-C itself; we outlive it to stop the server.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => runner.kill(signal));
  code = await new Promise<number>((resolve, reject) => {
    runner.once('error', reject);
    runner.once('exit', (status) => resolve(status ?? 1));
  });
}
await server.stop();
process.exitCode = code;
