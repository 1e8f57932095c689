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
/** Milliseconds for the tests of a row. A mutation may make a test wait for ever. */
const TIMEOUT = 300_000;

const wanted = process.argv.slice(2);
const chosen = mutations(ROOT).filter(
  ({ rows, file }) =>
    wanted.length === 0 || wanted.some((one) => file.includes(one) || rows.some((row) => isOf(row, one))),
);
const testsOf = new Map(coverageRows(ROOT).map(({ id, tests }) => [id, tests]));
const copy = mkdtempSync(join(tmpdir(), 'chancery-mutants-'));
process.once('SIGINT', () => process.exit(1));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
cpSync(ROOT, copy, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

for (const tests of new Set(chosen.flatMap(testSets))) {
  const failure = failureOf(tests);
  if (failure !== null) throw new Error(`The tests fail without a mutation:\n${titles(tests)}\n${failure}`);
}
const survivors = chosen.filter((mutation, index) => {
  const failures = inCopy(mutation, () => [...new Set(testSets(mutation))].map(failureOf));
  const survives = failures.includes(null);
  const { rows, file, text, replacement } = mutation;
  console.log(`${index + 1}/${chosen.length} ${survives ? 'SURVIVES' : 'killed'}: ${rows.join(' ')} ${file}`);
  console.log(`  - ${text.trim()}\n  + ${replacement.trim()}\n  ${failures[0] ?? ''}`);
  return survives;
});
console.log(`${chosen.length - survivors.length} of ${chosen.length} mutations killed`);
for (const { rows, file, text } of survivors)
  console.log(`survived: ${rows.join(' ')} ${file}: ${text.trim()}`);
process.exitCode = survivors.length === 0 ? 0 : 1;

/** True for a row, a section, and a section's beginning: `4.1-3`, `4.1`, `4`. */
function isOf(row: string, wanted: string): boolean {
  return row === wanted || row.startsWith(`${wanted}-`) || row.startsWith(`${wanted}.`);
}

/** The tests of each row. Rows with the same tests have the same object. */
function testSets({ rows }: Mutation): readonly (readonly NamedTest[])[] {
  return rows.map((row) => {
    const tests = testsOf.get(row) ?? [];
    const first = [...testsOf.values()].find((other) => JSON.stringify(other) === JSON.stringify(tests));
    return first ?? tests;
  });
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

/** The first line of the failure of the tests; null when all of them pass. */
function failureOf(tests: readonly NamedTest[]): string | null {
  const titled = tests
    .map(({ title }) =>
      title
        .split(/\$\{[^}]*\}/)
        .map(escaped)
        .join('.*'),
    )
    .join('|');
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [
      '--conditions=source',
      `--import=${join(copy, 'scripts/property-seed.ts')}`,
      '--test',
      '--test-reporter=spec',
      // Node compares it with the titles of the suites and the test.
      `--test-name-pattern=/^(?!.*postgres).*(?:${titled})/`,
      ...new Set(tests.map(({ file }) => file)),
    ],
    { cwd: copy, encoding: 'utf8', timeout: TIMEOUT, env: { ...process.env, CHANCERY_TEST_SEED: '1' } },
  );
  if (error) return String(error);
  const output = stdout + stderr;
  if (status !== 0)
    return /^\s*\S*(?:Error|Exception)\b.*$/m.exec(output)?.[0].trim() ?? output.slice(0, 200);
  if (!/^ℹ pass [1-9]/m.test(output)) throw new Error(`No test ran:\n${titles(tests)}\n${output}`);
  return null;
}

function titles(tests: readonly NamedTest[]): string {
  return tests.map(({ file, title }) => `${file}: ${title}`).join('\n');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
