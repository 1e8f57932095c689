import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Place } from '../../config/files-place.ts';
import { describeS3Error, LONG_PATIENCE, openS3Client, statusOf } from '../../file/s3-client.ts';
import { listObjects, orNull, requireObject, uploadStream, wholeBody } from '../../file/s3-objects.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { checkName, ObjectKept, type Target, type TargetObject } from './target.ts';

/** A slow line may take minutes for a part. */
const PATIENCE = { ...LONG_PATIENCE, answer: LIMITS.backupAnswer };
const NAME = { name: 'backup store', isOperators: true };

const PART_BYTES = 8 * 1024 * 1024;
// S3 allows 10,000; the rest is for streams that are longer than announced.
const USUAL_PARTS = 9_000;

/** Objects of a bucket, or of a prefix in it. `report` gets the cause of a failure. */
export function s3Target(place: S3Place, report: (problem: string) => void): Target {
  const calls = openS3Client(place, report, PATIENCE, NAME);
  const { client, call, close } = calls;
  const at = (name: string) => ({ Bucket: place.bucket, Key: place.prefix + checkName(name) });

  async function stat(name: string): Promise<Omit<TargetObject, 'name'> | null> {
    const asked = new HeadObjectCommand(at(name));
    const found = await call(() => orNull(client.send(asked).then(requireObject)));
    return found && { bytes: found.ContentLength ?? 0, modifiedAt: found.LastModified?.getTime() ?? 0 };
  }

  /** For a failed write: an object that the store refuses to replace is no failure of the store. */
  const unlessKept = (name: string) => async (error: unknown) => {
    if (isRefusal(error) && (await stat(name))) throw new ObjectKept(name, describeS3Error(error));
    throw error;
  };

  async function putStream(name: string, content: Readable, about: number): Promise<void> {
    let bytes = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        bytes += piece.length;
        yield piece;
      }
    }
    const partSize = Math.max(PART_BYTES, Math.ceil(about / USUAL_PARTS));
    await uploadStream(calls, at(name), counted(), partSize, unlessKept(name));
    if ((await stat(name))?.bytes === bytes) return;
    throw new ServiceError('ServiceUnavailableError', `The backup store has lost bytes of ${name}`);
  }

  return {
    async put(name, content, about = 0) {
      if (!Buffer.isBuffer(content)) return putStream(name, content, about);
      // The store compares it, so that bytes that changed on the way are noticed now.
      const ContentMD5 = createHash('md5').update(content).digest('base64');
      const object = { ...at(name), Body: content, ContentMD5 };
      const sent = () => client.send(new PutObjectCommand(object)).then(requireObject);
      await call(() => sent().catch(unlessKept(name)));
    },

    async get(name) {
      const asked = new GetObjectCommand(at(name));
      const found = await call(() => orNull(client.send(asked).then(requireObject)));
      return found && wholeBody(calls, at(name), found, { start: 0, bytes: found.ContentLength ?? 0 });
    },

    stat,

    async *list(prefix) {
      for await (const { key: name, ...figures } of listObjects(calls, place, prefix)) {
        yield { name, ...figures };
      }
    },

    async delete(name) {
      await call(() => client.send(new DeleteObjectCommand(at(name))).catch(refusedToDelete));
    },

    close,
  };
}

/** Answers to credentials without a right, and about objects that a rule of the bucket keeps. */
function isRefusal(error: unknown): boolean {
  return [401, 403, 405, 409, 412].includes(statusOf(error) ?? 0);
}

function refusedToDelete(error: unknown): never {
  if (!isRefusal(error)) throw error;
  throw new ServiceError(
    'PermissionError',
    `The backup store does not let these credentials delete: ${describeS3Error(error)}`,
  );
}
