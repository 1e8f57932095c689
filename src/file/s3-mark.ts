import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Place } from '../config/files-place.ts';
import type { S3Calls } from './s3-client.ts';
import { requireObject } from './s3-objects.ts';
import type { Storage } from './storage.ts';
import { MARK_NAME } from './storage-key.ts';

/** Errors of stores without conditional writes; some ignore the condition instead. */
const UNKNOWN = ['NotImplemented', 'InvalidArgument', 'InvalidRequest'];
/** The object exists, or somebody else is writing it at this moment. */
const THERE = ['PreconditionFailed', 'ConditionalRequestConflict'];

/** The mark of a storage as an object of its bucket. */
export function s3Mark(
  { client, call }: S3Calls,
  { bucket, prefix }: S3Place,
): Pick<Storage, 'readMark' | 'writeMark'> {
  const at = { Bucket: bucket, Key: prefix + MARK_NAME };
  return {
    readMark: () =>
      call(async () => {
        try {
          const { Body } = requireObject(await client.send(new GetObjectCommand(at)));
          return (await Body?.transformToString()) ?? '';
        } catch (error) {
          if (isOneOf(error, ['NoSuchKey', 'NotFound'])) return null;
          throw error;
        }
      }),
    writeMark: (text, { replace }) =>
      call(async () => {
        const object = { ...at, Body: text, ContentType: 'application/json' };
        try {
          const condition = !replace && { IfNoneMatch: '*' };
          requireObject(await client.send(new PutObjectCommand({ ...object, ...condition })));
        } catch (error) {
          if (replace || !isOneOf(error, [...UNKNOWN, ...THERE])) throw error;
          // The writer reads the mark again, and so does every collection, so two sites that start at once
          // are soon detected.
          if (isOneOf(error, UNKNOWN)) requireObject(await client.send(new PutObjectCommand(object)));
        }
      }),
  };
}

function isOneOf(error: unknown, names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}
