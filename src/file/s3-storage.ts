import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { S3Place } from '../config/files-place.ts';
import { type Random, systemRandom } from '../kernel/random.ts';
import { meter } from './meter.ts';
import { openS3Client, type S3Calls, type S3Patience } from './s3-client.ts';
import { copyObject } from './s3-copy.ts';
import { s3Mark } from './s3-mark.ts';
import {
  listObjects,
  type ObjectTarget,
  orNull,
  requireList,
  requireObject,
  uploadStream,
  wholeBody,
} from './s3-objects.ts';
import { ShortObjectError } from './short-object.ts';
import type { ByteRange, ListedObject, OpenedObject, Storage } from './storage.ts';
import { checkStorageKey, isStorageKey, PART, storageKeys } from './storage-key.ts';

// The smallest part that S3 accepts.
const PART_BYTES = 5 * 1024 * 1024;
const MOST_PARTS = 10_000;
// Up to this size the bytes are read at once, which releases the connection before the client has read them.
const READ_AT_ONCE = 128 * 1024;

/** A storage whose store can copy objects itself. */
export interface S3Storage extends Storage {
  /**
   * Copies an object from another bucket or prefix of the same store, under its key. False when it does not
   * exist.
   */
  copyFrom(source: S3Place, key: string): Promise<boolean>;
}

/**
 * Objects of a bucket, or of a prefix in it. Failures of the store become a ServiceUnavailableError; `report`
 * gets the cause, once until the store works again.
 */
export function s3Storage(
  place: S3Place,
  report: (problem: string) => void = () => {},
  random: Random = systemRandom(),
  patience?: S3Patience,
): S3Storage {
  const keys = storageKeys(random);
  const calls = openS3Client(place, report, patience);
  const { client, call, close } = calls;
  const at = (key: string) => ({ Bucket: place.bucket, Key: place.prefix + checkStorageKey(key) });

  return {
    newKey: () => keys.next(),

    async put(key, content, limits) {
      const target = at(key);
      const stream = Buffer.isBuffer(content) ? Readable.from([content]) : content;
      const measuring = meter(limits);
      const partSize = Math.max(PART_BYTES, Math.ceil(limits.maxBytes / MOST_PARTS));
      try {
        await uploadStream(calls, target, measuring.measure(stream), partSize);
        return measuring.result();
      } catch (error) {
        stream.destroy();
        // The request may have succeeded although its response was lost; an object that cannot be deleted now
        // is collected later.
        await call(() => client.send(new DeleteObjectCommand(target))).catch(() => undefined);
        throw error;
      }
    },

    open: (key, range) => openObject(calls, at(key), key, range),

    async stat(key) {
      const asked = new HeadObjectCommand(at(key));
      const found = await call(() => orNull(client.send(asked).then(requireObject)));
      return found && { bytes: found.ContentLength ?? 0 };
    },

    async delete(key) {
      if (key.endsWith(PART)) return abortUploads(calls, at(key.slice(0, -PART.length)));
      await call(() => client.send(new DeleteObjectCommand(at(key))));
    },

    copyFrom(source, key) {
      const from = { Bucket: source.bucket, Key: source.prefix + checkStorageKey(key) };
      return call(() => copyObject(client, from, at(key)));
    },

    async *list() {
      for await (const found of listAll(calls, place)) {
        if (isStorageKey(found.key)) yield { ...found, ours: keys.isOurs(found.key) };
      }
    },

    ...s3Mark(calls, place),

    presign(key, { seconds, contentType, disposition }) {
      const shown = { ResponseContentType: contentType, ResponseContentDisposition: disposition };
      const caching = { ResponseCacheControl: 'private, no-store' };
      return getSignedUrl(client, new GetObjectCommand({ ...at(key), ...shown, ...caching }), {
        expiresIn: seconds,
      });
    },

    close,
  };
}

async function openObject(
  calls: S3Calls,
  target: ObjectTarget,
  key: string,
  range?: ByteRange,
): Promise<OpenedObject | null> {
  const wanted = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
  const found = await calls.call(async () => {
    const sent = calls.client.send(new GetObjectCommand({ ...target, ...wanted }));
    const answer = await orNull(sent).catch(orTooShort);
    return answer && answer !== 'too short' ? { answer, bytes: lengthOf(answer, range) } : answer;
  });
  // Outside the call, whose errors count as failures of the store.
  if (found === 'too short') throw new ShortObjectError(key);
  if (!found) return null;
  const { answer, bytes } = found;
  const body = wholeBody(calls, target, answer, { start: range?.start ?? 0, bytes });
  if (range && bytes !== range.end - range.start + 1) {
    body.destroy();
    throw new ShortObjectError(key);
  }
  return { bytes, body: bytes <= READ_AT_ONCE ? await buffer(body) : body };
}

/** The response to a range that starts beyond the end. */
function orTooShort(error: unknown): 'too short' {
  if (error instanceof Error && error.name === 'InvalidRange') return 'too short';
  throw error;
}

/** @throws Error for an answer that is none of an S3 store */
function lengthOf(answer: GetObjectCommandOutput, range?: ByteRange): number {
  const { ContentLength, ContentRange } = requireObject(answer);
  if (ContentLength !== undefined && (!range || ContentRange !== undefined)) return ContentLength;
  throw new Error('the answer is not the wanted part of an object: it does not come from an S3 store');
}

async function abortUploads({ client, call }: S3Calls, { Bucket, Key }: ObjectTarget): Promise<void> {
  const asked = new ListMultipartUploadsCommand({ Bucket, Prefix: Key });
  const { Uploads = [] } = await call(async () => requireList(await client.send(asked)));
  for (const { UploadId } of Uploads) {
    await call(() => orNull(client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))));
  }
}

type Found = Omit<ListedObject, 'ours'>;

async function* listAll(calls: S3Calls, { bucket, prefix }: S3Place): AsyncGenerator<Found> {
  const { client, call } = calls;
  yield* listObjects(calls, { bucket, prefix });
  let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const asked = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker });
    const page = await call(async () => requireList(await client.send(asked)));
    for (const { Key = '', Initiated } of page.Uploads ?? []) {
      const modifiedAt = Initiated?.getTime() ?? Date.now();
      yield { key: Key.slice(prefix.length) + PART, modifiedAt, bytes: 0 };
    }
    if (!page.IsTruncated || page.NextKeyMarker === undefined) return;
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    marker = UploadIdMarker === undefined ? { KeyMarker } : { KeyMarker, UploadIdMarker };
  }
}
