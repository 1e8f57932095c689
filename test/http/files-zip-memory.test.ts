/** Large zips pass through a real server without staying in its memory, packed and unpacked. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formOf, growthDuring, post, residentBytes } from '../support/big-upload.ts';
import { startServerProcess } from '../support/server-process.ts';

const MEGABYTE = 1024 * 1024;
const LARGE = 320 * MEGABYTE;
/** Several times the garbage that comes and goes, and half of what a server that keeps the zip would take. */
const ENOUGH = LARGE / 2;
const KEY = 'memory-key:memory-secret-0123456789';
const NO_FIGURES = residentBytes(process.pid) === null && 'this system does not tell the memory of a process';

test('a zip of 320 MB is made and unpacked in less than half of its size of memory', {
  skip: NO_FIGURES,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), 'chancery-zip-'));
  const server = await startServerProcess(['--data', data], {
    env: { CHANCERY_ADMIN_API_KEY: KEY, CHANCERY_UPLOADS_MAX_BYTES: String(LARGE + MEGABYTE) },
  });
  try {
    const { pid = 0 } = server.child;
    const token = `token ${KEY}`;
    const api = `${server.url}/api/method/`;
    const upload = async (bytes: number): Promise<string> =>
      JSON.parse(await post(`${api}upload_file`, token, formOf(bytes))).message.name;
    const zipOf = async (name: string) => {
      const url = `${api}frappe.core.api.file.zip_files?files=["${name}"]`;
      return (await fetch(url, { headers: { authorization: token } })).blob();
    };
    const unpack = async (zipped: string) => {
      const response = await fetch(`${api}frappe.core.api.file.unzip_file`, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify({ name: zipped }),
      });
      const { message } = (await response.json()) as { message: { file_size: number }[] };
      return message[0]?.file_size;
    };
    const storeZip = async (zip: Blob): Promise<string> => {
      const form = new FormData();
      form.set('file', zip, 'big.zip');
      const reply = await fetch(`${api}upload_file`, {
        method: 'POST',
        headers: { authorization: token },
        body: form,
      });
      return ((await reply.json()) as { message: { name: string } }).message.name;
    };
    const name = await upload(LARGE);
    let zip = new Blob();
    const packing = await growthDuring(pid, async () => {
      zip = await zipOf(name);
    });
    assert.ok(zip.size > LARGE);
    assert.ok(packing < ENOUGH, `packing took ${Math.round(packing / MEGABYTE)} MB`);
    let unpacked: number | undefined;
    const zipped = await storeZip(zip);
    const unpacking = await growthDuring(pid, async () => {
      unpacked = await unpack(zipped);
    });
    assert.equal(unpacked, LARGE);
    assert.ok(unpacking < ENOUGH, `unpacking took ${Math.round(unpacking / MEGABYTE)} MB`);
  } finally {
    await server.end('SIGTERM');
    await rm(data, { recursive: true, force: true });
  }
});
