/**
 * Kills a process that writes to SQLite and sends its changes to a place of backups, and restores the newest state from
 * the place after each kill: it must be a committed state that lacks at most the last second.
 *
 *     npm run backup:kills -- --kills 1000 --seed 7
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { lastStep } from '../support/journal.ts';
import { openPlace, restoreNewest } from '../support/shipped-journal.ts';

const WRITER = fileURLToPath(new URL('../support/shipping-writer.ts', import.meta.url));
/** A journal of so many kills; then another one begins, because a check reads all of it. */
const KILLS_PER_JOURNAL = 20;
/** The most milliseconds that a process writes before it is killed. */
const LONGEST = 2_500;
const ALLOWED = 1_000;

interface Kill {
  /** Milliseconds between the oldest step that is lost and the kill; 0 when none is. */
  readonly loss: number;
  readonly steps: number;
  /** False when the process was killed before its first backup was there. */
  readonly hasBackup: boolean;
}

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
let state = Number(values.seed);

/** A number from 0 to 1, the same ones for a seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}

async function killOnce(folder: string): Promise<Kill> {
  const path = join(folder, 'site.db');
  const place = join(folder, 'backups');
  const child = spawn(process.execPath, ['--conditions=source', WRITER, path, place, '500'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acks: { step: number; at: number }[] = [];
  let next = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [what, step, at] = line.split(' ');
    if (what === 'ack') acks.push({ step: Number(step), at: Number(at) });
    next();
  });
  while (acks.length === 0 && child.exitCode === null) {
    await new Promise<void>((resolve) => {
      next = resolve;
      child.once('exit', () => resolve());
    });
  }
  await new Promise((resolve) => setTimeout(resolve, random() * LONGEST));
  if (child.exitCode !== null) throw new Error(`the writer ended with ${child.exitCode}`);
  const killed = Date.now();
  child.kill('SIGKILL');
  if (child.signalCode === null) await once(child, 'exit');
  const repository = await openPlace(diskTarget(place));
  if ((await repository.names()).length === 0) return { loss: 0, steps: acks.length, hasBackup: false };
  const to = join(folder, 'restored.db');
  await restoreNewest(place, to);
  const last = await lastStep(to);
  await rm(to);
  const lost = acks.filter(({ step }) => step > last).map(({ at }) => at);
  const loss = lost.length === 0 ? 0 : killed - Math.min(...lost);
  const began = acks[0]?.at ?? killed;
  if (loss > ALLOWED) {
    console.log(
      `a loss of ${loss} ms: killed ${killed - began} ms after the first step, all of it: ${lost.length === acks.length}`,
    );
  }
  return { loss, steps: acks.length, hasBackup: true };
}

const kills: Kill[] = [];
let journals = 0;
let backups = 0;
while (kills.length < Number(values.kills)) {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-kills-'));
  try {
    journals += 1;
    for (let kill = 0; kill < KILLS_PER_JOURNAL && kills.length < Number(values.kills); kill += 1) {
      kills.push(await killOnce(folder));
    }
    backups += (await (await openPlace(diskTarget(join(folder, 'backups')))).names()).length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`${kills.length} kills, the largest loss ${Math.max(...kills.map(({ loss }) => loss))} ms`);
}
const losses = kills
  .filter(({ hasBackup }) => hasBackup)
  .map(({ loss }) => loss)
  .sort((a, b) => a - b);
const steps = kills.reduce((sum, kill) => sum + kill.steps, 0);
const share = (part: number) => losses[Math.floor((losses.length - 1) * part)] ?? 0;
console.log(
  `${kills.length} kills in ${journals} journals, ${steps} steps, ${backups} backups; ` +
    `${kills.length - losses.length} before the first backup. Every restored state was a committed one. ` +
    `Loss: p50 ${share(0.5)}, p90 ${share(0.9)}, p99 ${share(0.99)}, most ${share(1)} ms`,
);
const late = losses.filter((loss) => loss > ALLOWED).length;
if (late > 0) console.log(`${late} losses were longer than ${ALLOWED} ms`);
process.exitCode = late > 0 ? 1 : 0;
