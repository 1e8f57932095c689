import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeSite } from '../support/describe-site.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

const SITE = {
  doctypes: [
    {
      name: 'Leaf',
      custom: 1,
      autoname: 'field:title',
      fields: [
        { fieldname: 'title', fieldtype: 'Data' },
        { fieldname: 'tree', fieldtype: 'Data' },
      ],
    },
  ],
};

describeSite('pages over HTTP', SITE, (site) => {
  before(async () => {
    for (const title of NAMES)
      await site.request('POST', '/api/resource/Leaf', { body: { title, tree: 'oak' } });
  });

  const get = async (path: string, status = 200) => {
    const reply = await site.request('GET', path);
    assert.equal(reply.status, status, reply.text);
    return reply.body;
  };

  test('both versions: keys beside data only when asked for, and cursors that lead to the end', async () => {
    for (const path of ['/api/resource/Leaf', '/api/v2/document/Leaf']) {
      const plain = await get(`${path}?limit=2`);
      assert.deepEqual(Object.keys(plain), path.includes('v2') ? ['data', 'has_next_page'] : ['data']);
      const names: string[] = [];
      let cursor = '';
      for (let page = 0; page < 3; page += 1) {
        const more = cursor ? `after=${cursor}` : 'include=cursor,count';
        const body = await get(`${path}?order_by=tree asc, name desc&limit=2&${more}`);
        names.push(...body.data.map((row: { name: string }) => row.name));
        assert.equal(body.has_next_page, page < 2);
        assert.equal(typeof body.cursor, page < 2 ? 'string' : 'undefined');
        assert.deepEqual([body.count, body.count_capped], page === 0 ? [5, false] : [undefined, undefined]);
        cursor = body.cursor;
      }
      assert.deepEqual(names, NAMES.toReversed());
      assert.equal((await get(`${path}?count=exact&limit=1`)).count, 5);
      assert.equal(
        (await get(`${path}?after=junk`, 417))[path.includes('v2') ? 'errors' : 'exc_type'] !== undefined,
        true,
      );
    }
  });

  test('groups and aggregates, by query string and by method', async () => {
    const fields = encodeURIComponent('["tree","count(name) as n"]');
    const expected = [{ tree: 'oak', n: 5 }];
    assert.deepEqual((await get(`/api/resource/Leaf?fields=${fields}&group_by=tree`)).data, expected);
    const called = await site.request('POST', '/api/method/frappe.client.get_list', {
      body: { doctype: 'Leaf', fields: ['tree', { COUNT: '*', as: 'n' }], group_by: 'tree' },
    });
    assert.deepEqual(called.body.message, expected);
  });
});
