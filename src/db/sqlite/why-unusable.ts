const RESTORE = 'Restore it from a backup, or choose another directory with --data.';
const RIGHTS = 'This user must be able to read and write the file and its directory.';

/** What the operator can do, by the primary result code of SQLite. */
const REMEDIES: ReadonlyMap<number, string> = new Map([
  [3, RIGHTS], // PERM
  [5, 'Another program has locked it.'], // BUSY
  [8, RIGHTS], // READONLY
  [10, 'Check its disk.'], // IOERR
  [11, RESTORE], // CORRUPT
  [13, 'Make room on its disk.'], // FULL
  [14, RIGHTS], // CANTOPEN
  [26, RESTORE], // NOTADB
]);

/** Why an SQLite file cannot be opened, and the remedy, in one line. */
export function whyUnusable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
  const remedy = REMEDIES.get(code & 0xff);
  return remedy === undefined ? error.message : `${error.message}. ${remedy}`;
}
