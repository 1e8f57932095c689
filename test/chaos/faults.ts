import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { until } from '../support/until.ts';
import { FAILOVERS } from './failovers.ts';
import { type Pair, synchronize, type World } from './world.ts';

const run = promisify(execFile);

/** A fault as the seed plans it. */
export interface Planned {
  readonly name: string;
  readonly node: number;
  /** Choose how long it lasts, and which of several. Between 0 and 1. */
  readonly length: number;
  readonly choice: number;
  /** Milliseconds before it. */
  readonly wait: number;
}

type Break = (world: World, planned: Planned) => Promise<string>;

const nodeOf = (world: World, { node }: Planned) => {
  const found = world.nodes[node];
  if (!found) throw new Error(`no node ${node}`);
  return found;
};
const one = <T>(all: readonly T[], choice: number): T => all[Math.floor(choice * all.length)] as T;
const between = (low: number, high: number, length: number) => Math.round(low + length * (high - low));

/** Faults of all worlds. Each has healed when it resolves, to words about what it did. */
const FAULTS: Readonly<Record<string, Break>> = {
  async 'kill -9'(world, planned) {
    const node = nodeOf(world, planned);
    await node.server.end('SIGKILL');
    await pause(between(0, 2_000, planned.length));
    await node.start();
    return `node ${planned.node}`;
  },
  async restart(world, planned) {
    const node = nodeOf(world, planned);
    await node.server.end('SIGTERM');
    await node.start();
    return `node ${planned.node}`;
  },
  async freeze(world, planned) {
    const millis = between(500, 8_000, planned.length);
    const { child } = nodeOf(world, planned).server;
    child.kill('SIGSTOP');
    await pause(millis);
    child.kill('SIGCONT');
    return `node ${planned.node} for ${millis} ms`;
  },
  'lose a message': loseMessage,
  async 'delay messages'(world, planned) {
    const millis = between(100, 4_000, planned.length);
    const { proxies } = nodeOf(world, planned);
    for (const proxy of proxies) proxy.freeze();
    await pause(millis);
    for (const proxy of proxies) proxy.thaw();
    return `of node ${planned.node} for ${millis} ms`;
  },
  async 'cut off a node'(world, planned) {
    const millis = between(0, 6_000, planned.length);
    const { proxies } = nodeOf(world, planned);
    await Promise.all(proxies.map((proxy) => proxy.cut()));
    await pause(millis);
    await Promise.all(proxies.map((proxy) => proxy.mend()));
    return `node ${planned.node} for ${millis} ms`;
  },
  async 'cut off the files'(world, { length }) {
    const millis = between(0, 3_000, length);
    await world.storage?.cut();
    await pause(millis);
    await world.storage?.mend();
    return `for ${millis} ms`;
  },
  async 'set a clock'(world, planned) {
    const shift = one([-3_600_000, -5_000, 5_000, 3_600_000], planned.choice);
    const { clock } = nodeOf(world, planned);
    await writeFile(clock, String(shift));
    await pause(between(1_000, 4_000, planned.length));
    await writeFile(clock, '0');
    return `of node ${planned.node} by ${shift / 1000} s`;
  },
};

/** Of a pair. */
const OF_PAIRS: Readonly<Record<string, (world: World, pair: Pair, planned: Planned) => Promise<string>>> = {
  'stop the database': (world, pair) => restartDatabase(world, pair, 'SIGINT'),
  'crash the database': (world, pair) => restartDatabase(world, pair, 'SIGQUIT'),
  'promote the standby': (_, pair) => promote(pair),
  'fill the disk': fillDisk,
};

/** The names of the faults that this world can have. */
export function faultsOf({ disk, storage, hasPooler, pair }: World): readonly string[] {
  return [...Object.keys(FAULTS), ...Object.keys(pair ? OF_PAIRS : FAILOVERS)].filter(
    (name) =>
      !(name === 'fill the disk' && disk === null) &&
      !(name === 'cut off the files' && storage === null) &&
      !(name === 'promote the standby' && hasPooler),
  );
}

/** So many faults by chance: the same for the same seed. */
export function plan(names: readonly string[], count: number, seed: number): readonly Planned[] {
  const fraction = fc.noBias(fc.integer({ min: 0, max: 999 })).map((number) => number / 1_000);
  const planned = fc.record({
    name: fc.noBias(fc.constantFrom(...names)),
    node: fc.noBias(fc.nat(2)),
    length: fraction,
    choice: fraction,
    wait: fc.noBias(fc.nat(1_500)),
  });
  return fc.sample(planned, { numRuns: count, seed });
}

/** Makes a fault happen, and heals it. Resolves to what was done. */
export async function inflict(world: World, planned: Planned): Promise<string> {
  const { pair, patroni } = world;
  const { name } = planned;
  await pause(planned.wait);
  if (pair && OF_PAIRS[name]) return OF_PAIRS[name](world, pair, planned);
  if (patroni && FAILOVERS[name]) return FAILOVERS[name](world, patroni, planned);
  return (await FAULTS[name]?.(world, planned)) ?? '';
}

async function restartDatabase(world: World, { primary }: Pair, signal: NodeJS.Signals): Promise<string> {
  await primary.end(signal);
  await primary.start();
  // A pooler that has met the lost server refuses everybody for a while.
  await until(world.answers);
  return signal;
}

/** Statements of transactions: creations, changes and the queue of deliveries. */
const STATEMENTS = ['"_series"', '"Chaos"', '"_webhook_delivery"'];

/** Loses one message of a transaction: with its connection, or all that one side says from there on. */
async function loseMessage(world: World, { choice, length, node }: Planned): Promise<string> {
  const proxy = await world.messages();
  const statement = one(STATEMENTS, choice);
  const { messages } = proxy.watch(statement);
  if (!(await inTime(() => messages.length > 0))) return `no transaction with ${statement} came`;
  await pause(300);
  const from = node === 0 ? 'client' : 'server';
  const sent = messages.filter((message) => message.from === from);
  const place = Math.floor(length * sent.length);
  const instead = (choice * 7) % 1 < 0.5 ? 'cut' : 'silence';
  const watch = proxy.watch(statement, { from, place, instead });
  const isHit = await inTime(() => watch.isHit);
  const met = isHit ? '' : ': not met';
  return `${instead} at message ${place}, ${sent[place]?.kind}, of the ${from} in ${statement}${met}`;
}

async function inTime(isSo: () => boolean): Promise<boolean> {
  for (const end = performance.now() + 4_000; performance.now() < end && !isSo(); ) await pause(20);
  return isSo();
}

/** The primary dies, the standby takes over, and the former primary comes back as its standby. */
async function promote(pair: Pair): Promise<string> {
  const { primary: former, standby: next } = pair;
  await former.kill();
  await next.ask('select pg_promote()');
  pair.primary = next;
  pair.standby = former;
  await synchronize(pair, false);
  await former.rebuild(next);
  await synchronize(pair, true);
  return `${next.host} follows ${former.host}`;
}

async function fillDisk(world: World, { primary, standby }: Pair, { length }: Planned): Promise<string> {
  const filler = join(world.disk ?? '', 'filler');
  // Ends where the disk is full.
  await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M']).catch(() => {});
  const millis = between(500, 4_000, length);
  await pause(millis);
  await rm(filler);
  await primary.revive();
  if (!world.hasPooler) await standby.revive();
  await until(world.answers);
  return `for ${millis} ms`;
}
