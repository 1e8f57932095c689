/**
 * Runs the test files that it is given, as `scripts/test.ts` does. The slowest start first, so that none of them is left to the
 * end; those that take milliseconds share a process. The slowest are named before the figures of Node's test runner.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';

/** Milliseconds until a test that hangs fails: more than any test takes on a machine with other work. */
const TIMEOUT = 300_000;
/** Files of these folders run one after another in one process: to load the sources takes longer than their tests. */
const TOGETHER = ['src/', 'admin/src/'];
/** The folders whose files take longest, the longest first. */
const LONG = ['test/torture/', 'test/browser/', 'test/fault/', 'test/site/', 'test/security/'];
const SLOWEST_TOLD = 10;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
const scratch = await mkdtemp(join(tmpdir(), 'chancery-test-files-'));
try {
  process.exitCode = (await runFiles(await arrange(process.argv.slice(2)))) ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true });
}

/** Resolves to the paths to run, in order; one of them stands for all that run together. */
async function arrange(files: readonly string[]): Promise<readonly string[]> {
  const together = files.filter((file) => TOGETHER.some((folder) => file.startsWith(folder)));
  if (together.length < 2) return inOrder(files);
  const alone = files.filter((file) => !together.includes(file));
  return [...inOrder(alone), await oneFile(together)];
}

function inOrder(files: readonly string[]): readonly string[] {
  const rank = (file: string) => {
    const found = LONG.findIndex((folder) => file.startsWith(folder));
    return found === -1 ? LONG.length : found;
  };
  return files.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

async function oneFile(files: readonly string[]): Promise<string> {
  const path = join(scratch, 'together.mjs');
  const imports = files.map(
    (file) => `await import(${JSON.stringify(pathToFileURL(resolve(file)).href)});\n`,
  );
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  // What `property-seed.ts` looks for.
  const marks = texts.some((text) => text.includes("'fast-check'")) ? "// 'fast-check'\n" : '';
  await writeFile(path, marks + imports.join(''));
  return path;
}

async function runFiles(files: readonly string[]): Promise<boolean> {
  const events = run({
    files: [...files],
    // Files wait for servers and browsers part of the time.
    concurrency: availableParallelism() + 1,
    timeout: TIMEOUT,
    signal: stopping.signal,
    coverage: process.execArgv.includes('--experimental-test-coverage'),
  });
  let success = false;
  events.on('test:summary', (summary) => {
    if (summary.file === undefined) success = summary.success;
  });
  const output = events.compose((all: AsyncIterable<TestEvent>) => withSlowest(all, files)).compose(spec());
  for await (const text of output) process.stdout.write(text);
  return success;
}

/** Passes on what happens, and names the slowest files before the summary. */
async function* withSlowest(
  events: AsyncIterable<TestEvent>,
  files: readonly string[],
): AsyncGenerator<TestEvent> {
  const durations = new Map<string, number>();
  for await (const event of events) {
    const { type, data } = event;
    if (type === 'test:complete' && data.nesting === 0 && files.includes(data.name))
      durations.set(data.name, data.details.duration_ms);
    // Only what is said of the whole run belongs to no file.
    if (type === 'test:diagnostic' && data.file === undefined) {
      yield* slowest(durations);
      durations.clear();
    }
    yield event;
  }
}

function* slowest(durations: ReadonlyMap<string, number>): Generator<TestEvent> {
  const longest = [...durations].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_TOLD);
  for (const [file, millis] of longest) {
    const name = file.startsWith(scratch) ? TOGETHER.join(' and ') : relative('.', resolve(file));
    const message = `${(millis / 1000).toFixed(1)} s ${name}`;
    yield { type: 'test:diagnostic', data: { nesting: 0, level: 'info', message } };
  }
}
