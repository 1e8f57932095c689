import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ServiceError } from '../kernel/errors.ts';
import type { S3Calls } from './s3-client.ts';
import { wholeBody } from './s3-objects.ts';

const OBJECT = '0123456789abcdefghij';
const ETag = '"tag"';

/** Fails behind its text. */
function broken(beginning: string): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from(beginning);
      throw new Error('the connection broke');
    })(),
  );
}

/** Calls whose client gives these answers, one after the other; what it was asked for is kept. */
function answering(answers: readonly object[]) {
  const ranges: unknown[] = [];
  const client = {
    send: async ({ input }: GetObjectCommand) => {
      ranges.push(input.Range);
      return answers[ranges.length - 1] ?? {};
    },
  } as unknown as S3Client;
  const calls: S3Calls = {
    client,
    attempts: 3,
    close: () => {},
    call: (work) => work(),
    failed: (error) => new ServiceError('ServiceUnavailableError', String(error)),
  };
  return { calls, ranges };
}

const whole = (calls: S3Calls, Body: Readable) =>
  wholeBody(calls, { Bucket: 'b', Key: 'k' }, { Body, ETag } as never, { start: 0, bytes: OBJECT.length });
const rest = (from: number, more: object = {}) => ({
  ETag,
  ContentRange: `bytes ${from}-19/20`,
  Body: Readable.from([Buffer.from(OBJECT.slice(from))]),
  ...more,
});

test('a body that breaks goes on where it ended', async () => {
  const { calls, ranges } = answering([rest(10)]);
  assert.equal(await text(whole(calls, broken(OBJECT.slice(0, 10)))), OBJECT);
  assert.deepEqual(ranges, ['bytes=10-19']);
});

for (const [name, answer] of [
  ['another page', { Body: Readable.from([Buffer.from('<html>sign in</html>')]) }],
  ['another object', rest(10, { ETag: '"other"' })],
  ['the object from its beginning', rest(0)],
  ['the object, without its place', rest(10, { ContentRange: undefined })],
] as const) {
  test(`a body does not go on with ${name}`, async () => {
    const { calls } = answering([answer]);
    await assert.rejects(text(whole(calls, broken(OBJECT.slice(0, 10)))), /does not come from an S3 store/);
  });
}

test('no more bytes are passed on than the store announced', async () => {
  const { calls } = answering([]);
  assert.equal(await text(whole(calls, Readable.from([Buffer.from(`${OBJECT}more`)]))), OBJECT);
});

test('nothing more is asked for when the reader gives up', async () => {
  const { calls, ranges } = answering([rest(10)]);
  const body = whole(calls, broken(OBJECT.slice(0, 10)));
  await once(body, 'readable');
  body.destroy(new Error('the client has gone'));
  await assert.rejects(once(body, 'close'), /the client has gone/);
  await new Promise(setImmediate);
  assert.deepEqual(ranges, []);
});
