import { Readable } from 'node:stream';
import type { Context } from '../../document/contract.ts';
import { authoriseFile, openFile } from '../../file/serve-file.ts';
import type { Storage } from '../../file/storage.ts';
import type { SourceFile } from '../record.ts';

/** An uploaded file that the user may read. @throws ServiceError PermissionError, DoesNotExistError */
export async function uploadedFile(ctx: Context, storage: Storage, url: string): Promise<SourceFile> {
  const stored = await authoriseFile(ctx, url);
  async function* open(): AsyncGenerator<Uint8Array> {
    const { body } = await openFile(storage, stored);
    if (body instanceof Readable) yield* body as AsyncIterable<Uint8Array>;
    else yield body;
  }
  return { open, name: stored.fileName, size: stored.bytes, fingerprint: stored.sha256 };
}
