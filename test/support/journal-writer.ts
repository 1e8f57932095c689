/**
 * A process to be killed: writes steps of a journal as fast as it can, several at once, and says `ack <n>` after each
 * was answered. Its checkpoints begin after 256 KiB. Arguments: the URL of the database, the first step.
 */
import { openDatabase } from '../../src/db/open-database.ts';
import { writeStep } from './journal.ts';

const [url = '', first = '1'] = process.argv.slice(2);
const database = await openDatabase(url, { checkpointBytes: 256 * 1024 });
let next = Number(first);

async function writeForever(): Promise<void> {
  for (;;) {
    const n = next;
    next += 1;
    await database.transaction((connection) => writeStep(connection, n));
    process.stdout.write(`ack ${n}\n`);
  }
}

await Promise.all(Array.from({ length: 4 }, writeForever));
