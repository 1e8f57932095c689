import { Readable } from 'node:stream';
import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import { sql } from '../../db/sql.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { deleteUnused } from '../../file/delete-unused.ts';
import { claimUrl, findStoredFile } from '../../file/stored-file.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { BackupFiles } from '../input/backup-files.ts';
import type { Passphrase } from '../input/bytes.ts';
import { type TarFile, tarFiles } from '../input/tar.ts';
import type { Tally } from './tally.ts';

/** What became of the files of a backup. */
export interface CarriedFiles {
  readonly stored: number;
  readonly bytes: number;
  /** They were stored by an earlier run. */
  readonly known: number;
  /** No File document has their address. */
  readonly unused: number;
  /** File documents without bytes in the backup. */
  readonly missing: number;
}

/**
 * Stores the bytes of the tars under the addresses of the loaded File documents. Equal bytes are stored once. Files of
 * a former run are known by their address.
 */
export async function carryFiles(
  site: OpenSite,
  files: BackupFiles,
  passphrase: Passphrase,
  tally: Tally,
  tell: (files: number) => void,
): Promise<CarriedFiles> {
  const count = { stored: 0, bytes: 0, known: 0, unused: 0 };
  for (const path of [files.publicFiles, files.privateFiles]) {
    if (path === null) continue;
    for await (const file of tarFiles(path, passphrase)) {
      const outcome = await carryFile(site, file);
      count[outcome] += 1;
      if (outcome === 'stored') count.bytes += file.size;
      if (outcome === 'unused') tally.add('file without a File document', 'File', 'file_url', file.url);
      tell(count.stored + count.known + count.unused);
    }
  }
  return { ...count, missing: await countMissing(site, tally) };
}

/** Stores the bytes of one file, if a File document has its address and no bytes yet. */
export async function carryFile(site: OpenSite, file: TarFile): Promise<'stored' | 'known' | 'unused'> {
  const { url } = file;
  const { reader } = site.database;
  const document = await reader.get(sql`select "file_name" from "File" where "file_url" = ${url} limit 1`);
  const isKnown = document && (await findStoredFile(reader, url)) !== null;
  if (!document || isKnown) {
    for await (const _ of file.content);
    return isKnown ? 'known' : 'unused';
  }
  const storageKey = site.storage.newKey();
  const stored = await site.storage.put(storageKey, Readable.from(file.content, { objectMode: false }), {
    maxBytes: LIMITS.importedFileBytes,
  });
  const content = { storage: site.storage, storageKey, stored };
  const name = String(document['file_name'] ?? '') || url.slice(url.lastIndexOf('/') + 1);
  try {
    await unitOfWork(
      site,
      ADMINISTRATOR,
      async (ctx) => {
        const claimed = await claimUrl(ctx, content, name, url.startsWith('/private/'), url);
        await ctx.db.run(
          sql`update "File" set "file_url" = ${claimed.fileUrl}, "content_hash" = ${stored.sha256},
              "file_size" = ${stored.bytes} where "file_url" = ${url}`,
        );
      },
      COMMAND_LINE,
    );
  } catch (error) {
    if (isRefusal(error)) await deleteUnused(site.storage, storageKey);
    throw error;
  }
  return 'stored';
}

async function countMissing(site: OpenSite, tally: Tally): Promise<number> {
  let missing = 0;
  for (let last = ''; ; ) {
    const rows = await site.database.reader.all(
      sql`select "name", "file_url" from "File" as "f" where "is_folder" = 0 and "name" > ${last}
            and ("file_url" like '/files/%' or "file_url" like '/private/files/%')
            and not exists (select 1 from "_stored_file" as "s" where "s"."file_url" = "f"."file_url")
          order by "name" limit ${PAGE}`,
    );
    for (const row of rows)
      tally.add('file that the backup does not have', 'File', 'file_url', String(row['file_url']));
    missing += rows.length;
    if (rows.length < PAGE) return missing;
    last = String(rows.at(-1)?.['name']);
  }
}

const PAGE = 500;
