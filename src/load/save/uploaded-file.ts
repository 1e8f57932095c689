import { Readable } from 'node:stream';
import type { Context } from '../../document/contract.ts';
import { authoriseFile, openFile } from '../../file/serve-file.ts';
import type { Storage } from '../../file/storage.ts';
import type { ImportFile } from './import-plan.ts';

/** An uploaded file that the user may read. @throws ServiceError PermissionError, DoesNotExistError */
export async function uploadedFile(ctx: Context, storage: Storage, url: string): Promise<ImportFile> {
  const stored = await authoriseFile(ctx, url);
  async function* open(): AsyncGenerator<Uint8Array> {
    const { body } = await openFile(storage, stored);
    if (body instanceof Readable) yield* body as AsyncIterable<Uint8Array>;
    else yield body;
  }
  return { open, name: stored.fileName, bytes: stored.bytes, fingerprint: stored.sha256 };
}
