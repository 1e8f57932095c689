import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RememberedUploads } from './remembered.ts';
import { TestTusServer } from './tus-server.testing.ts';
import { type QueuedUpload, UploadQueue } from './upload-queue.ts';

const TARGET = { folder: 'Home', isPrivate: true };
const LARGE = 'x'.repeat(200_000);

function setUp(memory = memoryOf(), user = 'ann@example.com') {
  const server = new TestTusServer();
  const done: string[] = [];
  const queue = new UploadQueue({
    user: () => user,
    transport: server.transport,
    wait: () => Promise.resolve(),
    remembered: new RememberedUploads(memory, () => 1_000),
    onDone: ({ fileName }) => done.push(fileName),
  });
  return { server, done, queue, memory };
}

function memoryOf() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const fileOf = (name: string, text: string) => ({
  file: new File([text], name, { lastModified: 7 }),
  target: TARGET,
});

const attachedTo = (docname: string) => ({
  ...fileOf('a', LARGE),
  target: { ...TARGET, attachedTo: { doctype: 'Bill', docname } },
});

/** Resolves when the server has received some bytes. */
function underWay({ state }: QueuedUpload): Promise<void> {
  return new Promise((resolve) => {
    state.subscribe(() => {
      if (state.get().sent >= 150_000) resolve();
    });
  });
}

async function settled(queue: UploadQueue): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (queue.totals.get().open === 0) resolve();
    };
    queue.totals.subscribe(look);
    look();
  });
}

function first(queue: UploadQueue): QueuedUpload {
  const [upload] = queue.uploads.get();
  assert.ok(upload);
  return upload;
}

function reached(upload: QueuedUpload, phase: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (upload.state.get().phase === phase) resolve();
    };
    upload.state.subscribe(look);
    look();
  });
}

describe('the upload queue', () => {
  it('uploads all files, three at a time', async () => {
    const { server, done, queue } = setUp();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => fileOf(name, name)));
    await Promise.resolve();
    assert.equal(server.requests.length, 3);
    gate.resolve();
    await settled(queue);
    assert.deepEqual(done.toSorted(), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(queue.totals.get(), {
      count: 5,
      done: 5,
      failed: 0,
      paused: 0,
      open: 0,
      bytes: 5,
      sent: 5,
    });
  });

  it('keeps uploaded bytes during a pause', async () => {
    const { server, queue } = setUp();
    queue.add([fileOf('a', LARGE)]);
    server.gate = Promise.withResolvers<void>().promise;
    queue.pause(first(queue).id);
    assert.equal(first(queue).state.get().phase, 'paused');
    server.gate = Promise.resolve();
    queue.resume(first(queue).id);
    await reached(first(queue), 'done');
    assert.equal(first(queue).state.get().file, 'FILE 1');
  });

  it('shows why an upload failed, and retries it on request', async () => {
    const { server, queue } = setUp();
    server.answers.push({ status: 417, body: '{"exc_type":"FileQuotaExceeded","exception":"x: Too much"}' });
    queue.add([fileOf('a', LARGE)]);
    await reached(first(queue), 'failed');
    assert.equal(first(queue).state.get().error?.message, 'Too much');
    queue.resume(first(queue).id);
    await reached(first(queue), 'done');
  });

  it('deletes a cancelled upload from the server, and starts the next', async () => {
    const { server, queue, memory } = setUp();
    queue.add([fileOf('a', LARGE)]);
    const upload = first(queue);
    await new Promise<void>((resolve) => {
      upload.state.subscribe(() => {
        if (server.requests.at(-1)?.startsWith('PATCH')) resolve();
      });
    }).then(() => queue.cancel(upload.id));
    assert.deepEqual(queue.uploads.get(), []);
    assert.equal(server.uploads.size, 0);
    assert.equal(memory.kept.size, 0);
  });

  it('resumes after a reload only with the same file, user and folder', async () => {
    const memory = memoryOf();
    const before = setUp(memory);
    before.server.breaks.push(150_000);
    before.queue.add([fileOf('a', LARGE)]);
    await underWay(first(before.queue));
    before.queue.pauseAll();

    const after = setUp(memory);
    for (const [url, kept] of before.server.uploads) after.server.uploads.set(url, kept);
    after.queue.add([fileOf('a', LARGE)]);
    await settled(after.queue);
    assert.deepEqual(after.server.requests, ['HEAD /u1', 'PATCH /u1']);

    const another = setUp(memory, 'bob@example.com');
    another.queue.add([fileOf('a', LARGE)]);
    await settled(another.queue);
    assert.equal(another.server.requests[0], 'POST ');
  });

  it('resumes after a reload only at the document of the file', async () => {
    const memory = memoryOf();
    const before = setUp(memory);
    before.server.breaks.push(150_000);
    before.queue.add([attachedTo('BILL-1')]);
    await underWay(first(before.queue));
    before.queue.pauseAll();

    const firstRequest = async (docname: string) => {
      const { server, queue } = setUp(memory);
      for (const [url, kept] of before.server.uploads) server.uploads.set(url, kept);
      queue.add([attachedTo(docname)]);
      await settled(queue);
      return server.requests[0];
    };
    assert.equal(await firstRequest('BILL-2'), 'POST ');
    assert.equal(await firstRequest('BILL-1'), 'HEAD /u1');
  });

  it('uploads a file twice when it is added twice', async () => {
    const { server, queue } = setUp();
    queue.add([fileOf('a', LARGE), fileOf('a', LARGE)]);
    await settled(queue);
    assert.equal(server.uploads.size, 2);
    assert.equal(queue.totals.get().done, 2);
  });
});
