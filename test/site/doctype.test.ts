/** Doctypes made, changed and deleted at run time, on both engines. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

const PERMISSIONS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];

for (const engine of engineOf('doctypes at run time')) {
  describe(`doctypes at run time on ${engine}`, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine);
    });
    after(() => site.stop());

    const path = (doctype: string, name?: string) =>
      `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
    const create = (doctype: string, body: object, as?: string) =>
      site.request('POST', path(doctype), { body, ...(as ? { as } : {}) });
    const define = (name: string, fields: object[], more: object = {}) =>
      create('DocType', { name, module: 'Test', fields, permissions: PERMISSIONS, ...more });
    const change = (name: string, body: object) => site.request('PUT', path('DocType', name), { body });
    const remove = (doctype: string, name: string) => site.request('DELETE', path(doctype, name));
    const read = async (doctype: string, name: string) =>
      (await site.request('GET', path(doctype, name))).body.data;
    const ok = (reply: TestReply) => {
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    };
    const refused = (reply: TestReply, status: number, type: string, text: string) => {
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.body.exc_type, type);
      assert.ok(reply.text.includes(text), reply.text);
    };

    test('a new doctype accepts documents with the next request', async () => {
      const fields = [
        { fieldname: 'title', fieldtype: 'Data', reqd: 1 },
        { label: 'Number of Pages', fieldtype: 'Int' },
      ];
      const doctype = ok(await define('Book', fields, { autoname: 'field:title' }));
      assert.equal(doctype.custom, 1);
      assert.deepEqual(
        doctype.fields.map((field: { fieldname: string }) => field.fieldname),
        ['title', 'number_of_pages'],
      );
      const book = ok(await create('Book', { title: 'Middlemarch', number_of_pages: 880 }));
      assert.equal(book.name, 'Middlemarch');
      assert.equal((await read('Book', 'Middlemarch')).number_of_pages, 880);
    });

    test('fields can be added, widened and removed without losing values', async () => {
      ok(
        await define('Song', [
          { fieldname: 'title', fieldtype: 'Data' },
          { fieldname: 'length', fieldtype: 'Int' },
        ]),
      );
      const { name } = ok(await create('Song', { title: 'One', length: 3 }));
      ok(
        await change('Song', {
          fields: [
            { fieldname: 'length', fieldtype: 'Float' },
            { fieldname: 'rating', fieldtype: 'Rating' },
            { fieldname: 'composer', fieldtype: 'Data', default: 'Unknown' },
          ],
        }),
      );
      const without = await read('Song', name);
      assert.ok(!('title' in without));
      assert.deepEqual([without.length, without.rating], [3, 0]);
      ok(await site.request('PUT', path('Song', name), { body: { length: 3.5 } }));
      ok(
        await change('Song', {
          fields: [
            { fieldname: 'title', fieldtype: 'Data' },
            { fieldname: 'length', fieldtype: 'Float' },
          ],
        }),
      );
      const back = await read('Song', name);
      assert.deepEqual([back.title, back.length], ['One', 3.5]);
      refused(
        await change('Song', {
          fields: [
            { fieldname: 'title', fieldtype: 'Data' },
            { fieldname: 'length', fieldtype: 'Int' },
          ],
        }),
        417,
        'ValidationError',
        'length holds real values',
      );
      assert.equal((await read('Song', name)).length, 3.5);
    });

    test('unique is refused while duplicates exist, and enforced afterwards', async () => {
      const fields = (unique: 0 | 1) => [{ fieldname: 'code', fieldtype: 'Data', unique }];
      ok(await define('Coupon', fields(0)));
      ok(await create('Coupon', { code: 'A' }));
      const twin = ok(await create('Coupon', { code: 'A' }));
      const reply = await change('Coupon', { fields: fields(1) });
      assert.equal(reply.status, 417, reply.text);
      assert.equal((await remove('Coupon', twin.name)).status, 202);
      ok(await change('Coupon', { fields: fields(1) }));
      refused(await create('Coupon', { code: 'A' }), 417, 'UniqueValidationError', 'Code must be unique');
    });

    test('a child doctype cannot be deleted while its parent uses it', async () => {
      ok(
        await define('Album Track', [{ fieldname: 'title', fieldtype: 'Data' }], {
          istable: 1,
          permissions: [],
        }),
      );
      ok(await define('Album', [{ fieldname: 'tracks', fieldtype: 'Table', options: 'Album Track' }]));
      ok(await define('Shelf', [{ fieldname: 'album', fieldtype: 'Link', options: 'Album' }]));
      const album = ok(await create('Album', { tracks: [{ title: 'One' }, { title: 'Two' }] }));
      assert.deepEqual(
        album.tracks.map((track: { title: string }) => track.title),
        ['One', 'Two'],
      );
      refused(await remove('DocType', 'Album Track'), 417, 'LinkExistsError', 'Album');
      refused(await remove('DocType', 'Album'), 417, 'LinkExistsError', 'Shelf');
      assert.equal((await remove('DocType', 'Shelf')).status, 202);
      refused(await remove('DocType', 'Album'), 417, 'LinkExistsError', 'delete its documents first');
      assert.equal((await remove('Album', album.name)).status, 202);
      assert.equal((await remove('DocType', 'Album')).status, 202);
      assert.equal((await remove('DocType', 'Album Track')).status, 202);
      refused(await site.request('GET', path('Album')), 404, 'DoesNotExistError', 'Album');
      ok(await define('Album', [{ fieldname: 'title', fieldtype: 'Data' }]));
      ok(await create('Album', { title: 'Again' }));
    });

    test('invalid definitions are refused with all problems', async () => {
      const reply = await define('Odd', [
        { fieldname: 'name', fieldtype: 'Data' },
        { fieldname: 'link', fieldtype: 'Link' },
        { fieldname: 'a', fieldtype: 'Data' },
        { fieldname: 'A', fieldtype: 'Data' },
      ]);
      refused(reply, 417, 'ValidationError', 'restricted');
      const messages = String(JSON.parse(reply.body._server_messages));
      for (const part of ['restricted', 'options are required', 'more than once'])
        assert.ok(messages.includes(part), messages);
      refused(
        await define('Odd', [{ fieldname: 'x', fieldtype: 'Link', options: 'Nowhere' }]),
        417,
        'WrongOptionsDoctypeLinkError',
        'Nowhere',
      );
      refused(await define('1 Odd', []), 409, 'NameError', '1 Odd');
      refused(await define('Odd', [], { is_virtual: 1 }), 417, 'ValidationError', 'is_virtual');
      refused(await site.request('GET', path('Odd')), 404, 'DoesNotExistError', 'Odd');
    });

    test('names that differ only in case are refused', async () => {
      ok(await define('Poem', []));
      refused(await define('POEM', []), 409, 'DuplicateEntryError', 'Poem');
      refused(await define('Poem', []), 409, 'DuplicateEntryError', 'Poem');
    });

    test("Chancery's own doctypes cannot be changed or deleted", async () => {
      refused(await change('User', { fields: [] }), 417, 'ValidationError', 'User');
      refused(await remove('DocType', 'User'), 417, 'ValidationError', 'User');
      refused(await remove('DocType', 'DocType'), 417, 'ValidationError', 'DocType');
    });

    test('only a System Manager may define doctypes', async () => {
      const nobody = await site.createUser('nobody@example.com', []);
      const manager = await site.createUser('manager@example.com', ['System Manager']);
      const body = { name: 'Mine', module: 'Test', fields: [], permissions: PERMISSIONS };
      refused(await create('DocType', body, nobody), 403, 'PermissionError', 'DocType');
      ok(await create('DocType', body, manager));
      ok(await create('Mine', {}, manager));
    });

    test('doctypes created at once all exist', async () => {
      const names = Array.from({ length: 8 }, (_, index) => `Parallel ${index}`);
      const replies = await Promise.all(
        names.map((name) => define(name, [{ fieldname: 'x', fieldtype: 'Int' }])),
      );
      for (const reply of replies) ok(reply);
      for (const name of names) ok(await create(name, { x: 1 }));
    });

    test('a refused definition leaves neither table nor row', async () => {
      const webhook = {
        webhook_doctype: 'Ghost',
        webhook_docevent: 'after_insert',
        request_url: 'https://example.com/',
      };
      refused(
        await define('Ghost', [], { permissions: [{ role: 'No Such Role', read: 1 }] }),
        417,
        'LinkValidationError',
        'No Such Role',
      );
      refused(await create('Webhook', webhook), 417, 'LinkValidationError', 'Ghost');
      ok(await define('Ghost', []));
    });
  });
}
