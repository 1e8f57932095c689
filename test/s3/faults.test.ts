/** The store of a site's files is away, slow, answers partly or wrongly: every operation meets every fault. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { parseFilesPlace } from '../../src/config/files-place.ts';
import { s3Storage } from '../../src/file/s3-storage.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { type FileSite, file, MAX_BYTES, startFileSite } from '../support/files.ts';
import { servedText, storeText } from '../support/kept-files.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';
import { type FaultyS3, S3_FAULTS, type S3FaultName, startFaultyS3 } from '../support/s3-faults.ts';
import { someOf } from '../support/some-of.ts';
import { inTheEnd, until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';
import { pack } from '../support/zip.ts';

const FAULTS = someOf(Object.keys(S3_FAULTS) as S3FaultName[], 3);

/** Downloads of less are read at once. */
const LARGE = MAX_BYTES;
const SMALL = 2_000;
/** Where an upload in two chunks is cut. */
const HALF = SMALL / 2;

type Bytes = Buffer<ArrayBuffer>;

/** An answer; null when the connection broke before its end. */
type Outcome = { readonly status: number; readonly bytes: Buffer } | null;

/** What a client does. */
interface Operation {
  /** Makes what it needs, without faults; resolves to the operation, which can be done again. */
  prepare(): Promise<() => Promise<Outcome>>;
  /** True if the answer has begun before all bytes have come from the store. */
  readonly isStream?: true;
  /** True if the store is not needed. */
  readonly isSure?: true;
}

/** Begins again while the store does not answer in time, as on a machine that is late. */
async function started<T>(begin: () => Promise<T>): Promise<T> {
  const begun = await until(
    () => begin().then((value) => ({ value }), unlessAway),
    (found) => found !== null,
  );
  assert.ok(begun);
  return begun.value;
}

function unlessAway(error: unknown): null {
  if (error instanceof Error && /file storage/.test(error.message)) return null;
  throw error;
}

