import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isApiError } from '../api-error.ts';
import { TestTusServer } from './tus-server.testing.ts';
import { runTusUpload, TUS_PATH, type TusUpload } from './tus-upload.ts';

const LARGE = 'x'.repeat(200_000);

function uploadOf(server: TestTusServer, text: string, more: Partial<TusUpload> = {}): TusUpload {
  return {
    file: new Blob([text]),
    metadata: { filename: 'größe <b>.txt', folder: 'Home', doctype: '' },
    url: null,
    transport: server.transport,
    signal: new AbortController().signal,
    onUrl: () => undefined,
    onProgress: () => undefined,
    wait: () => Promise.resolve(),
    ...more,
  };
}

describe('an upload by tus', () => {
  it('sends a small file with the request that begins it', async () => {
    const server = new TestTusServer();
    assert.equal(await runTusUpload(uploadOf(server, 'hello')), 'FILE 1');
    assert.deepEqual(server.requests, ['POST ']);
    assert.deepEqual(server.uploads.get(`${TUS_PATH}/u1`), {
      bytes: 5,
      text: 'hello',
      metadata: { filename: 'größe <b>.txt', folder: 'Home' },
    });
  });

  it('completes an empty file at once', async () => {
    const server = new TestTusServer();
    assert.equal(await runTusUpload(uploadOf(server, '')), 'FILE 1');
  });

  it('resumes after broken connections, as long as bytes get through', async () => {
    const server = new TestTusServer();
    server.breaks.push(...Array<number>(15).fill(10));
    const waits: number[] = [];
    const seen: number[] = [];
    await runTusUpload(
      uploadOf(server, LARGE, {
        wait: async (failures) => void waits.push(failures),
        onProgress: (bytes) => seen.push(bytes),
      }),
    );
    assert.equal(server.uploads.get(`${TUS_PATH}/u1`)?.text, LARGE);
    assert.deepEqual(waits, Array(15).fill(1));
    assert.equal(seen.at(-1), LARGE.length);
    assert.equal(server.requests.filter((one) => one.startsWith('POST')).length, 1);
  });

  it('gives up after failures without a byte', async () => {
    const server = new TestTusServer();
    server.breaks.push(...Array<number>(20).fill(0));
    await assert.rejects(runTusUpload(uploadOf(server, LARGE)), (error) =>
      isApiError(error, 'ConnectionError'),
    );
  });

  it('fails at once when the server refuses it', async () => {
    const server = new TestTusServer();
    const body = JSON.stringify({
      exc_type: 'FileTypeNotAllowed',
      exception: 'frappe.FileTypeNotAllowed: No EXE',
    });
    server.answers.push({ status: 417, body });
    await assert.rejects(runTusUpload(uploadOf(server, LARGE)), (error) => {
      return isApiError(error, 'FileTypeNotAllowed') && error.message === 'No EXE';
    });
    assert.equal(server.requests.length, 1);
  });

  it('resumes the upload of an earlier visit, and restarts when it is gone', async () => {
    const server = new TestTusServer();
    const url = `${TUS_PATH}/before`;
    server.uploads.set(url, { bytes: LARGE.length, text: LARGE.slice(0, 150_000), metadata: {} });
    await runTusUpload(uploadOf(server, LARGE, { url }));
    assert.equal(server.uploads.get(url)?.text, LARGE);
    assert.deepEqual(server.requests, ['HEAD /before', 'PATCH /before']);

    const urls: (string | null)[] = [];
    await runTusUpload(uploadOf(server, LARGE, { url: `${TUS_PATH}/gone`, onUrl: (now) => urls.push(now) }));
    assert.deepEqual(urls, [null, `${TUS_PATH}/u1`]);
  });

  it('treats an upload as complete when only its last reply was lost', async () => {
    const server = new TestTusServer();
    server.breaks.push(LARGE.length);
    assert.equal(await runTusUpload(uploadOf(server, LARGE)), 'FILE 1');
    assert.deepEqual(server.requests, ['POST ', 'HEAD /u1', 'PATCH /u1', 'HEAD /u1']);
  });

  it('sends bytes only to this site, whatever a reply says', async () => {
    const server = new TestTusServer();
    const sent: string[] = [];
    const transport: TusUpload['transport'] = async (request) => {
      sent.push(request.url);
      const reply = await server.transport(request);
      const header = (name: string) => (name === 'location' ? 'https://evil.example/u1' : reply.header(name));
      return { ...reply, header };
    };
    await runTusUpload(uploadOf(server, LARGE, { transport }));
    assert.deepEqual([...new Set(sent)], [TUS_PATH, `${TUS_PATH}/u1`]);
  });

  it('reports an abort instead of the failure before it', async () => {
    const server = new TestTusServer();
    const pause = new AbortController();
    server.breaks.push(100);
    const wait = () => {
      pause.abort(new Error('paused'));
      return Promise.reject(new Error('paused'));
    };
    await assert.rejects(runTusUpload(uploadOf(server, LARGE, { signal: pause.signal, wait })), /paused/);
    assert.equal(server.uploads.get(`${TUS_PATH}/u1`)?.text.length, 100);
  });
});
