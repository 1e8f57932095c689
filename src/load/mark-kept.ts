import type { Connection } from '../db/database.ts';
import type { Site } from '../document/contract.ts';
import type { LoadOfApplier } from './applier.ts';
import { keepNeeded, keepTargets } from './keep-some.ts';
import { pageOfEntries, type UndoEntry } from './ledger.ts';

/** Entries of one transaction. */
const BATCH = 512;

/**
 * Before an undo deletes the first document: marks the entries of a load whose documents stay. A document that stays
 * keeps those to which it refers, wherever they are in the load. Yields the number of entries that each transaction has
 * marked. After a kill it begins again.
 */
export async function* markKept({ database, doctypes }: Site, of: LoadOfApplier): AsyncGenerator<number> {
  const { reader } = database;
  const holding = <T>(work: (scope: { db: Connection; doctypes: typeof doctypes }) => Promise<T>) =>
    database.transaction(async (db) => {
      await of.hold(db);
      return work({ db, doctypes });
    });
  for await (const entries of pages(reader, of.load, 'open')) {
    yield (await holding((scope) => keepNeeded(scope, of, entries))).length;
  }
  for await (const entries of pages(reader, of.load, 'kept')) {
    for (const waiting = [...entries]; waiting.length > 0; ) {
      const some = waiting.splice(0, BATCH);
      const found = await holding((scope) => keepTargets(scope, of, some));
      waiting.push(...found);
      yield found.length;
    }
  }
}

async function* pages(
  reader: Connection,
  load: string,
  which: 'open' | 'kept',
): AsyncGenerator<readonly UndoEntry[]> {
  for (let seq = -1; ; ) {
    const entries = await pageOfEntries(reader, load, which, seq, BATCH);
    const last = entries.at(-1);
    if (!last) return;
    yield entries;
    seq = last.seq;
  }
}
