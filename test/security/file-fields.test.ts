/** A file has the permlevel of the field that it is attached to, by every door. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite, PNG } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';
import { pack } from '../support/zip.ts';

const attach = (fieldname: string, permlevel = 0) => ({ fieldname, fieldtype: 'Attach', permlevel });
const table = (fieldname: string, permlevel = 0) => ({
  fieldname,
  fieldtype: 'Table',
  options: 'Sheet Row',
  permlevel,
});
const DOCTYPES = [
  { name: 'Sheet Row', istable: 1, fields: [attach('scan'), attach('stub', 1), attach('open')] },
  {
    name: 'Sheet',
    autoname: 'hash',
    fields: [attach('open'), attach('plain'), attach('secret', 1), table('pages'), table('kept', 1)],
    permissions: [
      { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
      { role: 'Note Reader', read: 1 },
      { role: 'Note Writer', read: 1, write: 1, create: 1 },
      { role: 'Sheet Keeper', read: 1, write: 1, create: 1, delete: 1 },
      { role: 'Sheet Keeper', permlevel: 1, read: 1, write: 1 },
      { role: 'Sheet Filler', read: 1, write: 1, create: 1, delete: 1 },
      { role: 'Sheet Filler', permlevel: 1, write: 1 },
      { role: 'Sheet Dropper', write: 1, create: 1, delete: 1 },
      { role: 'Sheet Dropper', permlevel: 1, read: 1, write: 1 },
    ],
  },
];

/** Fields above permlevel 0, as a save fills them and as an upload names them. */
const HIDDEN: readonly (readonly [fieldname: string, of: (url: string) => object])[] = [
  ['secret', (url) => ({ secret: url })],
  ['stub', (url) => ({ pages: [{ stub: url }] })],
  ['pages.stub', (url) => ({ pages: [{ stub: url }] })],
  ['kept.scan', (url) => ({ kept: [{ scan: url }] })],
  // A name of two fields has the stricter permission.
  ['scan', (url) => ({ kept: [{ scan: url }] })],
];
const OPEN: typeof HIDDEN = [
  ['plain', (url) => ({ plain: url })],
  ['.open', (url) => ({ open: url })],
  ['pages.scan', (url) => ({ pages: [{ scan: url }] })],
];

interface Held {
  readonly name: string;
  readonly url: string;
  readonly sheet: string;
}
interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
const call = (method: string, body: object): Asked => ({
  method: 'POST',
  path: `/api/method/${method}`,
  body,
});
const onSheet = (sheet: string) =>
  encodeURIComponent(JSON.stringify({ attached_to_doctype: 'Sheet', attached_to_name: sheet }));

/** Doors that name one file: refused without the right to its field. */
const DIRECT: Readonly<Record<string, (held: Held) => Asked>> = {
  document: ({ name }) => ({ path: file(name) }),
  'frappe.client.get': ({ name }) => call('frappe.client.get', { doctype: 'File', name }),
  bytes: ({ url }) => ({ path: url }),
  head: ({ url }) => ({ method: 'HEAD', path: url }),
  range: ({ url }) => ({ path: url, headers: { range: 'bytes=0-3' } }),
  thumbnail: ({ url }) => ({ path: `${url}?w=64` }),
  download: ({ url }) => ({ path: `/api/method/download_file?file_url=${encodeURIComponent(url)}` }),
  zip: ({ name }) => call('frappe.core.api.file.zip_files', { files: [name] }),
  link: ({ name }) => call('chancery.file_link', { name }),
  'another File of the url': ({ url }) => ({
    method: 'POST',
    path: '/api/resource/File',
    body: { file_url: url },
  }),
  'an upload of the url': ({ url }) => call('upload_file', { file_url: url }),
  'an upload from the library': ({ name }) => call('upload_file', { library_file_name: name }),
};
/** Those that change the file, which nobody but the keeper may. */
const CHANGING: Readonly<Record<string, (held: Held) => Asked>> = {
  unzip: ({ name }) => call('frappe.core.api.file.unzip_file', { name }),
  publish: ({ name }) => ({ method: 'PUT', path: file(name), body: { is_private: 0 } }),
  move: ({ name, sheet }) => ({
    method: 'PUT',
    path: file(name),
    body: { attached_to_doctype: 'Sheet', attached_to_name: sheet, attached_to_field: '' },
  }),
  detach: ({ name }) => ({
    method: 'PUT',
    path: file(name),
    body: { attached_to_doctype: null, attached_to_name: null },
  }),
  delete: ({ name }) => ({ method: 'DELETE', path: file(name) }),
};
/** Doors that answer with what the caller may see: silent about others. */
const LISTS: Readonly<Record<string, (held: Held) => Asked>> = {
  list: ({ sheet }) => ({ path: `/api/resource/File?fields=["*"]&filters=${onSheet(sheet)}` }),
  'list by field': () => ({
    path: `/api/resource/File?limit_page_length=500&filters=[["attached_to_field","is","set"]]&fields=["name","file_url"]`,
  }),
  get_list: ({ sheet }) =>
    call('frappe.client.get_list', {
      doctype: 'File',
      fields: ['name', 'file_url'],
      filters: { attached_to_name: sheet },
    }),
  get_value: ({ sheet }) =>
    call('frappe.client.get_value', {
      doctype: 'File',
      fieldname: ['name', 'file_url'],
      filters: { attached_to_name: sheet },
    }),
  attachments: ({ sheet }) => ({ path: `/api/v2/document/Sheet/${sheet}?include=attachments,comments` }),
  form: ({ sheet }) => ({ path: `/api/method/frappe.desk.form.load.getdoc?doctype=Sheet&name=${sheet}` }),
  images: ({ sheet }) =>
    call('frappe.core.api.file.get_attached_images', { doctype: 'Sheet', names: [sheet] }),
  search: ({ url }) => call('frappe.core.api.file.get_files_by_search_text', { text: url.split('/').at(-1) }),
};

