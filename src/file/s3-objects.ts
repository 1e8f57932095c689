import { Readable } from 'node:stream';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Place } from '../config/files-place.ts';
import type { S3Calls } from './s3-client.ts';

/** The address of an object, as the store's calls want it. */
export interface ObjectTarget {
  readonly Bucket: string;
  readonly Key: string;
}

// With two parts in flight and one being filled, an upload holds three in memory.
const PARTS_AT_ONCE = 2;

/** Stores a stream of any length in parts. Its own errors are thrown as they are: they are not the store's. */
export async function uploadStream(
  { client, call }: S3Calls,
  target: ObjectTarget,
  stream: AsyncGenerator<Buffer>,
  partSize: number,
): Promise<void> {
  const source = failing(stream);
  await call(async () => {
    const params = { ...target, Body: Readable.from(source.pieces) };
    const sending = new Upload({ client, params, partSize, queueSize: PARTS_AT_ONCE });
    await sending.done().catch((error: unknown) => {
      // A client that disconnects is not a failure of the store.
      if (source.failure() === undefined) throw error;
    });
  });
  if (source.failure() !== undefined) throw source.failure();
}

/** Passes the pieces on, and keeps the stream's error: it is the client's and not the store's. */
function failing(stream: AsyncGenerator<Buffer>) {
  let failure: unknown;
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      yield* stream;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { pieces: pieces(), failure: () => failure };
}

/** Null when there is no such object. */
export async function orNull<T>(sent: Promise<T>): Promise<T | null> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')) return null;
    throw error;
  }
}

/** Every object below the prefix of a place, by its key without that prefix. */
export async function* listObjects(
  { client, call }: S3Calls,
  { bucket, prefix }: Pick<S3Place, 'bucket' | 'prefix'>,
  within = '',
): AsyncGenerator<{ readonly key: string; readonly modifiedAt: number; readonly bytes: number }> {
  let token: string | undefined;
  do {
    const more = token === undefined ? {} : { ContinuationToken: token };
    const page = await call(() =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + within, ...more })),
    );
    for (const { Key = '', LastModified, Size: bytes = 0 } of page.Contents ?? []) {
      yield { key: Key.slice(prefix.length), modifiedAt: LastModified?.getTime() ?? Date.now(), bytes };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}
