import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Place } from '../../config/files-place.ts';
import { openS3Client } from '../../file/s3-client.ts';
import { listObjects, orNull, uploadStream } from '../../file/s3-objects.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { checkName, type Target, type TargetObject } from './target.ts';

/** Nobody waits for a backup: it outlasts a short outage of the store, and slow lines. */
const PATIENCE = {
  attempts: 8,
  connect: LIMITS.storageConnectTimeout,
  answer: LIMITS.backupAnswer,
  idle: LIMITS.storageIdleTimeout,
  pause: 0,
};

const PART_BYTES = 8 * 1024 * 1024;
// S3 allows 10,000; the rest is for streams that are longer than announced.
const USUAL_PARTS = 9_000;

/** Objects of a bucket, or of a prefix in it. `report` gets the cause of a failure. */
export function s3Target(place: S3Place, report: (problem: string) => void): Target {
  const { client, call, close } = openS3Client(place, report, PATIENCE, 'backup store');
  const at = (name: string) => ({ Bucket: place.bucket, Key: place.prefix + checkName(name) });

  async function stat(name: string): Promise<Omit<TargetObject, 'name'> | null> {
    const found = await call(() => orNull(client.send(new HeadObjectCommand(at(name)))));
    return found && { bytes: found.ContentLength ?? 0, modifiedAt: found.LastModified?.getTime() ?? 0 };
  }

  async function putStream(name: string, content: Readable, about: number): Promise<void> {
    let bytes = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        bytes += piece.length;
        yield piece;
      }
    }
    const partSize = Math.max(PART_BYTES, Math.ceil(about / USUAL_PARTS));
    await uploadStream({ client, call }, at(name), counted(), partSize);
    if ((await stat(name))?.bytes === bytes) return;
    throw new ServiceError('ServiceUnavailableError', `The backup store has lost bytes of ${name}`);
  }

  return {
    async put(name, content, about = 0) {
      if (!Buffer.isBuffer(content)) return putStream(name, content, about);
      // The store compares it, so that bytes that changed on the way are noticed now.
      const ContentMD5 = createHash('md5').update(content).digest('base64');
      const object = { ...at(name), Body: content, ContentMD5 };
      await call(() => client.send(new PutObjectCommand(object)));
    },

    async get(name) {
      const found = await call(() => orNull(client.send(new GetObjectCommand(at(name)))));
      return found?.Body instanceof Readable ? found.Body : null;
    },

    stat,

    async *list(prefix) {
      for await (const { key: name, ...figures } of listObjects({ client, call }, place, prefix)) {
        yield { name, ...figures };
      }
    },

    async delete(name) {
      await call(() => client.send(new DeleteObjectCommand(at(name))));
    },

    close,
  };
}
