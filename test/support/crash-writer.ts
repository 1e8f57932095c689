/**
 * A process to be killed: writes parents with children as fast as it can, many at once, and says `ack <n>` after each
 * transaction was answered.
 */
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';

const [url = '', first = '0'] = process.argv.slice(2);
const database = await openDatabase(url);
let next = Number(first);

async function writeForever(): Promise<void> {
  for (;;) {
    const n = next;
    next += 1;
    await database.transaction(async (connection) => {
      await connection.run(sql`insert into "Parent" ("name", "n") values (${`p${n}`}, ${n})`);
      for (let child = 0; child < 5; child += 1) {
        await connection.run(sql`insert into "Child" ("name", "n") values (${`c${n}-${child}`}, ${n})`);
      }
    });
    process.stdout.write(`ack ${n}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, writeForever));
