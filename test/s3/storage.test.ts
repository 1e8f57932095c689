import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import { parseFilesPlace, type S3Place } from '../../src/config/files-place.ts';
import { copyObject } from '../../src/file/s3-copy.ts';
import { s3Storage } from '../../src/file/s3-storage.ts';
import type { Storage } from '../../src/file/storage.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { storageConformance } from '../storage-conformance.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';

const MAX = { maxBytes: 64 * 1024 * 1024 };

describe('on S3', { skip: NO_S3 }, () => {
  let server: S3Server;
  let place: S3Place;
  const opened: Storage[] = [];

  before(async () => {
    server = await startS3();
    place = placeOf(await newBucket(server));
  });
  after(async () => {
    for (const storage of opened) storage.close?.();
    await server?.stop();
  });

  function open(changes: Partial<S3Place> = {}, report?: (problem: string) => void): Storage {
    const storage = s3Storage({ ...place, ...changes }, report);
    opened.push(storage);
    return storage;
  }

  storageConformance('on S3', async () => open());

  test('where the store has conditional writes, the first mark stays', async () => {
    // Swift has none, so this server stands before it and answers for it.
    const conditions: (string | undefined)[] = [];
    const conditional = createHttpServer((request, response) => {
      conditions.push(request.headers['if-none-match']);
      response.writeHead(412, { 'content-type': 'application/xml' });
      response.end('<Error><Code>PreconditionFailed</Code><Message>it is there</Message></Error>');
    }).listen(0, '127.0.0.1');
    await once(conditional, 'listening');
    const { port } = conditional.address() as AddressInfo;
    const storage = open({ endpoint: `http://127.0.0.1:${port}` });
    await storage.writeMark('late', { replace: false });
    assert.deepEqual(conditions, ['*']);
    await assert.rejects(storage.writeMark('late', { replace: true }));
    assert.deepEqual(conditions, ['*', undefined]);
    conditional.close();
  });

  test('a large file goes in parts, and ranges cross them', async () => {
    const storage = open();
    const bytes = randomBytes(17 * 1024 * 1024);
    const key = storage.newKey();
    const stored = await storage.put(key, Readable.from(slices(bytes)), MAX);
    assert.equal(stored.bytes, bytes.length);
    const start = 5 * 1024 * 1024 - 10;
    const part = await storage.open(key, { start, end: start + 19 });
    assert.deepEqual(part?.body, bytes.subarray(start, start + 20));
    const whole = await storage.open(key);
    assert.ok(whole && !Buffer.isBuffer(whole.body));
    assert.deepEqual(await buffer(whole.body), bytes);
  });

  test('a large file that breaks off in the middle leaves no parts', async () => {
    const storage = open();
    const key = storage.newKey();
    const failure = new Error('client went away');
    async function* half() {
      yield* slices(randomBytes(12 * 1024 * 1024));
      throw failure;
    }
    await assert.rejects(storage.put(key, Readable.from(half()), MAX), failure);
    assert.deepEqual(await keysOf(storage, key), []);
  });

  test('parts that a process left behind are listed, and can be deleted', async () => {
    const storage = open();
    const key = storage.newKey();
    const client = clientOf(server);
    await client.send(new CreateMultipartUploadCommand({ Bucket: place.bucket, Key: place.prefix + key }));
    client.destroy();
    assert.deepEqual(await keysOf(storage, key), [`${key}.part`]);
    await storage.delete(`${key}.part`);
    assert.deepEqual(await keysOf(storage, key), []);
  });

  test('the list goes over pages, and what is not ours is not in it', async () => {
    const prefix = 'pages/';
    const storage = open({ prefix });
    const keys = Array.from({ length: 70 }, () => storage.newKey());
    for (let at = 0; at < keys.length; at += 25) {
      const some = keys.slice(at, at + 25);
      await Promise.all(some.map((key) => storage.put(key, Readable.from([Buffer.from('x')]), MAX)));
    }
    const other = open({ prefix: 'pages/sub/' });
    await other.put(other.newKey(), Readable.from([Buffer.from('x')]), MAX);
    assert.deepEqual((await keysOf(storage)).sort(), keys.toSorted());
  });

  test('a presigned url opens one object for a while, named and typed as said', async () => {
    const storage = open();
    const key = storage.newKey();
    await storage.put(key, Readable.from([Buffer.from('hello')]), MAX);
    const disposition = `attachment; filename="a_.txt"; filename*=UTF-8''a%E2%82%AC.txt`;
    const url = await storage.presign?.(key, { seconds: 60, contentType: 'text/plain', disposition });
    assert.ok(url);
    const reply = await fetch(url);
    assert.equal(await reply.text(), 'hello');
    assert.equal(reply.headers.get('content-disposition'), disposition);
    assert.equal(reply.headers.get('content-type'), 'text/plain');
    const changed = url.replace('text%2Fplain', 'text%2Fhtml');
    assert.notEqual(changed, url);
    assert.equal((await fetch(changed)).status, 403);
    assert.equal((await fetch(url.replace(key, storage.newKey()))).status, 403);
  });

  test('objects are copied inside the store, also in parts', async () => {
    const from = open();
    const prefix = 'copies/';
    const to = s3Storage({ ...place, prefix });
    opened.push(to);
    const bytes = randomBytes(11 * 1024 * 1024);
    const key = from.newKey();
    await from.put(key, Readable.from(slices(bytes)), MAX);
    assert.equal(await to.copyFrom(place, key), true);
    assert.deepEqual(await to.stat(key), { bytes: bytes.length });
    assert.equal(await to.copyFrom(place, from.newKey()), false);

    const client = clientOf(server);
    const inParts = to.newKey();
    const target = { Bucket: place.bucket, Key: prefix + inParts };
    const source = { Bucket: place.bucket, Key: place.prefix + key };
    await copyObject(client, source, target, { above: 1024, bytes: 5 * 1024 * 1024 });
    client.destroy();
    const copied = await to.open(inParts);
    assert.ok(copied && !Buffer.isBuffer(copied.body));
    assert.deepEqual(await buffer(copied.body), bytes);
  });

  test('a store that does not answer is waited for only so long, and then left alone for a while', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const patience = { attempts: 2, connect: 100, answer: 50, idle: 1_000, pause: 60_000 };
    const problems: string[] = [];
    const endpoint = `http://127.0.0.1:${port}`;
    const report = (problem: string) => problems.push(problem);
    const storage = s3Storage({ ...place, endpoint }, report, systemRandom(), patience);
    opened.push(storage);
    let asked = 0;
    silent.on('connection', () => {
      asked += 1;
    });
    const key = storage.newKey();
    const put = (text: string) => storage.put(key, Readable.from([Buffer.from(text)]), MAX);
    await assert.rejects(put('a'), { name: 'ServiceUnavailableError', message: /not available/ });
    const before = asked;
    assert.ok(before > 0);
    await assert.rejects(put('b'), { name: 'ServiceUnavailableError' });
    await assert.rejects(storage.open(key), { name: 'ServiceUnavailableError' });
    assert.equal(asked, before);
    assert.equal(problems.length, 1);
    silent.close();
    silent.unref();
  });

  test('requests beyond those that may wait for the store are refused at once', async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => held.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const storage = open({ endpoint: `http://127.0.0.1:${port}` });
    const waiting = Array.from({ length: LIMITS.storageWaiting }, () => storage.stat(storage.newKey()));
    let answered = 0;
    const refused = Promise.all(waiting.map((each) => assert.rejects(each).then(() => (answered += 1))));
    await assert.rejects(storage.stat(storage.newKey()), { name: 'ServiceUnavailableError' });
    assert.equal(answered, 0);
    silent.close();
    silent.on('connection', (socket) => socket.destroy());
    storage.close?.();
    for (const socket of held) socket.destroy();
    await refused;
  });

  test('a wrong secret is said to the operator once, and is no fault of the client', async () => {
    const problems: string[] = [];
    const storage = open({ credentials: { key: server.key, secret: 'wrong' } }, (problem) => {
      problems.push(problem);
    });
    for (let turn = 0; turn < 3; turn += 1) {
      await assert.rejects(storage.stat(storage.newKey()), { name: 'ServiceUnavailableError' });
    }
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /403/);
    assert.doesNotMatch(problems[0] ?? '', /wrong/);
  });
});

function placeOf(url: string): S3Place {
  const place = parseFilesPlace(url, '/');
  assert.ok(place.kind === 's3');
  return place;
}

function clientOf(server: S3Server): S3Client {
  return new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: server.key, secretAccessKey: server.secret },
  });
}

function* slices(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function keysOf(storage: Storage, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) if (key.startsWith(prefix)) keys.push(key);
  return keys;
}