describe('a site whose store has faults', { skip: NO_S3 }, () => {
  let server: S3Server;
  let store: FaultyS3;
  let site: FileSite;
  let count = 0;
  /** What the server has acknowledged: addresses, and their bytes. */
  const acknowledged = new Map<string, Bytes>();

  before(async () => {
    server = await startS3();
    store = await startFaultyS3(server);
    const files = `${await newBucket(server, store.endpoint)}&timeout=3`;
    site = await started(() => startFileSite('sqlite', { files, quarantine: { bytes: 0 } }));
  });
  after(async () => {
    store?.meet(null);
    await site?.end();
    await store?.stop();
    await server?.stop();
  });

  async function ask(method: string, path: string, body?: FormData | object): Promise<Outcome> {
    const isJson = body && !(body instanceof FormData);
    const headers = {
      authorization: `token ${site.adminKey}`,
      ...(isJson && { 'content-type': 'application/json' }),
    };
    const sent = isJson ? JSON.stringify(body) : (body ?? null);
    const reply = await fetch(site.url + path, { method, headers, body: sent });
    return reply.arrayBuffer().then(
      (bytes) => ({ status: reply.status, bytes: Buffer.from(bytes) }),
      () => null,
    );
  }

  async function upload(content: Bytes, name: string, fields: Record<string, string> = {}, whole = content) {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    const outcome = await ask('POST', '/api/method/upload_file', form);
    const { message } = outcome?.status === 200 ? JSON.parse(outcome.bytes.toString()) : {};
    if (message?.file_url) acknowledged.set(message.file_url, whole);
    return { outcome, file: message };
  }

  /** Stores a file that is there, whatever the machine has to do besides. */
  async function stored(content: Bytes, name: string): Promise<{ name: string; file_url: string }> {
    const done = await until(
      () => upload(content, name),
      ({ outcome }) => outcome?.status === 200,
    );
    return done.file;
  }

  async function download(content: Bytes): Promise<() => Promise<Outcome>> {
    const { file_url: url } = await stored(content, 'a.bin');
    return async () => {
      const outcome = await ask('GET', url);
      if (outcome?.status === 200) assert.ok(outcome.bytes.equals(content), 'a download has other bytes');
      return outcome;
    };
  }

  const fresh = (bytes: number) => randomBytes(bytes) as Bytes;

  const OPERATIONS: Record<string, Operation> = {
    'small upload': { prepare: async () => async () => (await upload(fresh(SMALL), 'small.bin')).outcome },
    'large upload': { prepare: async () => async () => (await upload(fresh(LARGE), 'large.bin')).outcome },
    'last chunk': {
      async prepare() {
        const bytes = fresh(SMALL);
        count += 1;
        const about = {
          upload_id: `an-upload-${count}`,
          total_chunk_count: '2',
          total_file_size: `${SMALL}`,
        };
        const chunk = async (index: number) => {
          const fields = { ...about, chunk_index: `${index}`, chunk_byte_offset: `${index * HALF}` };
          const part = bytes.subarray(index * HALF, (index + 1) * HALF);
          return (await upload(part, 'chunks.bin', fields, bytes)).outcome;
        };
        await until(async () => (await chunk(0))?.status === 200);
        return () => chunk(1);
      },
    },
    'small download': { prepare: () => download(fresh(SMALL)) },
    'large download': { isStream: true, prepare: () => download(fresh(LARGE)) },
    thumbnail: {
      async prepare() {
        count += 1;
        const size = { width: 400 + count, height: 300 };
        const image = sharp({ create: { ...size, channels: 3, background: 'red' } }).png();
        const { file_url: url } = await stored(Buffer.from(await image.toBuffer()), 'image.png');
        return () => ask('GET', `${url}?w=64`);
      },
    },
    zip: {
      isStream: true,
      async prepare() {
        const { name } = await stored(fresh(LARGE), 'zipped.bin');
        const files = encodeURIComponent(JSON.stringify([name]));
        return () => ask('GET', `/api/method/frappe.core.api.file.zip_files?files=${files}`);
      },
    },
    unzip: {
      async prepare() {
        const packed = await pack([{ path: 'a.txt', text: fresh(SMALL).toString('hex') }]);
        const { name, file_url: url } = await stored(packed, 'some.zip');
        return async () => {
          const outcome = await ask('POST', '/api/method/frappe.core.api.file.unzip_file', { name });
          if (outcome?.status === 200) acknowledged.delete(url);
          return outcome;
        };
      },
    },
    deletion: {
      isSure: true,
      async prepare() {
        const { name, file_url: url } = await stored(fresh(SMALL), 'deleted.bin');
        acknowledged.delete(url);
        return () => ask('DELETE', file(name));
      },
    },
    document: {
      isSure: true,
      prepare: async () => () => {
        count += 1;
        return ask('POST', '/api/resource/Note', { name: `note ${count}`, title: 'T' });
      },
    },
  };

  function judge(fault: S3FaultName, name: string, outcome: Outcome): void {
    const { isStream, isSure } = OPERATIONS[name] ?? {};
    const text = outcome?.bytes.toString('utf8', 0, 10_000) ?? '';
    if (outcome === null) assert.ok(isStream, `${name}: the connection broke`);
    else if (isSure || outcome.status < 300)
      assert.match(`${outcome.status}`, /^20[02]$/, `${name}: ${text}`);
    else if (fault === 'shortObject' && outcome.status === 500) {
      // docs/guide/files.md: that bytes are lost is a fault of the server, which its log names.
      assertEnvelope({ status: 500, text }, 'InternalServerError', 500);
    } else {
      assertEnvelope({ status: outcome.status, text }, 'ServiceUnavailableError');
      assert.match(text, /The file storage is not available at the moment/);
    }
  }

  for (const fault of FAULTS) {
    test(`${fault}: nothing acknowledged is lost, and everything works again`, async () => {
      const before = site.observed.length;
      const running: [string, () => Promise<Outcome>][] = [];
      for (const [name, { prepare }] of Object.entries(OPERATIONS)) running.push([name, await prepare()]);
      store.meet(S3_FAULTS[fault]);
      // Together, because after a failure the store is left alone for a while.
      const outcomes = await Promise.all(
        running.map(async ([name, go]) => [name, await inTheEnd(go, `the end of a ${name}`)] as const),
      );
      assert.ok(store.met.length > 0);
      for (const address of ['/health', '/ready']) assert.equal((await site.get(address)).status, 200);
      store.meet(null);
      for (const [name, outcome] of outcomes) judge(fault, name, outcome);
      const failed = new Set(
        outcomes.filter(([, outcome]) => (outcome?.status ?? 500) > 299).map(([name]) => name),
      );
      for (const [name, go] of running) {
        if (failed.has(name))
          await until(go, (outcome) => outcome?.status === 200, `a ${name} that works again`);
      }
      for (const [url, bytes] of acknowledged) {
        const found = await until(
          () => ask('GET', url),
          (outcome) => outcome?.status !== 503,
        );
        assert.ok(found?.bytes.equals(bytes), `${url} was acknowledged: ${found?.status}`);
      }
      acknowledged.clear();
      const unexpected = site.observed.slice(before).filter(({ kind }) => kind === 'unexpected');
      assert.equal(unexpected.length > 0, fault === 'shortObject', JSON.stringify(unexpected));
    });
  }

  test('a start and the collection after it wait for no store, and a later start has all files', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-s3-start-'));
    t.after(() => rm(data, { recursive: true, force: true }));
    const files = `${await newBucket(server, store.endpoint)}&timeout=3`;
    const config = { ...DEFAULT_CONFIG, apps: [], data, files };
    const first = await started(() => openSite(config, { apps: [] }));
    const { file_url: url } = await started(() => storeText(first, 'kept'));
    await first.close();
    for (const fault of FAULTS) {
      const observed: Observation[] = [];
      store.meet(S3_FAULTS[fault]);
      const observe = (one: Observation) => void observed.push(one);
      if (fault === 'shortObject') {
        // The mark that binds the files to the database has lost bytes, too.
        await assert.rejects(openSite(config, { apps: [], observe }), { name: 'StartError' });
        continue;
      }
      const again = await inTheEnd(() => openSite(config, { apps: [], observe }), `a start: ${fault}`);
      await inTheEnd(() => again.close(), `a stop: ${fault}`);
      store.meet(null);
      const unexpected = observed.filter(({ kind }) => kind === 'unexpected');
      assert.deepEqual(unexpected, [], fault);
      const later = await started(() => openSite(config, { apps: [] }));
      assert.equal(await started(() => servedText(later, url)), 'kept');
      await later.close();
    }
  });

  test('a store that fails in the middle of a large upload is not taken for a client that goes away', async (t) => {
    const place = parseFilesPlace(await newBucket(server, store.endpoint), '/');
    assert.ok(place.kind === 's3');
    const storage = s3Storage(place);
    t.after(() => storage.close?.());
    store.meet(S3_FAULTS.internal, { of: ({ path }) => path.includes('partNumber=2') });
    async function* pieces() {
      for (let at = 0; at < 12; at += 1) yield randomBytes(1024 * 1024);
    }
    await assert.rejects(
      storage.put(storage.newKey(), Readable.from(pieces()), { maxBytes: 64 * 1024 * 1024 }),
      {
        name: 'ServiceUnavailableError',
      },
    );
    assert.ok(store.met.length > 0);
    store.meet(null);
  });
});
