import type { Readable } from 'node:stream';
import type { CurrentUser } from '../../access/user.ts';
import { sql } from '../../db/sql.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { claimUrl, findStoredFile } from '../../file/stored-file.ts';
import { discardContent, type FileSite } from '../../file/upload-file.ts';
import { ServiceError } from '../../kernel/errors.ts';

/** A url of a site and the bytes behind it. */
export interface ArchivedFile {
  readonly file_url: string;
  readonly file_name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly is_private: 0 | 1;
}

/** All urls of a site, with the key of their bytes in its storage, a page at a time. */
export async function* archivedFiles(
  site: FileSite,
): AsyncGenerator<readonly (ArchivedFile & { readonly storage_key: string })[]> {
  for (let last = ''; ; ) {
    const rows = await site.database.reader.all(
      sql`select "file_url", "file_name", "sha256", "bytes", "is_private", "storage_key" from "_stored_file"
          where "file_url" > ${last} order by "file_url" limit 500`,
    );
    if (rows.length === 0) return;
    yield rows as unknown as (ArchivedFile & { storage_key: string })[];
    last = String(rows.at(-1)?.['file_url']);
  }
}

/**
 * Stores the bytes of a url, unless it has them already. Resolves to false when it has.
 * @throws ServiceError ChecksumMismatchError when the bytes are others, ValidationError when the url has others here
 */
export async function storeArchivedFile(
  site: FileSite,
  user: CurrentUser,
  file: ArchivedFile,
  open: () => Promise<Readable>,
): Promise<boolean> {
  const { file_url: url, file_name: name, sha256, bytes, is_private: isPrivate } = file;
  const there = await findStoredFile(site.database.reader, url);
  if (there?.sha256 === sha256) return false;
  if (there) throw new ServiceError('ValidationError', `This site has another file at ${url}`);
  const storageKey = site.storage.newKey();
  const stored = await site.storage.put(storageKey, await open(), { maxBytes: bytes });
  const content = { storage: site.storage, storageKey, stored };
  try {
    if (stored.sha256 !== sha256) {
      throw new ServiceError('ChecksumMismatchError', 'Its bytes in the export are damaged');
    }
    await unitOfWork(site, user, async (ctx) => {
      const claimed = await claimUrl(ctx, content, name, isPrivate === 1, url);
      if (claimed.fileUrl === url) return;
      throw new ServiceError('ValidationError', `This site has another file at ${url}`);
    });
    return true;
  } catch (error) {
    await discardContent(site, content);
    throw error;
  }
}
