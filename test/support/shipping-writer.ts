/**
 * A process to be killed: writes steps of a journal and sends its changes to a place. It says `ack <n> <time>` after
 * each step was answered. Arguments: the file of the database, the place, the interval of the log.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/sql.ts';
import { createJournal, writeStep } from './journal.ts';
import { openShipped } from './shipped-journal.ts';

const [path = '', place = '', interval = '500'] = process.argv.slice(2);
const { database } = await openShipped(path, place, {
  interval: Number(interval),
  // A kill right after the log began anew would need a new backup.
  checkpointBytes: 32 * 1024 * 1024,
  onFailure: (error) => console.error(error),
  onGap: () => console.error('a gap'),
});
const isNew =
  (await database.reader.all(sql`select 1 from sqlite_schema where "name" = 'Journal'`)).length === 0;
if (isNew) await createJournal(database);
const last = await database.reader.get(sql`select max("n") as n from "Journal"`);
let next = Number(last?.['n'] ?? 0) + 1;
process.stdout.write(`next ${next}\n`);

async function writeForever(): Promise<void> {
  for (;;) {
    const n = next;
    next += 1;
    await database.transaction((connection) => writeStep(connection, n));
    process.stdout.write(`ack ${n} ${Date.now()}\n`);
    await sleep(5);
  }
}

await Promise.all(Array.from({ length: 3 }, writeForever));
