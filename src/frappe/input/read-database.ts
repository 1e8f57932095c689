import { ServiceError } from '../../kernel/errors.ts';
import { engineOfText, readText } from '../dump/read-text.ts';
import type { DumpVisitor, Engine } from '../dump/source.ts';
import { clearBeginning, clearBytes, type Passphrase, storedBeginning } from './bytes.ts';
import { isSqlite, readSqlite } from './sqlite-file.ts';

/** The database of a backup, to be read from its start as often as needed. */
export interface SourceDatabase {
  readonly engine: Engine;
  read(visitor: DumpVisitor): Promise<void>;
}

/** Opens a dump (packed, encrypted or plain) or the file of an SQLite site. */
export async function openDatabase(path: string, passphrase: Passphrase): Promise<SourceDatabase> {
  const beginning = await clearBeginning(path, passphrase);
  if (isSqlite(beginning)) {
    // SQLite opens the file itself.
    if (!isSqlite(await storedBeginning(path))) {
      const advice = 'unpack or decrypt it first, and name the result';
      throw new ServiceError(
        'ValidationError',
        `${path} holds a packed or encrypted SQLite database: ${advice}`,
      );
    }
    return { engine: 'sqlite', read: async (visitor) => readSqlite(path, visitor) };
  }
  const engine = engineOfText(beginning.subarray(0, 4_096).toString('latin1'));
  return { engine, read: (visitor) => readText(clearBytes(path, passphrase), engine, visitor) };
}
