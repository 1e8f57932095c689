/** What single clients send that others do not: requests as they leave frappeclient, frappe-ui and others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describeEither('quirks', { apps: [notes] }, (site) => {
  const form = (path: string, fields: Record<string, string>): Promise<TestReply> =>
    site.request('POST', path, { body: new URLSearchParams(fields).toString(), headers: FORM });
  const get = (path: string) => site.request('GET', path);

  test('frappeclient: Basic, data in a form, commands at the root, whole documents back', async () => {
    const basic = `Basic ${Buffer.from(site.adminKey).toString('base64')}`;
    const data = JSON.stringify({ doctype: 'Note', name: 'py', title: 'py', lines: [{ text: 'a' }] });
    const doc = await site.ok('POST', '/api/resource/Note', {
      as: basic,
      body: new URLSearchParams({ data }).toString(),
      headers: FORM,
    });
    const kept = await site.request('PUT', '/api/resource/Note/py', {
      body: new URLSearchParams({ data: JSON.stringify({ ...doc, title: 'changed' }) }).toString(),
      headers: FORM,
    });
    assert.equal(kept.body.data.lines[0].name, doc.lines[0].name, kept.text);
    const stale = {
      doc: JSON.stringify({ ...doc, modified: '2001-01-01 00:00:00' }),
      cmd: 'frappe.client.save',
    };
    assertEnvelope(await form('/', stale), 'TimestampMismatchError');
    const bulk = {
      cmd: 'frappe.client.bulk_update',
      docs: '[{"doctype":"Note","docname":"py","title":"bulk"}]',
    };
    assert.deepEqual((await form('/', bulk)).body, { message: { failed_docs: [] } });
    const submitted = await form('/', {
      cmd: 'frappe.client.submit',
      doclist: JSON.stringify({ doctype: 'Note', name: 'py' }),
    });
    assert.equal(submitted.body.message.docstatus, 1, submitted.text);
    assert.equal((await get('/api/resource/Note/py/')).status, 200, 'a trailing slash, as zerodha sends it');
  });

  test('frappe-ui: start and limit beside their old names, debug, a whole document in set_value', async () => {
    await site.request('POST', '/api/resource/Note', { body: { name: 'ui', title: 'ui', pages: 1 } });
    const list = await site.request('POST', '/api/method/frappe.client.get_list', {
      body: {
        doctype: 'Note',
        fields: ['name'],
        filters: { title: 'ui' },
        start: 0,
        limit: 5,
        limit_start: 0,
        limit_page_length: 5,
        debug: 0,
      },
      headers: { 'x-frappe-site-name': 'site', 'x-frappe-csrf-token': '' },
    });
    assert.deepEqual(list.body, { message: [{ name: 'ui' }] });
    const { name: _name, doctype: _doctype, ...fields } = (await get('/api/resource/Note/ui')).body.data;
    const set = await site.request('POST', '/api/method/frappe.client.set_value', {
      body: { doctype: 'Note', name: 'ui', fieldname: { ...fields, pages: 2 } },
    });
    assert.equal(set.body.message?.pages, 2, set.text);
  });

  test('.NET: as_dict as text gives the list of values that Frappe 15.44 gives', async () => {
    await site.ok('POST', '/api/resource/Note', { body: { name: 'net', title: 'net' } });
    const asked = { doctype: 'Note', fieldname: 'title', filters: '{"name":"net"}', debug: 'False' };
    for (const as_dict of ['False', '0']) {
      const reply = await form('/api/method/frappe.client.get_value', { ...asked, as_dict });
      assert.deepEqual(reply.body, { message: ['net'] });
    }
    const reply = await form('/api/method/frappe.client.get_value', { ...asked, as_dict: 'True' });
    assert.deepEqual(reply.body, { message: { title: 'net' } });
  });

  test('frappe-mcp-server: a method that is not there is no 200', async () => {
    assertEnvelope(await get('/api/method/frappe.get_meta?doctype=Note'), 'DoesNotExistError');
  });
});
