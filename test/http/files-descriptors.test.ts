/** No request for a file, however it ends, leaves a file, a socket or an object of a store open on the server. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { defineMethod } from '../../src/document/verbs/method.ts';
import type { UploadedFile } from '../../src/file/upload-file.ts';
import { type Descriptors, openDescriptors } from '../support/descriptors.ts';
import { type FileSite, startFileSite } from '../support/files.ts';
import { notes } from '../support/notes/app.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';

/** More than the buffers of a loopback connection hold, so that an unread reply stops midway. */
const LARGE = 12 * 1024 * 1024;
const NO_FIGURES = process.platform !== 'linux' && 'only Linux tells what a process has open';

/** An app whose method opens an upload and reads nothing of it. */
const careless = {
  ...notes,
  methods: {
    ...notes.methods,
    open_and_leave: defineMethod({
      http: ['POST'],
      args: 'any',
      async run(_ctx, args) {
        await (args as { uploaded_file?: UploadedFile }).uploaded_file?.open();
        return 'left';
      },
    }),
  },
};

/** A request for a route, ready to be sent: with more headers, and another method than GET. */
type Head = (more?: string, method?: string) => string;

for (const store of ['a disk', 'S3'] as const) {
  describe(`what is open on ${store}`, { skip: store === 'S3' ? NO_S3 : NO_FIGURES }, () => {
    let server: S3Server | null = null;
    let files: FileSite;
    let routes: Readonly<Record<string, string>>;
    let etag = '';
    /** What the server opened. The garbage collector does not close what is referred to here. */
    const bodies: Readable[] = [];

    before(async () => {
      server = store === 'S3' ? await startS3() : null;
      const uploads = { ...DEFAULT_CONFIG.uploads, maxBytes: LARGE };
      const place = server ? { files: await newBucket(server) } : {};
      files = await startFileSite('sqlite', { uploads, ...place }, [careless]);
      const { storage } = files.site;
      const open = storage.open.bind(storage);
      storage.open = async (key, range) => {
        const opened = await open(key, range);
        if (opened?.body instanceof Readable) bodies.push(opened.body);
        return opened;
      };
      routes = await storedRoutes();
    });
    after(async () => {
      await files?.stop();
      await server?.stop();
    });

    async function storedRoutes() {
      const { stored, get } = files;
      // Noise, so that the image is larger than what is read at once.
      const raw = { width: 400, height: 400, channels: 3 } as const;
      const png = await sharp(randomBytes(400 * 400 * 3), { raw })
        .png()
        .toBuffer();
      const image = await stored('image.png', new Uint8Array(png));
      const shown = await stored('shown.bin', randomBytes(LARGE));
      const hidden = await stored('hidden.bin', randomBytes(LARGE), { is_private: '1' });
      const small = await stored('small.txt', 'a few bytes');
      etag = (await get(shown.file_url, null, { range: 'bytes=0-0' })).headers.get('etag') ?? '';
      const url = encodeURIComponent(hidden.file_url);
      const zip = encodeURIComponent(JSON.stringify([shown.name, hidden.name, small.name]));
      return {
        'a small file': small.file_url,
        'a public file': shown.file_url,
        'a private file': hidden.file_url,
        'an image': image.file_url,
        'a thumbnail': `${image.file_url}?w=64`,
        'a thumbnail of what is no image': `${small.file_url}?w=64`,
        'a download by method': `/api/method/download_file?file_url=${url}`,
        'a download by the second version': `/api/v2/method/download_file?file_url=${url}`,
        'a download by command': `/?cmd=download_file&file_url=${url}`,
        'a zip': `/api/method/frappe.core.api.file.zip_files?files=${zip}`,
      };
    }

    const headOf =
      (path: string): Head =>
      (more = '', method = 'GET') => {
        const signed = more.includes('Authorization') ? '' : `Authorization: token ${files.adminKey}\r\n`;
        return `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${signed}${more}\r\n`;
      };

    async function connected(): Promise<Socket> {
      const { hostname, port } = new URL(files.url);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }

    /** Sends bytes and reads until the server closes the connection. */
    async function readAll(bytes: string | Uint8Array): Promise<string> {
      const socket = await connected();
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const closed = once(socket, 'close');
      socket.write(bytes);
      await closed;
      return Buffer.concat(chunks).toString('latin1');
    }

    /** Sends bytes and hangs up, before the reply or amid it. */
    async function hangUp(bytes: string | Uint8Array, when: 'at once' | 'midway'): Promise<void> {
      const socket = await connected();
      await new Promise<unknown>((resolve) => socket.write(bytes, resolve));
      if (when === 'midway') await once(socket, 'data');
      socket.destroy();
    }

    /** Runs requests, after which everything must be closed that was not open before. */
    async function leavesNothing(work: () => Promise<unknown>): Promise<void> {
      const folder = join(files.site.config.data, 'files');
      bodies.length = 0;
      // Connections that the test itself keeps are counted too.
      const before = (await openDescriptors(folder))?.sockets ?? 0;
      await work();
      // What a request does late, it has done when this one is answered.
      await readAll(headOf(routes['a public file'] ?? '')());
      let now: Descriptors | null = null;
      let open: Readable[] = [];
      await until(async () => {
        now = await openDescriptors(folder);
        open = bodies.filter(({ destroyed }) => !destroyed);
        // The client of a store keeps connections for the next request.
        const isBack = server !== null || (now !== null && now.sockets <= before);
        return open.length === 0 && isBack && (now === null || now.files.length === 0);
      }).catch(() => assert.fail(`${open.length} streams, ${before} sockets before: ${JSON.stringify(now)}`));
    }

    const downloads: Readonly<Record<string, (head: Head) => Promise<unknown>>> = {
      complete: (head) => readAll(head()),
      HEAD: (head) => readAll(head('', 'HEAD')),
      'for a range': (head) => readAll(head('Range: bytes=5-300000\r\n')),
      'for several ranges': (head) => readAll(head('Range: bytes=5-300000,400000-800000\r\n')),
      'for what the client has': (head) => readAll(head(`If-None-Match: ${etag}, *\r\n`)),
      'for a range outside': (head) => readAll(head(`Range: bytes=${LARGE}-\r\n`)),
      'whose condition fails': (head) => readAll(head('If-Match: "another"\r\n')),
      'with wrong credentials': (head) => readAll(head('Authorization: token a:b\r\n')),
      'aborted at once': (head) => hangUp(head(), 'at once'),
      'aborted midway': (head) => hangUp(head(), 'midway'),
      'for a range, aborted midway': (head) => hangUp(head('Range: bytes=5-9000000\r\n'), 'midway'),
      'for several ranges, aborted midway': (head) =>
        hangUp(head('Range: bytes=5-400000,500000-900000\r\n'), 'midway'),
      'behind others that nobody reads': (head) =>
        hangUp(head().replace('Connection: close\r\n', '').repeat(4), 'midway'),
    };
    for (const [kind, send] of Object.entries(downloads)) {
      test(`a download ${kind} leaves nothing open`, async () => {
        await leavesNothing(async () => {
          for (const path of Object.values(routes)) await send(headOf(path));
        });
      });
    }

    const form = (fields: Readonly<Record<string, string>>, bytes: Uint8Array) =>
      Buffer.concat([
        ...Object.entries(fields).map(([name, value]) =>
          Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
        ),
        Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'),
        bytes,
        Buffer.from('\r\n--x--\r\n'),
      ]);
    const post = (body: Uint8Array, announced = body.length) =>
      Buffer.concat([
        Buffer.from(
          headOf('/api/method/upload_file')(
            `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${announced}\r\n`,
            'POST',
          ),
        ),
        body,
      ]);
    const tus = (method: string, path: string, more: string, bytes: Uint8Array, announced = bytes.length) => {
      const type = 'Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n';
      return Buffer.concat([
        Buffer.from(headOf(path)(`${type}Content-Length: ${announced}\r\n${more}`, method)),
        bytes,
      ]);
    };
    const begun = async (bytes: number) => {
      const about = `Upload-Length: ${bytes}\r\nUpload-Metadata: filename ${btoa('a.bin')}\r\n`;
      const reply = await readAll(tus('POST', '/api/files/tus', about, new Uint8Array()));
      return /^location: (\S+)/im.exec(reply)?.[1] ?? assert.fail(reply);
    };
    const BYTES = randomBytes(300_000);

    /** Sends bytes, for which the reply must have this status. */
    const answers = async (status: number, bytes: Uint8Array) =>
      assert.equal(Number((await readAll(bytes)).slice(9, 12)), status);

    const uploads: Readonly<Record<string, () => Promise<unknown>>> = {
      complete: () => answers(200, post(form({}, BYTES))),
      'aborted midway': () => hangUp(post(form({}, BYTES), 900_000), 'at once'),
      'of too much': () => answers(417, post(form({}, randomBytes(LARGE + 1)))),
      'that is refused after its bytes': () => answers(417, post(form({ folder: 'Home/none' }, BYTES))),
      'whose method reads nothing': () => answers(200, post(form({ method: 'open_and_leave' }, BYTES))),
      'that is optimized': () => answers(200, post(form({ optimize: '1' }, BYTES))),
      'by tus': async () => {
        const path = await begun(2 * BYTES.length);
        await answers(204, tus('PATCH', path, 'Upload-Offset: 0\r\n', BYTES));
        await answers(204, tus('PATCH', path, `Upload-Offset: ${BYTES.length}\r\n`, BYTES));
        await answers(200, tus('HEAD', path, '', new Uint8Array()));
      },
      'by tus, aborted midway': async () => {
        const path = await begun(2 * BYTES.length);
        await hangUp(tus('PATCH', path, 'Upload-Offset: 0\r\n', BYTES, 2 * BYTES.length), 'at once');
      },
      'by tus, that is refused': async () => {
        const path = await begun(2 * BYTES.length);
        await answers(409, tus('PATCH', path, 'Upload-Offset: 7\r\n', BYTES));
      },
    };
    for (const [kind, work] of Object.entries(uploads)) {
      test(`an upload ${kind} leaves nothing open`, () => leavesNothing(work));
    }
  });
}
