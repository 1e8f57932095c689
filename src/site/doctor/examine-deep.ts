import type { Database } from '../../db/database.ts';
import { findDamage } from '../../db/find-damage.ts';
import { type Checked, checkFiles } from '../../file/check-files.ts';
import type { Storage } from '../../file/storage.ts';
import type { Finding } from './finding.ts';

/** Reads the whole database for damage. */
export async function examineIntegrity({ reader }: Database): Promise<Finding[]> {
  const check = 'integrity';
  const { found, indexesChecked } = await findDamage(reader);
  if (found.length > 0) {
    const remedy =
      'stop the server, keep a copy of the database as it is, and restore a backup from before the damage';
    return found.map((message) => ({ check, state: 'problem', message, remedy }));
  }
  if (indexesChecked) return [{ check, state: 'ok', message: 'Every table and every index is sound' }];
  return [
    {
      check,
      state: 'advice',
      message: 'Every value of every table is readable; the indexes were not compared with the tables',
      remedy:
        'as a superuser: create extension amcheck; grant execute on all functions in schema public to this user',
    },
  ];
}

/** Problems of files that are reported one by one. */
const TOLD = 20;

/** Reads all stored files and compares them with their recorded digests. */
export async function examineContents(database: Database, storage: Storage): Promise<Finding[]> {
  const check = 'contents';
  const checked: Checked = { objects: 0, bytes: 0 };
  const found: Finding[] = [];
  let count = 0;
  for await (const { problem, url, place } of checkFiles({ database, storage }, checked)) {
    if (problem === 'left over') continue;
    count += 1;
    if (count > TOLD) continue;
    const message = `${problem}: ${url === null ? place : `${url} (${place})`}`;
    found.push({ check, state: 'problem', message, remedy: 'restore the file from a backup' });
  }
  if (count > TOLD) {
    const message = `${count - TOLD} more problems with stored files`;
    found.push({ check, state: 'problem', message, remedy: 'chancery files check lists all of them' });
  }
  if (found.length > 0) return found;
  const read = `${checked.objects} stored objects with ${checked.bytes} bytes are intact`;
  return [{ check, state: 'ok', message: read }];
}
