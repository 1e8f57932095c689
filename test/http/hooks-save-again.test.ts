/**
 * Hooks that save or rename the document that was just written: replies and webhooks show what is stored in
 * the end.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defineApp, defineController, renameDocument, updateDocument } from '../../src/index.ts';
import { describeEither } from '../support/describe-site.ts';

const JOB = {
  name: 'Job',
  autoname: 'Prompt',
  allow_rename: 1,
  is_submittable: 1,
  track_changes: 1,
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data', allow_on_submit: 1 },
    { fieldname: 'saves', label: 'Saves', fieldtype: 'Int', allow_on_submit: 1 },
  ],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, submit: 1, cancel: 1 }],
};

const again = defineController<{ title: string; saves: number }>({
  async afterInsert(doc, ctx) {
    if (doc.title === 'rename me') await renameDocument(ctx, 'Job', doc.name, `renamed ${doc.name}`);
  },
  async onUpdate(doc, ctx) {
    if (doc.title === 'twice' && doc.saves === 0) await updateDocument(ctx, 'Job', doc.name, { saves: 1 });
  },
});

const SITE = { apps: [defineApp({ name: 'jobs', controllers: { Job: again } })] };

describeEither('hooks that save again', SITE, (site) => {
  before(async () => {
    await site.request('POST', '/api/resource/DocType', { body: JOB });
    for (const webhook_docevent of ['on_change', 'on_submit']) {
      const request_url = 'http://127.0.0.1:9/';
      const body = { webhook_doctype: 'Job', webhook_docevent, request_url };
      await site.make('Webhook', body);
    }
  });

  const path = (name: string) => `/api/resource/Job/${encodeURIComponent(name)}`;
  async function payload(event: string, name: string) {
    const filters = encodeURIComponent(JSON.stringify({ event, reference_document: name }));
    const order = 'order_by=creation desc&limit=1';
    const found = await site.request('GET', `/api/resource/Webhook Request Log?filters=${filters}&${order}`);
    const log = await site.request('GET', `/api/resource/Webhook Request Log/${found.body.data[0].name}`);
    return JSON.parse(log.body.data.data);
  }

  test('the reply is what a read shows, with the ETag of now', async () => {
    await site.request('POST', '/api/resource/Job', { body: { name: 'a' } });
    const reply = await site.request('PUT', path('a'), { body: { title: 'twice' } });
    const read = await site.request('GET', path('a'));
    assert.equal(read.body.data.saves, 1);
    assert.deepEqual(reply.body, read.body);
    assert.equal(reply.headers.get('etag'), read.headers.get('etag'));
    assert.equal((await payload('on_change', 'a')).saves, 1);
    const versions = await site.request('GET', '/api/resource/Version?fields=["data"]&order_by=creation');
    assert.deepEqual(
      versions.body.data.map((row: { data: string }) => JSON.parse(row.data).changed[0]).sort(),
      [
        ['saves', '0', '1'],
        ['title', null, 'twice'],
      ],
    );
  });

  test('a document that its hook renames is answered under its new name', async () => {
    const body = { name: 'b', title: 'rename me' };
    const reply = await site.request('POST', '/api/resource/Job', { body });
    assert.equal(reply.body.data.name, 'renamed b');
    const read = await site.request('GET', path('renamed b'));
    assert.deepEqual(reply.body, read.body);
    assert.equal((await payload('on_change', 'renamed b')).name, 'renamed b');
  });

  test('a submission that saves again is submitted and saved', async () => {
    await site.request('POST', '/api/resource/Job', { body: { name: 'c' } });
    const reply = await site.request('PUT', path('c'), { body: { title: 'twice', docstatus: 1 } });
    const read = await site.request('GET', path('c'));
    assert.deepEqual([read.body.data.docstatus, read.body.data.saves], [1, 1]);
    assert.deepEqual(reply.body, read.body);
    assert.equal((await payload('on_submit', 'c')).docstatus, 1);
  });
});
