/**
 * `npm run chaos -- --faults 100 --seed 7 [--pooler] [--files s3|folder] [--only "kill -9,freeze"]`: three nodes
 * under load, and faults. `--patroni` lets Patroni promote, and `--asynchronous` lets it lose what no standby has.
 * README.md beside this file says what is decided at the end.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { status } from '../torture/behaviours.ts';
import { accept, Receiver } from '../torture/receiver.ts';
import { Clients, DOCTYPE } from './clients.ts';
import { PROBE } from './failovers.ts';
import { faultsOf, inflict, plan } from './faults.ts';
import { losses } from './journal.ts';
import { NO_PATRONI } from './patroni.ts';
import { decide, listOf, prepare, steppedDoctype } from './verdict.ts';
import { openWorld, type World } from './world.ts';

const CLIENTS = 6;
/** Milliseconds after the last fault in which every node must serve, and every event be delivered. */
const SERVE_WITHIN = 30_000;

const { values: flags } = parseArgs({
  options: {
    faults: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    files: { type: 'string', default: 's3' },
    pooler: { type: 'boolean', default: false },
    patroni: { type: 'boolean', default: false },
    asynchronous: { type: 'boolean', default: false },
  },
});
const began = performance.now();
const seconds = (since = began) => ((performance.now() - since) / 1000).toFixed(1);
const say = (line: string) => console.log(`${seconds().padStart(6)} s  ${line}`);

if (flags.patroni && NO_PATRONI !== false) throw new Error(NO_PATRONI);
const receiver = await Receiver.start();
const world = await openWorld({
  database: flags.patroni ? 'patroni' : flags.pooler ? 'pooler' : 'pair',
  synchronous: !flags.asynchronous,
  s3: flags.files === 's3',
});
let faults: string[] = [];
try {
  faults = await run(world);
} catch (error) {
  faults = [`the run broke off: ${error instanceof Error ? error.stack : error}`];
}
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`);
const verdict = faults.length === 0 ? 'no fault' : `${faults.length} faults; logs are in ${world.root}`;
console.log(`seed ${flags.seed}, ${flags.faults} faults inflicted, in ${seconds()} s: ${verdict}`);
await world.close(faults.length > 0);
await receiver.close();
process.exit(faults.length === 0 ? 0 : 1);

async function run(world: World): Promise<string[]> {
  const clients = new Clients(world.url);
  const secret = await prepare(clients, receiver, [steppedDoctype(PROBE, 'hash')]);
  let calls = 0;
  receiver.decide = () => {
    calls += 1;
    return calls % 11 === 0 ? status(500) : accept;
  };
  let isOver = false;
  const load = Array.from({ length: CLIENTS }, (_, client) => clients.run(client, () => isOver));
  const names = faultsOf(world).filter((name) => flags.only === '' || flags.only.split(',').includes(name));
  for (const [index, planned] of plan(names, Number(flags.faults), Number(flags.seed)).entries()) {
    say(`${index + 1} ${planned.name} …`);
    say(`${index + 1} ${planned.name} ${await inflict(world, planned)}`);
  }
  const healed = performance.now();
  const late = await serving(world);
  say(`every node served ${seconds(healed)} s after the last fault`);
  isOver = true;
  await Promise.all(load);
  for (const line of summary(world)) say(line);
  if (flags.asynchronous) return [...late, ...(await tellLosses(clients, world))];
  const found = [...late, ...(await decide(clients, receiver, secret, say))];
  const lines = clients.entries.map((entry) => JSON.stringify(entry));
  if (found.length > 0) writeFileSync(join(world.root, 'journal.jsonl'), lines.join('\n'));
  return found;
}

function* summary({ failovers }: World): Iterable<string> {
  if (failovers.length === 0) return;
  const of = (kind: 'promoted' | 'healed') => {
    const all = failovers.map((failover) => failover[kind]).sort((a, b) => a - b);
    return `${all[Math.floor(all.length / 2)]} ms in the median, ${all.at(-1)} ms at most`;
  };
  yield `${failovers.length} failovers: promoted after ${of('promoted')}; every node wrote ${of('healed')} later`;
}

/** Without synchronous replication, acknowledged changes may be lost. Says how many, and how old they were. */
async function tellLosses(clients: Clients, { failovers }: World): Promise<string[]> {
  const reply = await clients.get(listOf(DOCTYPE, ['name', 'title', 'step']));
  if (reply === null) return ['the documents cannot be read'];
  const documents = clients.entries.filter(({ kind }) => kind === 'document');
  const lost = losses(documents, reply.data);
  const ages = lost.map(({ at = 0 }) => {
    const failover = failovers.find((one) => one.at + one.promoted >= at);
    return failover ? failover.at - at : 0;
  });
  say(`${documents.length} documents; the last acknowledged change of ${lost.length} is lost`);
  const [from, to] = [Math.max(...ages), Math.min(...ages)];
  if (lost.length > 0)
    say(`acknowledged from ${from} ms before to ${-to} ms after the loss of the primary began`);
  return [];
}

/** Waits until each node says that it is ready. Resolves to the nodes that do not. */
async function serving({ nodes }: World): Promise<string[]> {
  const asked = nodes.map(async ({ server }, index) => {
    const ready = async () => (await fetch(`${server.url}/ready`).catch(() => null))?.ok === true;
    for (const end = performance.now() + SERVE_WITHIN; performance.now() < end; await pause(50))
      if (await ready()) return [];
    return [`node ${index} does not serve ${SERVE_WITHIN} ms after the last fault`];
  });
  return (await Promise.all(asked)).flat();
}
