/**
 * Runs the test files that it is given, as `scripts/test.ts` does. The slowest start first, so that none of
 * them is left to the end; those that take milliseconds share a process. The slowest are named before the
 * figures of Node's test runner.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';

/** Milliseconds until a test that hangs fails: more than any test takes on a machine with other work. */
const TIMEOUT = 600_000;
/**
 * Files of these folders share processes, so many at most: to load the sources and to warm up takes longer
 * than most tests.
 */
const SHARED: Readonly<Record<string, number>> = {
  'src/': 100,
  'admin/src/': 100,
  'test/backup/': 6,
  'test/browser/': 11,
  'test/client/': 10,
  'test/clients/': 10,
  'test/dialect/': 12,
  'test/document/': 10,
  'test/fault/': 10,
  'test/frappe/': 10,
  'test/http/': 10,
  'test/load/': 10,
  'test/property/': 10,
  'test/security/': 5,
  'test/site/': 10,
  'test/wire/': 10,
};
/** A file with one of these has a process for itself: what it measures, replaces or starts belongs to the process. */
const ALONE =
  /\bprocess\.(?:env|on|once|emit|exit|chdir|umask|memoryUsage|cpuUsage)|import .*\bmock\b|\/proc\/self|support\/(?:browser|descriptors|server-process)|child_process|setFlagsFromString|globalThis\.\w+ =|\(globalThis,/m;
/** The files and folders that take longest, the longest first. */
const LONG = [
  'test/torture/',
  'test/browser/',
  'test/fuzz/',
  'test/chaos/',
  'test/regular-expressions.test.ts',
  'test/fault/',
  'test/s3/',
  'test/site/',
  'test/backup/',
  'test/load/',
  'test/package.test.ts',
  'test/launch.test.ts',
  'test/canary/',
  'test/security/',
  'test/http/',
];
/** An import of a support file. */
const SUPPORT = /^(?:import|\} from) .*'(\.[^']*\/support\/[^']+)';$/gm;
const SLOWEST_TOLD = 10;

/** What one process runs. */
interface Share {
  /** What Node is given: the test file, or one that imports several. */
  readonly path: string;
  readonly files: readonly string[];
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
const scratch = await mkdtemp(join(tmpdir(), 'chancery-test-files-'));
try {
  process.exitCode = (await runShares(await arrange(process.argv.slice(2)))) ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true });
}

/** Resolves to what each process runs, in order. */
async function arrange(files: readonly string[]): Promise<readonly Share[]> {
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await readFile(file, 'utf8'));
  const shares: Share[] = [];
  let left = [...files];
  for (const [folder, most] of Object.entries(SHARED)) {
    const found = left.filter((file) => file.startsWith(folder) && !ALONE.test(texts.get(file) ?? ''));
    if (found.length < 2) continue;
    left = left.filter((file) => !found.includes(file));
    for (let from = 0; from < found.length; from += most) {
      const some = found.slice(from, from + most);
      const path = join(scratch, `${shares.length}.mjs`);
      await writeFile(path, importEach(some, texts));
      shares.push({ path, files: some });
    }
  }
  const alone = left.map((file) => ({ path: resolve(file), files: [file] }));
  const rank = ({ files: [first = ''] }: Share) => {
    const found = LONG.findIndex((folder) => first.startsWith(folder));
    return found === -1 ? LONG.length : found;
  };
  return [...alone, ...shares].sort((a, b) => rank(a) - rank(b));
}

/** Each file is a suite, so that its hooks are its own and the runner measures its time. */
function importEach(files: readonly string[], texts: ReadonlyMap<string, string>): string {
  // What `property-seed.ts` looks for.
  const mark = files.some((file) => texts.get(file)?.includes("'fast-check'")) ? "// 'fast-check'\n" : '';
  // Loaded outside of the suites, so that the hooks of a support file belong to the process.
  const support = files.flatMap((file) =>
    [...(texts.get(file) ?? '').matchAll(SUPPORT)].map(([, path = '']) => join(file, '..', path)),
  );
  const imports = [...new Set(support)].map((path) => `await import(${urlOf(path)});\n`);
  const suites = files.map((file) => `describe(${JSON.stringify(file)}, () => import(${urlOf(file)}));\n`);
  return [mark, "import { describe } from 'node:test';\n", ...imports, ...suites].join('');
}

function urlOf(file: string): string {
  return JSON.stringify(pathToFileURL(resolve(file)).href);
}

async function runShares(shares: readonly Share[]): Promise<boolean> {
  const events = run({
    files: shares.map(({ path }) => path),
    // Files wait for servers and browsers most of the time.
    concurrency: 3 * availableParallelism(),
    timeout: TIMEOUT,
    signal: stopping.signal,
    coverage: process.execArgv.includes('--experimental-test-coverage'),
  });
  let success = false;
  events.on('test:summary', (summary) => {
    if (summary.file === undefined) success = summary.success;
  });
  const output = events.compose((all: AsyncIterable<TestEvent>) => withSlowest(all, shares)).compose(spec());
  for await (const text of output) process.stdout.write(text);
  return success;
}

/** Passes on what happens, and names the slowest files before the summary. */
async function* withSlowest(
  events: AsyncIterable<TestEvent>,
  shares: readonly Share[],
): AsyncGenerator<TestEvent> {
  const files = new Set(shares.flatMap((share) => share.files));
  const durations = new Map<string, number>();
  for await (const event of events) {
    const { type, data } = event;
    if (type === 'test:complete' && data.nesting === 0) {
      // A process reports its end like a test, under its absolute path.
      const file = isAbsolute(data.name) ? relative('.', data.name) : data.name;
      if (files.has(file)) durations.set(file, data.details.duration_ms);
    }
    if (type === 'test:fail' && data.nesting === 0) yield* endOfProcess(data);
    // Only what is said of the whole run belongs to no file.
    if (type === 'test:diagnostic' && data.file === undefined) {
      yield* slowest(durations);
      durations.clear();
    }
    yield event;
  }
}

/**
 * Says how the process of a file ended, because Node's reporters say only that the file failed. A signal, or a code
 * other than 1, tells a crash from a failed test.
 */
function* endOfProcess({
  name,
  details,
}: Extract<TestEvent, { type: 'test:fail' }>['data']): Generator<TestEvent> {
  const { exitCode, signal } = details.error as {
    readonly exitCode?: number | null;
    readonly signal?: string | null;
  };
  if (exitCode === undefined || (exitCode === 1 && !signal)) return;
  const message = `${name} ended with ${signal ?? `exit code ${exitCode}`}`;
  yield { type: 'test:diagnostic', data: { nesting: 0, level: 'error', message } };
}

function* slowest(durations: ReadonlyMap<string, number>): Generator<TestEvent> {
  const longest = [...durations].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_TOLD);
  for (const [file, millis] of longest) {
    const message = `${(millis / 1000).toFixed(1)} s ${file}`;
    yield { type: 'test:diagnostic', data: { nesting: 0, level: 'info', message } };
  }
}
