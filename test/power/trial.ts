import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Disk, type Fate } from './disk.ts';
import { keepsPromises, type Promised } from './journal.ts';
import { type Change, readRecord } from './record.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** False where no C compiler is, which the recorder needs, or no LD_PRELOAD. */
export function canRecord(): boolean {
  return process.platform === 'linux' && spawnSync('gcc', ['--version']).status === 0;
}

/** Runs the work in a process of its own, and resolves to what it did to the disk. */
export function recordWork(rounds: number): Change[] {
  const place = mkdtempSync(join(tmpdir(), 'chancery-power-'));
  try {
    const recorder = join(place, 'recorder.so');
    const flags = ['-O2', '-shared', '-fPIC', '-D_LARGEFILE64_SOURCE', '-o', recorder];
    execFileSync('gcc', [...flags, here('recorder.c'), '-ldl', '-lpthread'], { stdio: 'inherit' });
    const root = join(place, 'root');
    mkdirSync(root);
    const env = {
      ...process.env,
      LD_PRELOAD: recorder,
      POWER_ROOT: root,
      POWER_LOG: join(place, 'record'),
      POWER_DATA: join(root, 'site', 'data'),
      POWER_ROUNDS: String(rounds),
    };
    const argv = ['--conditions=source', here('work.ts')];
    execFileSync(process.execPath, argv, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    return readRecord(join(place, 'record'));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Some syncs that the work makes, as if nobody had programmed them. */
export interface Omission {
  readonly name: string;
  /** `path` is that of the file or of the directory. */
  omits(path: string, kind: 'sync' | 'entries'): boolean;
}

/** Syncs whose loss the trial must notice, a name and what it leaves out. */
export const OMISSIONS: readonly Omission[] = [
  of('the log of the database', (path, kind) => kind === 'sync' && path.endsWith('chancery.db-wal')),
  of(
    'the database before its log begins anew',
    (path, kind) => kind === 'sync' && path.endsWith('/chancery.db'),
  ),
  of('the bytes of stored files', (path, kind) => kind === 'sync' && /\/files\/..\//.test(path)),
  of('the names of stored files', (path, kind) => kind === 'entries' && /\/files\/..$/.test(path)),
  of('the directories of stored files', (path, kind) => kind === 'entries' && /\/files$/.test(path)),
  of('the name of the data directory', (path, kind) => kind === 'entries' && path === 'site'),
  of('the bytes of secret.key', (path, kind) => kind === 'sync' && path.includes('secret.key')),
  of('the bytes of backups', (path, kind) => kind === 'sync' && path.includes('/backups/')),
  of('the names of backups', (path, kind) => kind === 'entries' && /\/backups\/here\/.*/.test(path)),
];

function of(name: string, omits: Omission['omits']): Omission {
  return { name, omits };
}

/** A power failure that broke a promise. */
export interface Failure {
  readonly instant: number;
  readonly seed: number;
  readonly reason: string;
}

/** Which failures to try. */
interface Trial {
  /** Each decides about an instant, and about what is left then. */
  readonly seeds: readonly number[];
  /** The instant of a seed, as a number of changes. Default: a random one. */
  readonly instantOf?: (seed: number) => number;
  readonly omission?: Omission;
  /** Broken promises after which the trial ends. */
  readonly enough?: number;
}

/** Lets the power fail at some instants, and starts a site on what is left. */
export async function failAtInstants(
  changes: readonly Change[],
  { seeds, instantOf, omission, enough = Number.POSITIVE_INFINITY }: Trial,
  onInstant: (done: number, failures: readonly Failure[]) => void = () => {},
): Promise<Failure[]> {
  const instants = seeds
    .map((seed) => ({ seed, instant: instantOf?.(seed) ?? 1 + Math.floor(numbers(seed)() * changes.length) }))
    .sort((a, b) => a.instant - b.instant);
  const paths = new Map<string, string>();
  const disk = new Disk();
  const promised: Promised[] = [];
  const failures: Failure[] = [];
  let at = 0;
  for (const [index, { seed, instant }] of instants.entries()) {
    for (; at < instant; at += 1) {
      const change = changes[at];
      if (!change) break;
      if (change.kind === 'create') paths.set(change.ino, change.path);
      if (change.kind === 'promise') promised.push(JSON.parse(change.promise) as Promised);
      if (!isOmitted(change, paths, omission)) disk.do(change);
    }
    const reason = await failureAt(disk, promised, seed);
    if (reason !== null) failures.push({ instant, seed, reason });
    onInstant(index + 1, failures);
    if (failures.length >= enough) break;
  }
  return failures;
}

function isOmitted(change: Change, paths: ReadonlyMap<string, string>, omission?: Omission): boolean {
  if (!omission || (change.kind !== 'sync' && change.kind !== 'entries')) return false;
  const path = change.kind === 'sync' ? paths.get(change.ino) : change.path;
  return path !== undefined && omission.omits(path, change.kind);
}

async function failureAt(disk: Disk, promised: readonly Promised[], seed: number): Promise<string | null> {
  const left = mkdtempSync(join(tmpdir(), 'chancery-power-'));
  try {
    disk.failInto(left, fateOf(seed));
    await keepsPromises(left, promised);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(left, { recursive: true, force: true });
  }
}

/** A third of the failures lose all that is not synced, a third lose half of it, and a third tear writes, too. */
function fateOf(seed: number): Fate {
  const next = numbers(seed + 1_000_003);
  if (seed % 3 === 0) return { keeps: () => false, sectors: () => 0 };
  const keeps = () => next() < 0.5;
  if (seed % 3 === 1) return { keeps, sectors: (all) => (keeps() ? all : 0) };
  return { keeps, sectors: (all) => Math.floor(next() * (all + 1)) };
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
