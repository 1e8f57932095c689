import { createHmac } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/value.ts';
import { DamagedBackup } from './damaged-backup.ts';
import { BACKUP_FORMAT } from './manifest.ts';
import { ObjectKept, type Target, UNFINISHED } from './target.ts';

/** The object that makes a place one for backups: whose they are, and whether they are encrypted. */
export const MARK = 'chancery-backup.json';

/** How to open a place of backups. */
export interface OpeningRepository {
  /** The backup key, 32 bytes; null for backups without encryption. */
  readonly key: Buffer | null;
  /** The site that wants to write here: an empty place becomes its own, and another site's is refused. */
  readonly site?: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Checks that this place is the site's, and that the key is right. Resolves to the site's id.
 * @throws ServiceError ValidationError that says what to do
 */
export async function checkMark(target: Target, { key, site, now }: OpeningRepository): Promise<string> {
  let mark = await readMark(target);
  if (!mark) {
    if (site === undefined) throw refusal('There are no backups of Chancery in this place');
    if (!(await isEmpty(target)))
      throw refusal('The place for backups holds other things: choose an empty one');
    const encryption = key && { check: checkOf(key) };
    const createdAt = new Date(now()).toISOString();
    const text = JSON.stringify({ format: BACKUP_FORMAT, site, created: createdAt, encryption });
    // What another process wrote at the same time decides for both.
    await target.put(MARK, Buffer.from(`${text}\n`)).catch((error: unknown) => {
      if (!(error instanceof ObjectKept)) throw error;
    });
    mark = await readMark(target);
  }
  if (!isRecord(mark) || typeof mark.format !== 'number' || typeof mark.site !== 'string') {
    throw new DamagedBackup(MARK, 'it cannot be read');
  }
  if (mark.format > BACKUP_FORMAT) {
    throw refusal('A newer version of Chancery made the backups in this place: use that version');
  }
  if (site !== undefined && mark.site !== site) {
    throw refusal(`The backups in this place are those of another site (${mark.site}): choose another place`);
  }
  checkKey(mark.encryption, key);
  return mark.site;
}

function checkKey(encryption: unknown, key: Buffer | null): void {
  const check = isRecord(encryption) ? encryption.check : null;
  if (check === null && key) {
    throw refusal('The backups in this place are not encrypted: choose an empty place, or use no backup key');
  }
  if (check !== null && !key)
    throw refusal('The backups in this place are encrypted: the backup key is needed');
  if (key && check !== checkOf(key)) throw refusal('This is not the backup key of the backups in this place');
}

async function readMark(target: Target): Promise<unknown> {
  const stream = await target.get(MARK);
  if (!stream) return null;
  const bytes = await buffer(stream);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return 'unreadable';
  }
}

async function isEmpty(target: Target): Promise<boolean> {
  // Another process may be writing the mark at this moment.
  for await (const { name } of target.list(''))
    if (name !== MARK && !name.startsWith(UNFINISHED)) return false;
  return true;
}

/** Proves that a key is the right one, and says nothing else about it. */
function checkOf(key: Buffer): string {
  return createHmac('sha256', key).update('chancery backup check').digest('base64');
}

function refusal(message: string): ServiceError {
  return new ServiceError('ValidationError', message);
}
