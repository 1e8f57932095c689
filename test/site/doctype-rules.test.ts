/** What a run-time change of a doctype may ask of documents that are stored already. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

const PERMISSIONS = [
  { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1 },
];

for (const engine of engineOf('rules of doctypes')) {
  describe(`doctypes and stored documents on ${engine}`, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine);
    });
    after(() => site.stop());

    const path = (doctype: string, name?: string) =>
      `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
    const create = (doctype: string, body: object) => site.request('POST', path(doctype), { body });
    const define = (name: string, fields: object[], more: object = {}) => {
      const permissions = PERMISSIONS.map(({ submit, cancel, ...row }) =>
        'is_submittable' in more ? { ...row, submit, cancel } : row,
      );
      return create('DocType', { name, module: 'Test', fields, permissions, ...more });
    };
    const change = (name: string, body: object) => site.request('PUT', path('DocType', name), { body });
    const ok = (reply: TestReply) => {
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    };
    const refused = (reply: TestReply, type: string, ...texts: string[]) => {
      assert.equal(reply.status, 417, reply.text);
      assert.equal(reply.body.exc_type, type);
      for (const text of texts) assert.ok(reply.body.exception.includes(text), reply.text);
    };

    test('unique names the duplicates; empty values do not count', async () => {
      const code = (unique: 0 | 1) => [{ fieldname: 'code', fieldtype: 'Data', label: 'Code', unique }];
      ok(await define('Coupon', code(0)));
      for (const value of ['A', 'A', 'A', 'B', 'C', 'C', '', '', null])
        ok(await create('Coupon', { code: value }));
      refused(
        await change('Coupon', { fields: code(1) }),
        'UniqueValidationError',
        'Code of Coupon cannot be unique',
        '"A" (3:',
        '"C" (2:',
      );
      const twins = ok(
        await site.request('GET', `${path('Coupon')}?filters=[["code","in",["A","C"]]]&limit_page_length=10`),
      );
      for (const { name } of twins.slice(1)) {
        ok(await site.request('PUT', path('Coupon', name), { body: { code: `${name}` } }));
      }
      ok(await change('Coupon', { fields: code(1) }));
      const empty = ok(
        await site.request('GET', `${path('Coupon')}?filters=[["code","is","not set"]]&fields=["code"]`),
      );
      assert.deepEqual(empty, [{ code: null }, { code: null }, { code: null }]);
    });

    test('mandatory requires a value at the next save, not in stored documents', async () => {
      ok(await define('Memo', [{ fieldname: 'title', fieldtype: 'Data' }]));
      const { name } = ok(await create('Memo', {}));
      ok(await change('Memo', { fields: [{ fieldname: 'title', fieldtype: 'Data', reqd: 1 }] }));
      ok(await site.request('GET', path('Memo', name)));
      refused(await site.request('PUT', path('Memo', name), { body: {} }), 'MandatoryError', 'title');
      ok(await site.request('PUT', path('Memo', name), { body: { title: 'x' } }));
    });

    test('an index on long text is refused', async () => {
      for (const fieldtype of ['Text', 'Small Text', 'Long Text', 'Code', 'JSON', 'Text Editor']) {
        refused(
          await define('Essay', [{ fieldname: 'body', fieldtype, search_index: 1 }]),
          'ValidationError',
          'cannot be indexed',
        );
      }
    });

    test('a doctype stays submittable while documents are submitted', async () => {
      const order = ok(
        await define('Order', [{ fieldname: 'title', fieldtype: 'Data' }], { is_submittable: 1 }),
      );
      assert.deepEqual(
        order.fields.map((field: { fieldname: string; options?: string }) => [
          field.fieldname,
          field.options,
        ]),
        [
          ['title', undefined],
          ['amended_from', 'Order'],
        ],
      );
      const { name } = ok(await create('Order', { docstatus: 1 }));
      const plain = {
        is_submittable: 0,
        permissions: PERMISSIONS.map(({ submit: _submit, cancel: _cancel, ...row }) => row),
      };
      refused(await change('Order', plain), 'ValidationError', 'must stay submittable', name);
      ok(await site.request('PUT', path('Order', name), { body: { docstatus: 2 } }));
      ok(await change('Order', plain));
    });

    test('a field with values cannot become a secret, nor a secret a plain field', async () => {
      const field = (fieldname: string, fieldtype: string) => ({ fieldname, fieldtype });
      ok(await define('Account', [field('pin', 'Data'), field('key', 'Password'), field('spare', 'Data')]));
      ok(await create('Account', { pin: '1234', key: 'secret' }));
      refused(
        await change('Account', { fields: [field('pin', 'Password'), field('key', 'Password')] }),
        'ValidationError',
        'Pin cannot change',
      );
      refused(
        await change('Account', { fields: [field('pin', 'Data'), field('key', 'Data')] }),
        'ValidationError',
        'Key cannot change',
      );
      ok(
        await change('Account', {
          fields: [field('pin', 'Data'), field('key', 'Password'), field('spare', 'Password')],
        }),
      );
    });

    for (const [kind, field] of Object.entries({
      layout: { fieldtype: 'HTML' },
      'a child table': { fieldtype: 'Table', options: 'Has Role' },
      computed: { fieldtype: 'Data', is_virtual: 1 },
    })) {
      test(`a field without a column (${kind}) can become a secret`, async () => {
        const doctype = `Keeper of ${kind}`;
        ok(await define(doctype, [{ fieldname: 'd', ...field }]));
        ok(await create(doctype, {}));
        ok(await change(doctype, { fields: [{ fieldname: 'd', fieldtype: 'Password' }] }));
        ok(await change(doctype, { fields: [{ fieldname: 'd', ...field }] }));
      });
    }

    test('a change sees an earlier change of the same moment', async () => {
      // On SQLite these share a commit: each must look at what the one before it made.
      const replies = await Promise.all([
        define('Planet', [{ fieldname: 'title', fieldtype: 'Data' }]),
        define('Moon', [{ fieldname: 'planet', fieldtype: 'Link', options: 'Planet' }]),
        define('Crater', [{ fieldname: 'moon', fieldtype: 'Link', options: 'Moon' }]),
      ]);
      for (const reply of replies) assert.ok([200, 417].includes(reply.status), reply.text);
      assert.equal(replies[0].status, 200);
      for (const [index, name] of ['Planet', 'Moon', 'Crater'].entries()) {
        const listed = await site.request('GET', path(name));
        assert.equal(listed.status, replies[index]?.status === 200 ? 200 : 404);
      }
    });
  });
}