describeEither('files of fields', fileSite(), (files) => {
  let keeper = '';
  let made = 0;
  before(async () => {
    const post = async (doctype: string, body: object) => {
      await files.make(doctype, body);
    };
    for (const name of ['Keeper', 'Filler', 'Dropper']) await post('Role', { role_name: `Sheet ${name}` });
    for (const doctype of DOCTYPES) await post('DocType', { module: 'Notes', custom: 1, ...doctype });
    keeper = await files.createUser('keeper@example.com', ['Sheet Keeper']);
  });

  const ask = ({ method = 'GET', path, body, headers = {} }: Asked, as?: string): Promise<TestReply> =>
    files.request(method, path, { headers, body, as });
  const put = (sheet: string, body: object, as?: string) =>
    ask({ method: 'PUT', path: `/api/resource/Sheet/${sheet}`, body }, as);

  async function sheetWith(fields: object = {}): Promise<string> {
    const reply = await ask({ method: 'POST', path: '/api/resource/Sheet', body: fields });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.name;
  }
  /** A file of bytes of its own, whose owner is Administrator. */
  async function stored(fields: Readonly<Record<string, string>> = {}) {
    made += 1;
    const doc = await files.stored(`held-${made}.png`, Buffer.concat([PNG, Buffer.from(`${made}`)]), {
      is_private: '1',
      ...fields,
    });
    return { name: String(doc.name), url: String(doc.file_url) };
  }
  /** The file in a field of a new sheet, put there by a save or an upload. */
  async function held(
    by: 'save' | 'upload',
    [fieldname, of]: (typeof HIDDEN)[number],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Held> {
    if (by === 'save') {
      const { name, url } = await stored(more);
      return { name, url, sheet: await sheetWith(of(url)) };
    }
    const sheet = await sheetWith();
    return { ...(await stored({ doctype: 'Sheet', docname: sheet, fieldname, ...more })), sheet };
  }
  const mentions = (reply: TestReply, { name, url }: Held) =>
    reply.text.includes(name) || reply.text.includes(url.split('/').at(-1) ?? '');

  for (const by of ['save', 'upload'] as const) {
    test(`a private file that came by ${by} follows its field`, async () => {
      for (const kind of HIDDEN) {
        const it = await held(by, kind);
        for (const as of ['reader', 'writer']) {
          for (const [door, of] of Object.entries({ ...DIRECT, ...CHANGING })) {
            const reply = await ask(of(it), as);
            assert.ok(reply.status === 403 || reply.status === 404, `${kind[0]} ${door}: ${reply.status}`);
          }
          for (const [door, of] of Object.entries(LISTS)) {
            const reply = await ask(of(it), as);
            assert.equal(reply.status, 200, door);
            assert.ok(!mentions(reply, it), `${kind[0]} ${door}: ${reply.text}`);
          }
        }
      }
      for (const [who, kinds] of [
        ['keeper', HIDDEN],
        ['reader', OPEN],
      ] as const) {
        for (const kind of kinds) {
          const it = await held(by, kind);
          const as = who === 'keeper' ? keeper : 'reader';
          for (const [door, of] of Object.entries(DIRECT)) {
            const reply = await ask(of(it), as);
            // The bytes only begin like a picture.
            const isFine = reply.status < 300 || (door === 'thumbnail' && reply.status === 417);
            assert.ok(isFine, `${who} ${kind[0]} ${door}: ${reply.status} ${reply.text}`);
          }
          for (const [door, of] of Object.entries(LISTS)) {
            const reply = await ask(of(it), as);
            assert.ok(mentions(reply, it), `${who} ${kind[0]} ${door}: ${reply.text}`);
          }
        }
      }
    });
  }

  test('whoever writes a field or a document, and does not read it, gets no hold of its file', async () => {
    const users = {
      filler: [await files.createUser('filler@example.com', ['Sheet Filler']), HIDDEN],
      dropper: [await files.createUser('dropper@example.com', ['Sheet Dropper']), [...HIDDEN, ...OPEN]],
    } as const;
    for (const [who, [as, kinds]] of Object.entries(users)) {
      for (const kind of kinds) {
        const it = await held('save', kind);
        for (const [door, of] of Object.entries({ ...DIRECT, ...CHANGING })) {
          const reply = await ask(of(it), as);
          assert.ok(reply.status === 403 || reply.status === 404, `${who} ${kind[0]} ${door}: ${reply.text}`);
        }
        assert.equal((await files.get(it.url, keeper)).status, 200);
      }
    }
  });

  test('a file goes along when its url moves to another field', async () => {
    const open = await held('save', ['plain', (url) => ({ plain: url })]);
    assert.equal((await put(open.sheet, { plain: null, secret: open.url })).status, 200);
    assert.equal((await files.get(open.url, 'reader')).status, 403);
    assert.equal((await files.get(open.url, keeper)).status, 200);

    const both = await held('save', ['plain', (url) => ({ plain: url, kept: [{ scan: url }], secret: url })]);
    assert.equal((await put(both.sheet, { plain: null }, 'writer')).status, 200);
    assert.equal((await files.get(both.url, 'reader')).status, 403);
    const named = await held('upload', ['.plain', () => ({})]);
    assert.equal((await put(named.sheet, { plain: named.url })).status, 200);
    assert.equal((await put(named.sheet, { plain: null, pages: [{ stub: named.url }] })).status, 200);
    assert.equal((await files.get(named.url, 'reader')).status, 403);
    const hidden = await held('save', ['secret', (url) => ({ secret: url })]);
    const filler = await files.createUser('mover@example.com', ['Sheet Filler']);
    assert.equal((await put(hidden.sheet, { secret: null, plain: hidden.url }, filler)).status, 200);
    assert.equal((await files.get(hidden.url, filler)).status, 403);
    assert.equal((await files.get(hidden.url, keeper)).status, 200);
    const freed = await held('save', ['secret', (url) => ({ secret: url })]);
    assert.equal((await put(freed.sheet, { secret: null, plain: freed.url }, keeper)).status, 200);
    assert.equal((await files.get(freed.url, 'reader')).status, 200);
  });

  test('a public file in a hidden field is served to everybody, and said to be there to nobody', async () => {
    for (const kind of HIDDEN) {
      const it = await held('save', kind, { is_private: '0' });
      assert.equal((await files.get(it.url)).status, 200);
      assert.equal((await ask({ path: file(it.name) }, 'reader')).status, 403);
      for (const [door, of] of Object.entries(LISTS)) {
        assert.ok(!mentions(await ask(of(it), 'reader'), it), `${kind[0]} ${door}`);
      }
      const own = { method: 'POST', path: '/api/resource/File', body: { file_url: it.url } };
      assert.equal((await ask(own, 'reader')).status, 200);
    }
  });

  test('a file in a hidden and in an open field is for the readers of both', async () => {
    const both = await stored();
    await sheetWith({ secret: both.url, plain: both.url });
    assert.equal((await files.get(both.url, 'reader')).status, 200);

    const later = await held('save', ['secret', (url) => ({ secret: url })]);
    // Who may not read the bytes opens them to nobody by writing the address down.
    assert.equal((await put(later.sheet, { plain: later.url }, 'writer')).status, 200);
    assert.equal((await files.get(later.url, 'reader')).status, 403);
    assert.equal((await put(later.sheet, { plain: null })).status, 200);
    assert.equal((await put(later.sheet, { plain: later.url }, keeper)).status, 200);
    assert.equal((await files.get(later.url, 'reader')).status, 200);

    const hidden = await held('save', ['kept.scan', (url) => ({ kept: [{ scan: url }], secret: url })]);
    assert.equal((await files.get(hidden.url, 'reader')).status, 403);
    assert.equal((await files.get(hidden.url, keeper)).status, 200);
  });

  test('clients name only fields that they may write, and change none afterwards', async () => {
    const sheet = await sheetWith();
    const place = { doctype: 'Sheet', docname: sheet };
    const attached = { attached_to_doctype: 'Sheet', attached_to_name: sheet };
    const own = await files.stored('own.txt', 'own', {}, 'writer');
    for (const fieldname of ['secret', 'stub', 'kept.scan', 'scan', 'nonsuch', 'pages.nonsuch', 'kept']) {
      const form = new FormData();
      for (const [key, value] of Object.entries({ ...place, fieldname })) form.set(key, value);
      form.set('file', new Blob(['x']), 'a.txt');
      const metadata = Object.entries({ ...place, fieldname, filename: 'a.txt' })
        .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
        .join(',');
      const tries: readonly Asked[] = [
        { method: 'POST', path: '/api/method/upload_file', body: form },
        {
          method: 'POST',
          path: '/api/files/tus',
          headers: { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': metadata },
        },
        call('frappe.client.attach_file', {
          ...place,
          docfield: fieldname,
          filename: 'a.txt',
          filedata: 'a',
        }),
        {
          method: 'POST',
          path: '/api/resource/File',
          body: { ...attached, attached_to_field: fieldname, file_name: 'a.txt', content: 'a' },
        },
        {
          method: 'POST',
          path: '/api/resource/File',
          body: { ...attached, attached_to_field: fieldname, file_url: own.file_url },
        },
      ];
      for (const one of tries) {
        const reply = await ask(one, 'writer');
        assert.equal(reply.status, 417, `${fieldname} ${one.path} ${reply.text}`);
        assert.match(reply.body.exception, new RegExp(`Sheet has no field ${fieldname} that you may write$`));
      }
    }
    const form = await files.upload('mine.txt', 'x', { ...place, fieldname: 'plain' }, 'writer');
    assert.equal(form.body.message.attached_to_field, 'plain');
    for (const attached_to_field of ['open', 'secret', '', null]) {
      const change = { method: 'PUT', path: file(form.body.message.name), body: { attached_to_field } };
      const kept = await ask(change, 'writer');
      assert.equal(kept.body.data.attached_to_field, 'plain');
    }
    const moved = { method: 'PUT', path: file(form.body.message.name) };
    const freed = await ask(
      { ...moved, body: { attached_to_doctype: null, attached_to_name: null } },
      'writer',
    );
    assert.equal(freed.body.data.attached_to_field, undefined, freed.text);
  });

  test('a level that changes and a field that goes count from then on', async () => {
    const custom = { dt: 'Sheet', fieldname: 'extra', fieldtype: 'Attach' };
    const added = await ask({ method: 'POST', path: '/api/resource/Custom Field', body: custom });
    assert.equal(added.status, 200, added.text);
    const path = `/api/resource/Custom Field/${added.body.data.name}`;
    const it = await held('save', ['extra', (url) => ({ extra: url })]);
    const statuses = async () => {
      const replies = [];
      for (const as of ['reader', keeper, undefined]) {
        for (const asked of [it.url, file(it.name)]) {
          replies.push((await ask({ path: asked }, as)).status);
        }
      }
      const list = await ask(LISTS['list']?.(it) ?? { path: '/' }, 'reader');
      return [...replies, mentions(list, it)];
    };
    assert.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200, true]);
    const raised = await ask({ method: 'PUT', path, body: { permlevel: 1 } });
    assert.equal(raised.status, 200, raised.text);
    assert.deepEqual(await statuses(), [403, 403, 200, 200, 200, 200, false]);
    const removed = await ask({ method: 'DELETE', path });
    assert.equal(removed.status, 202, removed.text);
    assert.deepEqual(await statuses(), [403, 403, 403, 403, 200, 200, false]);
  });

  test('what comes out of a zip in a hidden field is as hidden', async () => {
    const sheet = await sheetWith();
    const bytes = await pack([{ path: 'inner.txt', text: 'in the zip' }]);
    const place = { doctype: 'Sheet', docname: sheet, fieldname: 'secret', is_private: '1' };
    const zip = await files.stored('a.zip', bytes, place);
    const unzipped = await ask(call('frappe.core.api.file.unzip_file', { name: zip.name }), keeper);
    assert.equal(unzipped.status, 200, unzipped.text);
    const [inner] = unzipped.body.message;
    assert.equal(inner.attached_to_field, 'secret');
    assert.equal((await files.get(inner.file_url, keeper)).status, 200);
    assert.equal((await files.get(inner.file_url, 'reader')).status, 403);
  });
});
