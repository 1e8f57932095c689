/** A parameter that is sent twice with two values is refused, wherever one value is expected; nothing is done then. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

/** Fields that decide where an upload goes and who may see it, each with two values. */
const UPLOAD: Readonly<Record<string, readonly [string, string]>> = {
  is_private: ['0', '1'],
  doctype: ['User', 'Role'],
  docname: ['Administrator', 'Guest'],
  fieldname: ['user_image', 'banner_image'],
  folder: ['Home', 'Home/Attachments'],
  file_url: ['/files/a.txt', '/files/b.txt'],
  file_name: ['a.txt', 'b.txt'],
  library_file_name: ['a', 'b'],
  method: ['ping', 'frappe.ping'],
  optimize: ['0', '1'],
  total_chunk_count: ['1', '2'],
  chunk_index: ['0', '1'],
  chunk_byte_offset: ['0', '5'],
  total_file_size: ['5', '10'],
  upload_id: ['upload-one', 'upload-two'],
};
type Pairs = readonly (readonly [string, string])[];

let site: TestSite;
before(async () => {
  site = await startTestSite('sqlite');
});
after(() => site.stop());

const query = (pairs: Pairs) => new URLSearchParams(pairs.map(([key, value]) => [key, value])).toString();
const metadata = (pairs: Pairs) =>
  pairs.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(',');

function multipart(pairs: Pairs, fileAfter: number, path = '/api/method/upload_file'): Promise<TestReply> {
  const form = new FormData();
  const file = () => form.append('file', new Blob(['bytes']), 'a.txt');
  for (const [index, [key, value]] of pairs.entries()) {
    if (index === fileAfter) file();
    form.append(key, value);
  }
  if (fileAfter >= pairs.length) file();
  return site.request('POST', path, { body: form });
}

function form(path: string, pairs: Pairs): Promise<TestReply> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return site.request('POST', path, { body: query(pairs), headers });
}

async function stored(): Promise<number> {
  let count = 0;
  for await (const _ of site.site.storage.list()) count += 1;
  const { body } = await site.request('GET', '/api/method/frappe.client.get_count?doctype=File');
  return count + Number(body.message);
}

function assertRefused(reply: TestReply, key: string, what: string): void {
  assert.equal(reply.status, 400, `${what}: ${reply.text}`);
  assert.match(reply.text, new RegExp(`BadRequestError: Parameter ${key} is sent more than once`), what);
}

describe('parameters with several values', () => {
  test('of uploads are refused before and after the file, in every kind of form', async () => {
    const before = await stored();
    for (const [key, [one, other]] of Object.entries(UPLOAD)) {
      for (const pairs of [
        [
          [key, one],
          [key, other],
        ],
        [
          [key, other],
          [key, one],
        ],
      ] as const) {
        for (const fileAfter of [1, 2]) assertRefused(await multipart(pairs, fileAfter), key, key);
        assertRefused(await form('/api/method/upload_file', pairs), key, key);
        assertRefused(await form(`/api/method/upload_file?${query(pairs)}`, []), key, key);
        assertRefused(await multipart([], 0, `/api/method/upload_file?${query(pairs)}`), key, key);
        // One value in the address and another in the form.
        const path = `/api/v2/method/upload_file?${query(pairs.slice(0, 1))}`;
        const both = await multipart(pairs.slice(1), 1, path);
        assert.equal(both.status, 400, key);
        const tus = await site.request('POST', '/api/files/tus', {
          headers: {
            'tus-resumable': '1.0.0',
            'upload-length': '5',
            'upload-metadata': metadata([['filename', 'a.txt'], ...pairs]),
          },
        });
        assert.equal(tus.status, 400, `${key}: ${tus.text}`);
      }
    }
    assert.equal(await stored(), before);
  });

  test('are refused in queries and forms of every other route', async () => {
    const twice: Pairs = [
      ['doctype', 'User'],
      ['doctype', 'Role'],
    ];
    for (const path of [
      '/api/resource/User',
      '/api/resource/User/Administrator',
      '/api/v2/document/User',
      '/api/v2/doctype/User/count',
      '/api/method/frappe.client.get_list',
      '/api/method/download_file',
      '/files/a.txt',
      '/login',
      '/',
    ]) {
      assertRefused(await site.request('GET', `${path}?${query(twice)}`), 'doctype', path);
    }
    for (const path of [
      '/api/resource/File',
      '/api/v2/document/File',
      '/api/method/frappe.client.get',
      '/api/method/login',
      '/',
    ]) {
      assertRefused(await form(path, twice), 'doctype', path);
    }
  });

  test('may be repeated with one value, and as lists if the parameter is a list', async () => {
    const same: Pairs = [
      ['is_private', '1'],
      ['is_private', '1'],
    ];
    for (const fileAfter of [0, 1, 2]) {
      const { body } = await multipart(same, fileAfter);
      assert.equal(body.message.is_private, 1);
    }
    await site.ok('GET', '/api/resource/User?limit=5&limit=5&_=1&_=2');
    const events = await fetch(`${site.url}/api/events?doctype=User&doctype=Role`, {
      method: 'HEAD',
      headers: { authorization: `token ${site.adminKey}` },
    });
    assert.equal(events.status, 200);
  });

  test('the document in the path wins over the form of an attachment', async () => {
    const path = '/api/v2/document/User/Administrator/attachments';
    const { body } = await multipart([['docname', 'Guest']], 1, path);
    assert.equal(body.data.attached_to_name, 'Administrator');
  });
});
