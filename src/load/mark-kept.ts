import type { Site } from '../document/contract.ts';
import type { LoadOfApplier } from './applier.ts';
import { keepSome } from './keep-some.ts';
import { entriesBeyond } from './ledger.ts';

/** Entries of one transaction. */
const BATCH = 512;

/**
 * Before an undo deletes the first document: marks the entries of a load whose documents stay, wherever these are in
 * it. A document that stays keeps those that it refers to, so passes follow, in one direction and then in the other,
 * until one finds nothing. Yields the number of entries that each batch has marked. After a kill it begins again.
 */
export async function* markKept({ database, doctypes }: Site, of: LoadOfApplier): AsyncGenerator<number> {
  let found = 1;
  for (let isDown = true; found > 0; isDown = !isDown) {
    found = 0;
    for (let seq = isDown ? Number.MAX_SAFE_INTEGER : -1; ; ) {
      const entries = await entriesBeyond(database.reader, of.load, seq, isDown, BATCH);
      const last = entries.at(-1);
      if (!last) break;
      const left = await database.transaction(async (db) => {
        await of.hold(db);
        return keepSome({ db, doctypes }, of, entries);
      });
      const marked = entries.length - left.length;
      yield marked;
      found += marked;
      seq = last.seq;
    }
  }
}
