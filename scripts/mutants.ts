/**
 * What `npm run mutants` does: breaks a copy of the checkout by one mutation of `test/mutations.txt` at a
 * time, and expects the tests of its rows of `docs/interface-coverage.md` to fail. Tests run on SQLite only.
 * Arguments choose mutations, by the beginning of a row or a part of a path: `npm run mutants -- 4.1
 * src/webhook/`. The exit status is 1 when a mutation survives.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  coverageRows,
  type Mutation,
  mutations,
  type NamedTest,
} from '../test/support/interface-coverage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOT_COPIED = new Set(['node_modules', '.git', 'dist']);
/** Milliseconds for the tests of a mutation, which may wait for ever. */
const TIMEOUT = 900_000;

const wanted = process.argv.slice(2);
const chosen = mutations(ROOT).filter(
  ({ rows, file }) =>
    wanted.length === 0 || wanted.some((one) => file.includes(one) || rows.some((row) => isOf(row, one))),
);
const rows = new Map(coverageRows(ROOT).map(({ id, tests }) => [id, tests]));
const copy = mkdtempSync(join(tmpdir(), 'chancery-mutants-'));
process.once('SIGINT', () => process.exit(1));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
cpSync(ROOT, copy, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
const ENVIRONMENT = {
  ...process.env,
  CHANCERY_TEST_SEED: '1',
  CHANCERY_TEST_ENGINES: 'sqlite',
  // Milliseconds: most broken webhooks send nothing, and the tests wait for it.
  CHANCERY_TEST_PATIENCE: '15000',
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/tests'),
};

const unbroken = run(chosen.flatMap(testsOf));
if (unbroken.failed.length > 0) {
  throw new Error(`Without a mutation fails: ${unbroken.failed[0]?.title}: ${unbroken.reason}`);
}
const survivors = chosen.filter((mutation, index) => {
  const { failed, reason } = inCopy(mutation, () => run(testsOf(mutation)));
  const isKilled = (row: string) => rows.get(row)?.some((test) => failed.includes(test)) ?? false;
  const { file, text, replacement } = mutation;
  const verdicts = mutation.rows.map((row) => `${row} ${isKilled(row) ? 'killed' : 'SURVIVES'}`);
  console.log(`${index + 1}/${chosen.length} ${verdicts.join(', ')}: ${file}`);
  console.log(`  - ${text.trim()}\n  + ${replacement.trim()}\n  ${reason}`);
  return !mutation.rows.every(isKilled);
});
console.log(`${chosen.length - survivors.length} of ${chosen.length} mutations killed`);
for (const { file, text } of survivors) console.log(`survived: ${file}: ${text.trim()}`);
process.exitCode = survivors.length === 0 ? 0 : 1;

/** True for a row, its section, and the section above: `4.1-3`, `4.1`, `4`. */
function isOf(row: string, wanted: string): boolean {
  return row === wanted || row.startsWith(`${wanted}-`) || row.startsWith(`${wanted}.`);
}

function testsOf(mutation: Mutation): readonly NamedTest[] {
  return mutation.rows.flatMap((row) => rows.get(row) ?? []);
}

function inCopy<T>({ file, text, replacement }: Mutation, work: () => T): T {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(text, () => replacement),
  );
  try {
    return work();
  } finally {
    writeFileSync(path, source);
  }
}

/** The tests that fail, and the first error. All fail if the process ends before it has run one. */
function run(tests: readonly NamedTest[]): {
  readonly failed: readonly NamedTest[];
  readonly reason: string;
} {
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [
      '--conditions=source',
      `--import=${join(copy, 'scripts/property-seed.ts')}`,
      '--test',
      '--test-isolation=none',
      '--test-reporter=spec',
      `--test-name-pattern=/(?:${tests.map(patternOf).join('|')})/`,
      ...new Set(tests.map(({ file }) => file)),
    ],
    { cwd: copy, encoding: 'utf8', timeout: TIMEOUT, env: ENVIRONMENT },
  );
  const output = stdout + stderr;
  const lines = (mark: string) => output.match(new RegExp(`^\\s*${mark} .*$`, 'gm')) ?? [];
  const [passed, broken] = [lines('✔'), lines('✖')];
  const isIn = (some: readonly string[], test: NamedTest) =>
    some.some((line) => new RegExp(`${patternOf(test)} \\(`).test(line));
  const failed = tests.filter((test) => isIn(broken, test) || !isIn(passed, test));
  const reason = /^\s*\S*Error\b.*$/m.exec(output)?.[0].trim() ?? String(error ?? '');
  return { failed, reason };
}

/** A title as a regular expression: a place with `${…}` matches any text. */
function patternOf({ title }: NamedTest): string {
  return title
    .split(/\$\{[^}]*\}/)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*');
}
