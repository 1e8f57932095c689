/** A whole backup of the made-up site, and its import. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Import, type ImportReport, importBackup } from '../../../src/frappe/carry/import-backup.ts';
import { backupFiles } from '../../../src/frappe/input/backup-files.ts';
import { openDatabase } from '../../../src/frappe/input/read-database.ts';
import { Scratch } from '../../../src/frappe/input/scratch.ts';
import type { OpenSite } from '../../../src/site/start/open-site.ts';
import { encryptFile } from './gpg.ts';
import { ENCRYPTION_KEY } from './secrets.ts';

/** The bytes of two files, which are the same, and of one that no File document has. */
export const CONTENT = 'hello world';

/** A folder with the files of a backup, as `bench backup --with-files` leaves it. The caller removes it. */
export function makeBackup(database: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-backup-'));
  const name = (rest: string) => join(folder, `20260101_120000-shop-${rest}`);
  const isDump = database.endsWith('.gz');
  copyFileSync(database, isDump ? name('database.sql.gz') : join(folder, basename(database)));
  writeFileSync(name('site_config_backup.json'), JSON.stringify({ encryption_key: ENCRYPTION_KEY }));
  const files = {
    'public/files/copy.png': CONTENT,
    'public/files/Größe 1.txt': 'eleven',
    'public/files/unused.txt': 'nobody',
    'private/files/red.png': CONTENT,
  };
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, 'shop', path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, content);
  }
  execFileSync('tar', ['-cf', name('files.tar'), '-C', folder, './shop/public/files']);
  execFileSync('tar', ['-cf', name('private-files.tar'), '-C', folder, './shop/private/files']);
  rmSync(join(folder, 'shop'), { recursive: true });
  return folder;
}

/** The same, with each file encrypted by gpg. */
export function makeEncryptedBackup(database: string): string {
  const folder = makeBackup(database);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    encryptFile(path, join(folder, name.replace(/\.(?:sql\.gz|tar|json)$/, '-enc$&')));
    rmSync(path);
  }
  return folder;
}

/** The zone of the made-up site. */
export const ZONE = 'Europe/Zurich';

/** Imports the backup in a folder. Null when it was aborted. */
export async function importFolder(
  site: OpenSite,
  folder: string,
  options: Pick<Import, 'signal' | 'isKeeping'> & Partial<Pick<Import, 'passphrase'>> = {},
): Promise<ImportReport | null> {
  const files = backupFiles([folder]);
  const { passphrase = null } = options;
  const database = await openDatabase(files.database, passphrase);
  const path = join(folder, 'import.scratch');
  const scratch = new Scratch(path);
  try {
    const given = {
      site,
      files,
      passphrase,
      database,
      fingerprint: folder,
      scratch,
      tell: () => undefined,
    };
    return await importBackup({ ...given, ...options });
  } finally {
    scratch.close();
  }
}
