import { Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput, ListObjectsV2Command } from '@aws-sdk/client-s3';
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

/**
 * Stores a stream of any length in parts. Its own errors are thrown as they are: they are not the store's. `refused`
 * throws what an answer of the store means.
 */
export async function uploadStream(
  { client, call }: S3Calls,
  target: ObjectTarget,
  stream: AsyncGenerator<Buffer>,
  partSize: number,
  refused: (error: unknown) => Promise<never> = (error) => Promise.reject(error),
): Promise<void> {
  const source = failing(stream);
  await call(async () => {
    const params = { ...target, Body: Readable.from(source.pieces) };
    const sending = new Upload({ client, params, partSize, queueSize: PARTS_AT_ONCE });
    const stored = await sending.done().catch((error: unknown) => {
      // A client that disconnects is not a failure of the store.
      return source.failure() === undefined ? refused(error) : undefined;
    });
    if (source.failure() === undefined) requireObject(stored);
  });
  if (source.failure() !== undefined) throw source.failure();
}

/** Passes the pieces on, and keeps the stream's error: it is the client's and not the store's. */
function failing(stream: AsyncGenerator<Buffer>) {
  let failure: unknown;
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        // Only errors of the stream: one that the reader throws in when it gives up is the store's.
        const { done, value } = await stream.next().catch((error: unknown) => {
          failure = error;
          throw error;
        });
        if (done) return;
        yield value;
      }
    } finally {
      await stream.return(undefined);
    }
  }
  return { pieces: pieces(), failure: () => failure };
}

/**
 * The answer about an object, if it is one: every store tells the ETag of what it has stored or sends. A page of a
 * network that wants people to sign in has none.
 * @throws Error
 */
export function requireObject<T extends { readonly ETag?: string | undefined }>(answer: T | undefined): T {
  if (answer?.ETag) return answer;
  throw new Error('the answer has no ETag: it does not come from an S3 store');
}

/**
 * The body of an answer, as a stream of so many bytes that fails with ServiceUnavailableError when the store does
 * not deliver them. When the connection breaks, it asks for the rest. `start`: where the body begins in the object.
 */
export function wholeBody(
  { client, call, failed, attempts }: S3Calls,
  target: ObjectTarget,
  { Body, ETag }: Pick<GetObjectCommandOutput, 'Body' | 'ETag'>,
  { start, bytes }: { readonly start: number; readonly bytes: number },
): Readable {
  let body = readableOf(Body);
  const end = start + bytes;
  async function* pieces(): AsyncGenerator<Buffer> {
    let at = start;
    for (let failures = 1; ; failures += 1) {
      let failure: unknown = new Error('the store sent fewer bytes than it announced');
      const reading = body[Symbol.asyncIterator]();
      while (at < end) {
        // Not around `yield`, which throws what happens to the reader.
        const next = await reading.next().catch((error: unknown) => {
          failure = error;
          return { done: true, value: undefined };
        });
        if (next.done) break;
        const piece: Buffer = next.value.subarray(0, end - at);
        at += piece.length;
        yield piece;
      }
      if (at >= end) return;
      if (failures === attempts) throw failed(failure);
      const asked = { ...target, Range: `bytes=${at}-${end - 1}`, IfMatch: ETag };
      const rest = await call(async () =>
        requireRest(await client.send(new GetObjectCommand(asked)), ETag, at),
      );
      body = readableOf(rest.Body);
    }
  }
  // A generator that was asked for nothing closes nothing.
  return Readable.from(pieces(), { objectMode: false }).once('close', () => void body.destroy());
}

/** @throws Error for another answer than the object from this byte on: it would continue another body. */
function requireRest(answer: GetObjectCommandOutput, ETag: string | undefined, at: number) {
  const { ContentRange = '' } = requireObject(answer);
  if (answer.ETag === ETag && ContentRange.startsWith(`bytes ${at}-`)) return answer;
  throw new Error('the answer is not the rest of the object: it does not come from an S3 store');
}

function readableOf(body: unknown): Readable {
  if (body instanceof Readable) return body;
  throw new Error('the store sent no body');
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

/**
 * The answer to a request for a list, if it is one: without this check any other page would be an empty list.
 * @throws Error
 */
export function requireList<T extends { readonly IsTruncated?: boolean | undefined }>(answer: T): T {
  if (answer.IsTruncated !== undefined) return answer;
  throw new Error('the answer is no list of objects: it does not come from an S3 store');
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
    const page = await call(async () =>
      requireList(
        await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + within, ...more })),
      ),
    );
    for (const { Key = '', LastModified, Size: bytes = 0 } of page.Contents ?? []) {
      yield { key: Key.slice(prefix.length), modifiedAt: LastModified?.getTime() ?? Date.now(), bytes };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}
