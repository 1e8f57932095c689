/** What the system records about documents is written by the system alone, by every door. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

/** Doctypes of records that nobody makes or changes by hand, whatever their roles. */
const RECORDS: Readonly<Record<string, object>> = {
  Version: { ref_doctype: 'Deal', docname: 'S1', data: '{}' },
  'Deleted Document': { deleted_doctype: 'Deal', deleted_name: 'S1', data: '{}' },
  'Patch Log': { patch: 'x' },
  'Backup Run': { kind: 'Backup' },
  'Audit Log': { event: 'x' },
  'Webhook Request Log': { webhook: 'x' },
};

const SYSTEM_TYPES = [
  'Like',
  'Info',
  'Label',
  'Workflow',
  'Created',
  'Submitted',
  'Cancelled',
  'Updated',
  'Deleted',
]
  .concat(['Assigned', 'Assignment Completed', 'Attachment', 'Attachment Removed', 'Shared', 'Unshared'])
  .concat(['Bot', 'Relinked', 'Edit']);

describeEither('records of the system', historySite(), (site) => {
  let dealer: string;
  before(async () => {
    dealer = await site.createUser('dealer@example.com', ['Dealer']);
    await site.did('POST', 'Deal', { name: 'S1' });
  });

  const about = (more: object) => ({
    reference_doctype: 'Deal',
    reference_name: 'S1',
    content: 'Assigned to you',
    ...more,
  });

  test('comments of every type but one are refused to users', async () => {
    const doors: Readonly<Record<string, (comment_type: string) => [string, unknown]>> = {
      resource: (comment_type) => ['/api/resource/Comment', about({ comment_type })],
      v2: (comment_type) => ['/api/v2/document/Comment', about({ comment_type })],
      insert: (comment_type) => [
        '/api/method/frappe.client.insert',
        { doc: { doctype: 'Comment', ...about({ comment_type }) } },
      ],
      insert_many: (comment_type) => [
        '/api/method/frappe.client.insert_many',
        { docs: [{ doctype: 'Comment', ...about({ comment_type }) }] },
      ],
      save: (comment_type) => [
        '/api/method/frappe.client.save',
        { doc: { doctype: 'Comment', ...about({ comment_type }) } },
      ],
      'document method': (comment_type) => [
        '/api/v2/document/Deal/S1/method/add_comment',
        { comment_type, text: 'Assigned to you' },
      ],
      run_doc_method: (comment_type) => [
        '/api/method/run_doc_method',
        { dt: 'Deal', dn: 'S1', method: 'add_comment', args: { comment_type, text: 'Assigned to you' } },
      ],
    };
    for (const [door, of] of Object.entries(doors)) {
      for (const type of SYSTEM_TYPES) {
        const [path, body] = of(type);
        const refused = await site.request('POST', path, { body, as: dealer });
        assert.ok([403, 404, 417].includes(refused.status), `${door} ${type}: ${refused.status}`);
      }
    }
    assert.deepEqual(await site.comments('S1'), []);
    for (const door of ['resource', 'v2', 'insert', 'insert_many', 'document method']) {
      const [path, body] = doors[door]?.('Comment') ?? ['/', {}];
      await site.ok('POST', path, { body, as: dealer });
    }
    const kept = (await site.comments('S1')).filter((line) => line !== 'Comment: Assigned to you');
    assert.deepEqual(kept, []);
    const imported = await site.ask('POST', 'Comment', about({ comment_type: 'Workflow' }));
    assert.equal(imported.status, 200, 'a System Manager brings in what is from elsewhere');
  });

  test('comments that the system made in their name are not changed or deleted by users', async () => {
    await site.call('frappe.desk.like.toggle_like', { doctype: 'Deal', name: 'S1', add: 'Yes' }, dealer);
    const mine = { owner: 'dealer@example.com', comment_type: 'Like' };
    const [like] = await site.rows('Comment', mine, ['name']);
    const path = `Comment/${like.name}`;
    assert.equal((await site.ask('PUT', path, { content: 'another story' }, dealer)).status, 403);
    assert.equal((await site.ask('DELETE', path, undefined, dealer)).status, 403);
    await site.call('frappe.desk.like.toggle_like', { doctype: 'Deal', name: 'S1', add: 'No' }, dealer);
    assert.deepEqual(await site.rows('Comment', mine, ['name']), []);
  });

  test('other records are made and changed by nobody', async () => {
    const manager = await site.createUser('manager@example.com', ['System Manager', 'Dealer']);
    await site.did('PUT', 'Deal/S1', { title: 'changed' });
    for (const [doctype, fields] of Object.entries(RECORDS)) {
      const path = encodeURIComponent(doctype);
      const [row] = await site.rows(doctype, [], ['name']);
      for (const as of [dealer, manager]) {
        const made = await site.ask('POST', path, fields, as);
        assert.ok([403, 417].includes(made.status), `${doctype}: ${made.status} ${made.text}`);
        if (!row) continue;
        const changed = await site.ask('PUT', `${path}/${encodeURIComponent(row.name)}`, fields, as);
        assert.ok([403, 404, 417].includes(changed.status), `${doctype}: ${changed.status} ${changed.text}`);
      }
    }
  });
});
