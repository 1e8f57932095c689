/** Links, rows, trees, rights and files hold the text of numbered names. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { list, NUMBERED_SITE, upTo, withTickets } from '../support/numbered-site.ts';
import { scenario } from '../support/scenario.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape
type Any = any;

describeEither('references to numbered names', NUMBERED_SITE, (site) => {
  const names = withTickets(site);

  before(async () => {
    await site.make('Branch', { title: 'All', is_group: 1 });
    await site.make('Branch', { title: 'One', above: 1 });
  });

  scenario(site, [
    {
      title: 'links hold the text, whatever was sent, and only of a name',
      request: 'POST /api/resource/Visit',
      body: { name: 'a', ticket: 7, branch: '2', about_type: 'Ticket', about: 11 },
      expect: { data: { ticket: '7', branch: '2', about: '11', of_ticket: 'T7' } },
    },
    ...['abc', '07', '7.0', '9'.repeat(30)].map((ticket) => ({
      request: 'POST /api/resource/Visit',
      body: { name: 'b', ticket },
      error: 'LinkValidationError',
    })),
    {
      request: 'POST /api/resource/Visit',
      body: { name: 'b', about_type: 'Ticket', about: '12345' },
      error: 'LinkValidationError',
    },
    {
      request: `GET ${list('Visit', { fields: ['name', 'ticket', 'ticket.name as number', 'ticket.title as title'] })}`,
      expect: { data: [{ name: 'a', ticket: '7', number: 7, title: 'T7' }] },
    },
    {
      request: `GET ${list('Visit', { fields: ['name'], filters: [['ticket.name', '>', 6]] })}`,
      expect: { data: [{ name: 'a' }] },
    },
    {
      request: `GET ${list('Visit', { fields: ['ticket'], expand: ['ticket'] })}`,
      expect: { data: [{ ticket: { name: 7 } }] },
    },
    { request: 'DELETE /api/resource/Ticket/7', error: 'LinkExistsError' },
    { request: 'DELETE /api/resource/Ticket/11', error: 'LinkExistsError' },
    {
      request: 'GET /api/method/chancery.linked_documents?doctype=Ticket&name=7',
      expect: { message: { Visit: { count: 1, names: ['a'] } } },
    },

    {
      title: 'rows belong to the number, and point at numbers',
      request: 'PUT /api/resource/Ticket/3',
      body: { parts: [{ title: 'P3', of: 10 }, { title: 'P3b' }] },
      expect: { data: { parts: [{ parent: '3', of: '10' }, { parent: '3' }] } },
    },
    {
      request: `GET ${list('Ticket', { filters: [['Part', 'of', '=', '10']] })}`,
      expect: { data: [{ name: 3 }] },
    },
    {
      request: `GET ${list('Ticket', { fields: ['name', 'parts.title as part'], filters: { name: 3 } })}`,
      expect: {
        data: [
          { name: 3, part: 'P3' },
          { name: 3, part: 'P3b' },
        ],
      },
    },
    {
      request: `GET ${list('Ticket', { fields: ['name', { parts: ['title'] }], filters: { name: 3 } })}`,
      expect: { data: [{ name: 3, parts: [{ title: 'P3' }, { title: 'P3b' }] }] },
    },
    {
      request: 'GET /api/method/chancery.linked_documents?doctype=Ticket&name=10',
      expect: { message: { Ticket: { count: 1, names: [3] } } },
    },
    {
      request: 'GET /api/method/frappe.desk.form.linked_with.get?doctype=Ticket&docname=10',
      expect: { message: { Ticket: [{ name: 3 }] } },
    },

    {
      title: 'a rename gives another number, and every reference follows',
      request: 'POST /api/method/frappe.client.rename_doc',
      body: { doctype: 'Ticket', old_name: 10, new_name: 'Ten' },
      error: 'NameError',
    },
    {
      request: 'POST /api/method/frappe.client.rename_doc',
      body: { doctype: 'Ticket', old_name: 10, new_name: '11' },
      error: 'ValidationError',
    },
    {
      request: 'POST /api/method/frappe.client.rename_doc',
      body: { doctype: 'Ticket', old_name: 10, new_name: 13 },
      expect: { message: 13 },
    },
    { request: 'GET /api/resource/Ticket/13', expect: { data: { name: 13, parts: [{ parent: '13' }] } } },
    { request: 'GET /api/resource/Ticket/3', expect: { data: { parts: [{ of: '13' }, {}] } } },
    // The counter passes over the number in use.
    {
      request: 'POST /api/resource/Ticket',
      body: { name: 99, title: 'Next' },
      expect: { data: { name: 14 } },
    },
    {
      request: 'POST /api/method/run_doc_method',
      body: { dt: 'Ticket', dn: 13, method: 'rename', args: { name: '10' } },
      expect: { message: 10, docs: [{ name: 10 }] },
    },

    {
      title: 'an amendment is the next number',
      request: 'POST /api/resource/Claim',
      body: { docstatus: 1 },
      expect: { data: { name: 1 } },
    },
    { request: 'PUT /api/resource/Claim/1', body: { docstatus: 2 } },
    {
      request: 'POST /api/resource/Claim',
      body: { amended_from: 1 },
      expect: { data: { name: 2, amended_from: '1' } },
    },
    {
      request: 'POST /api/method/frappe.client.is_document_amended',
      body: { doctype: 'Claim', docname: 1 },
      expect: { message: 2 },
    },

    {
      title: 'several are deleted by number, and restored with it',
      request: 'POST /api/v2/document/Ticket/bulk_delete',
      body: { names: [14, 'abc'] },
      status: 200,
      expect: { data: { deleted: [14], failed: [{ name: 'abc', type: 'DoesNotExistError' }] } },
    },
    {
      request: `GET ${list('Deleted Document', { fields: ['name', 'deleted_name'], filters: { deleted_name: '14' } })}`,
      expect: { data: [{ deleted_name: '14' }] },
    },
    {
      request: 'POST /api/method/chancery.restore_document',
      body: ({ data }: Any) => ({ name: data[0].name }),
      expect: { message: { doctype: 'Ticket', name: 14 } },
    },
    { request: 'DELETE /api/resource/Ticket/14' },
  ]);

  test('trees of numbers are walked, and have no circles', async () => {
    const made = await site.make('Branch', { title: 'Low', above: '1', is_group: 1 });
    assert.equal(made.name, 3);
    assert.equal((await site.make('Branch', { title: 'Lowest', above: 3 })).name, 4);
    const walk = async (operator: string, node: unknown) =>
      names('Branch', { filters: [['name', operator, node]] });
    assert.deepEqual(await walk('descendants of', 1), [2, 3, 4]);
    assert.deepEqual(await walk('descendants of (inclusive)', '3'), [3, 4]);
    assert.deepEqual(await walk('ancestors of', '4'), [1, 3]);
    assert.deepEqual(await walk('not descendants of', 3), [1, 2, 3]);
    assert.deepEqual(await walk('descendants of', 'abc'), []);
    assert.deepEqual(await walk('ancestors of', '9'.repeat(30)), []);
    const visits = await names('Visit', { filters: [['branch', 'descendants of', 1]] });
    assert.deepEqual(visits, ['a']);
    const refused = await site.request('PUT', '/api/resource/Branch/1', { body: { above: '3' } });
    assert.equal(refused.status, 417, refused.text);
    const stray = await site.request('PUT', '/api/resource/Branch/4', { body: { above: 'abc' } });
    assert.equal(stray.body.exc_type, 'LinkValidationError');
  });

  test('User Permissions and shares restrict by number', async () => {
    await site.make('User Permission', { user: 'agent@example.com', allow: 'Ticket', for_value: '11' });
    await site.make('User Permission', { user: 'agent@example.com', allow: 'Branch', for_value: 3 });
    assert.deepEqual(await names('Ticket', {}, 'agent'), [11]);
    assert.deepEqual(await names('Branch', {}, 'agent'), [3, 4]);
    assert.deepEqual(await names('Ticket', {}, 'other'), upTo(12));
    const read = async (path: string) => (await site.request('GET', path, { as: 'agent' })).status;
    assert.equal(await read('/api/resource/Ticket/11'), 200);
    assert.equal(await read('/api/resource/Ticket/7'), 403);
    assert.equal(await read('/api/resource/Branch/4'), 200);
    assert.equal(await read('/api/resource/Branch/2'), 403);
    const rows = await names('Part', { parent: 'Ticket', fields: ['parent as name'] }, 'agent');
    assert.deepEqual(rows, ['11']);
    await site.call('frappe.share.add', { doctype: 'Ticket', name: 7, user: 'agent@example.com', read: 1 });
    assert.deepEqual(await names('Ticket', {}, 'agent'), [7, 11]);
    assert.equal(await read('/api/resource/Ticket/7'), 200);
    // A permission on rows: ticket 3 has a row about ticket 10.
    await site.make('User Permission', { user: 'other@example.com', allow: 'Ticket', for_value: '3' });
    assert.deepEqual(await names('Ticket', {}, 'other'), []);
  });

  test('files, comments and versions of a numbered document are found by its text', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x']), 'x.txt');
    form.set('doctype', 'Ticket');
    form.set('docname', '11');
    form.set('is_private', '1');
    const file = await site.ok('POST', '/api/method/upload_file', { body: form });
    assert.equal(file.attached_to_name, '11');
    const about = { attached_to_doctype: 'Ticket', attached_to_name: '11' };
    assert.deepEqual(await names('File', { filters: about }, 'agent'), [file.name]);
    assert.equal((await site.request('GET', file.file_url, { as: 'agent' })).status, 200);
    await site.did('PUT', 'Ticket/11', { parts: [{ title: 'scanned', scan: file.file_url }] });
    await site.make('Comment', {
      comment_type: 'Comment',
      reference_doctype: 'Ticket',
      reference_name: 11,
      content: 'Hello',
    });
    assert.equal((await names('Comment', { filters: { reference_name: '11' } }, 'agent')).length > 0, true);
    assert.equal((await names('Version', { filters: { docname: '11' } }, 'agent')).length, 1);
    const [listed] = await site.ok(
      'GET',
      list('Ticket', { fields: ['name', '_comments'], filters: { name: 11 } }),
    );
    assert.match(listed._comments, /Hello/);
    assert.deepEqual(await names('Comment', { filters: { reference_name: '2' } }, 'agent'), []);
    const { comments, attachments } = await site
      .request('GET', '/api/method/frappe.desk.form.load.getdoc?doctype=Ticket&name=11')
      .then(({ body }) => body.docinfo);
    assert.equal(comments.length, 1);
    assert.equal(attachments.length, 1);
    await site.did('DELETE', `File/${file.name}`);
    assert.equal((await site.did('GET', 'Ticket/11')).parts[0].scan ?? null, null);
  });

  test('a deleted document is stored with its number', async () => {
    const { name } = await site.make('Ticket', { title: 'to go' });
    await site.did('DELETE', `Ticket/${name}`);
    const filters = { deleted_doctype: 'Ticket', deleted_name: String(name) };
    const [kept] = await site.ok('GET', list('Deleted Document', { fields: ['data'], filters }));
    assert.equal(typeof name, 'number');
    assert.equal(JSON.parse(kept.data).name, name);
  });
});
