/**
 * node test/torture/torture.ts [--sender sqlite|postgres|workers|./my-sender.ts] [--only kill,hostile] [--size 200]
 * [--rounds 3]
 *
 * Trials of a webhook sender; README.md beside this file says what they do and how to point them at a sender of yours.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { DURABLE, startPostgres } from '../support/embedded-postgres.ts';
import { chancery } from './chancery.ts';
import type { OpenSender } from './sender.ts';
import { TRIALS } from './trials.ts';

const { values: flags } = parseArgs({
  options: {
    sender: { type: 'string', default: 'sqlite' },
    only: { type: 'string', default: '' },
    size: { type: 'string', default: '' },
    rounds: { type: 'string', default: '1' },
  },
});
// As an operator runs it: the one of the tests neither cleans up behind a queue nor waits for the disk.
if (flags.sender === 'postgres' || flags.sender === 'workers')
  process.env['CHANCERY_TEST_POSTGRES'] ??= (await startPostgres(DURABLE)).url;
const only = new Set(flags.only.split(',').filter((name) => name !== ''));
const open = await senderOf(flags.sender);
const probe = await open();
const { name, hasNodes } = probe;
await probe.close();
console.log(`${name}\n`);

let failures = 0;
for (let round = 0; round < Number(flags.rounds); round += 1) {
  for (const trial of TRIALS) {
    if (only.size > 0 && !only.has(trial.name)) continue;
    if (trial.needsNodes && !hasNodes) continue;
    const notes: string[] = [];
    const note = (what: string, value: string) => void notes.push(`${what} ${value}`);
    const began = performance.now();
    const size = flags.size === '' ? trial.size : Number(flags.size);
    const fault = await trial.run({ open, size, note }).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (fault !== null) failures += 1;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${fault === null ? 'stood ' : 'FAILED'} ${trial.name} (${seconds} s) ${notes.join(', ')}`);
    if (fault !== null) console.log(`       ${fault}`);
  }
}
process.exit(failures === 0 ? 0 : 1);

async function senderOf(name: string): Promise<OpenSender> {
  if (name === 'sqlite' || name === 'postgres') return chancery(name);
  if (name === 'workers') return chancery('postgres', 3);
  const module = (await import(pathToFileURL(resolve(name)).href)) as { openSender: OpenSender };
  return module.openSender;
}
