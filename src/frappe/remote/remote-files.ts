import { sql } from '../../db/sql.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { carryFile } from '../carry/files.ts';
import { eachOf } from './each-of.ts';
import { isFailure } from './remote-error.ts';
import type { RemoteSite } from './remote-site.ts';

/** What became of the bytes of files. */
export interface RemoteFiles {
  readonly stored: number;
  readonly bytes: number;
  /** Files whose bytes the site does not have, or does not give to the key: their urls. */
  readonly missing: readonly string[];
}

/** Fetches the bytes of all File documents that have none here. */
export async function carryRemoteFiles(
  site: OpenSite,
  remote: RemoteSite,
  tell: (stored: number) => void,
): Promise<RemoteFiles> {
  let [stored, bytes] = [0, 0];
  const missing: string[] = [];
  const rows = await site.database.reader.all(
    sql`select distinct "file_url" from "File" as "f" where "is_folder" = 0
          and ("file_url" like '/files/%' or "file_url" like '/private/files/%')
          and not exists (select 1 from "_stored_file" as "s" where "s"."file_url" = "f"."file_url")`,
  );
  await eachOf(
    rows.map((row) => String(row['file_url'])),
    async (url) => {
      try {
        const size = await remote.download(url, async ({ body, discard }) => {
          let received = 0;
          const content = async function* () {
            for await (const chunk of body as AsyncIterable<Buffer>) {
              received += chunk.length;
              yield chunk;
            }
          };
          try {
            await carryFile(site, { url, size: 0, content: content() });
          } finally {
            discard();
          }
          return received;
        });
        stored += 1;
        bytes += size;
        tell(stored);
      } catch (error) {
        if (!isFailure(error, 'missing', 'denied', 'refused', 'stranger')) throw error;
        missing.push(url);
      }
    },
  );
  return { stored, bytes, missing: missing.sort() };
}
