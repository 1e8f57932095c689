import { Readable } from 'node:stream';
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
import { listObjects, type ObjectTarget, orNull, uploadStream } from './s3-objects.ts';
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
  const { client, call, close } = openS3Client(place, report, patience);
  const at = (key: string) => ({ Bucket: place.bucket, Key: place.prefix + checkStorageKey(key) });

  return {
    newKey: () => keys.next(),

    async put(key, content, limits) {
      const target = at(key);
      const stream = Buffer.isBuffer(content) ? Readable.from([content]) : content;
      const measuring = meter(limits);
      const partSize = Math.max(PART_BYTES, Math.ceil(limits.maxBytes / MOST_PARTS));
      try {
        await uploadStream({ client, call }, target, measuring.measure(stream), partSize);
        return measuring.result();
      } catch (error) {
        stream.destroy();
        // The request may have succeeded although its response was lost; an object that cannot be deleted now
        // is collected later.
        await call(() => client.send(new DeleteObjectCommand(target))).catch(() => undefined);
        throw error;
      }
    },

    async open(key, range) {
      const wanted = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
      const opened = await call(async () => {
        const sent = client.send(new GetObjectCommand({ ...at(key), ...wanted }));
        const found = await orNull(sent).catch(orTooShort);
        return found && found !== 'too short' ? openBody(found, range) : found;
      });
      // Outside the call, whose errors count as failures of the store.
      if (opened === 'too short') throw new ShortObjectError(key);
      return opened;
    },

    async stat(key) {
      const found = await call(() => orNull(client.send(new HeadObjectCommand(at(key)))));
      return found && { bytes: found.ContentLength ?? 0 };
    },

    async delete(key) {
      if (key.endsWith(PART)) return abortUploads({ client, call }, at(key.slice(0, -PART.length)));
      await call(() => client.send(new DeleteObjectCommand(at(key))));
    },

    copyFrom(source, key) {
      const from = { Bucket: source.bucket, Key: source.prefix + checkStorageKey(key) };
      return call(() => copyObject(client, from, at(key)));
    },

    async *list() {
      for await (const found of listAll({ client, call }, place)) {
        if (isStorageKey(found.key)) yield { ...found, ours: keys.isOurs(found.key) };
      }
    },

    ...s3Mark({ client, call }, place),

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

/** The response to a range that starts beyond the end. */
function orTooShort(error: unknown): 'too short' {
  if (error instanceof Error && error.name === 'InvalidRange') return 'too short';
  throw error;
}

async function openBody(
  { ContentLength: bytes = 0, Body: body }: GetObjectCommandOutput,
  range: ByteRange | undefined,
): Promise<OpenedObject | 'too short'> {
  if (!(body instanceof Readable)) throw new Error('the store sent no body');
  if (range && bytes !== range.end - range.start + 1) {
    body.destroy();
    return 'too short';
  }
  return bytes <= READ_AT_ONCE ? readAll(body, bytes) : { bytes, body };
}

async function readAll(body: Readable, bytes: number): Promise<OpenedObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  if (whole.length !== bytes) throw new Error('the store sent fewer bytes than it announced');
  return { bytes, body: whole };
}

async function abortUploads({ client, call }: S3Calls, { Bucket, Key }: ObjectTarget): Promise<void> {
  const { Uploads = [] } = await call(() =>
    client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key })),
  );
  for (const { UploadId } of Uploads) {
    await call(() => orNull(client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))));
  }
}

type Found = Omit<ListedObject, 'ours'>;

async function* listAll({ client, call }: S3Calls, { bucket, prefix }: S3Place): AsyncGenerator<Found> {
  yield* listObjects({ client, call }, { bucket, prefix });
  let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const page = await call(() =>
      client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker })),
    );
    for (const { Key = '', Initiated } of page.Uploads ?? []) {
      const modifiedAt = Initiated?.getTime() ?? Date.now();
      yield { key: Key.slice(prefix.length) + PART, modifiedAt, bytes: 0 };
    }
    if (!page.IsTruncated || page.NextKeyMarker === undefined) return;
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    marker = UploadIdMarker === undefined ? { KeyMarker } : { KeyMarker, UploadIdMarker };
  }
}
