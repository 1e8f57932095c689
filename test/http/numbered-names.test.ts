/** `autoname: autoincrement`: names are numbers on the wire and in the table, as in Frappe. Links hold their text. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeSite } from '../support/describe-site.ts';
import { scenario } from '../support/scenario.ts';

const ALL = {
  role: 'System Manager',
  read: 1,
  write: 1,
  create: 1,
  delete: 1,
  share: 1,
};
const permissions = [ALL, { role: 'Agent', read: 1, write: 1 }];
const link = (fieldname: string, options: string) => ({ fieldname, fieldtype: 'Link', options });
const TITLE = { fieldname: 'title', fieldtype: 'Data' };

// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape
type Any = any;

const DOCTYPES = [
  {
    name: 'Part',
    istable: 1,
    fields: [{ fieldname: 'scan', fieldtype: 'Attach' }, TITLE],
  },
  {
    name: 'Ticket',
    autoname: 'autoincrement',
    allow_rename: 1,
    track_changes: 1,
    permissions,
    fields: [TITLE, { fieldname: 'parts', fieldtype: 'Table', options: 'Part' }],
  },
  {
    name: 'Branch',
    autoname: 'autoincrement',
    is_tree: 1,
    nsm_parent_field: 'above',
    permissions,
    fields: [TITLE, link('above', 'Branch')],
  },
  {
    name: 'Visit',
    autoname: 'Prompt',
    permissions,
    fields: [
      link('ticket', 'Ticket'),
      link('branch', 'Branch'),
      { fieldname: 'of_ticket', fieldtype: 'Data', fetch_from: 'ticket.title' },
      link('about_type', 'DocType'),
      { fieldname: 'about', fieldtype: 'Dynamic Link', options: 'about_type' },
    ],
  },
];
const SITE = { doctypes: DOCTYPES, users: { agent: ['Agent'], other: ['Agent'] } };

const list = (doctype: string, more: Readonly<Record<string, unknown>>) =>
  `/api/resource/${doctype}?${Object.entries(more)
    .map(
      ([key, value]) =>
        `${key}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .join('&')}`;

describeSite('numbered names', SITE, (site) => {
  const names = async (doctype: string, more: Readonly<Record<string, unknown>>, as?: string) =>
    (
      await site.ok('GET', list(doctype, { limit_page_length: 100, order_by: 'name asc', ...more }), { as })
    ).map((row: { name: unknown }) => row.name);
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  before(async () => {
    await site.make('Custom Field', { dt: 'Part', ...link('of', 'Ticket') });
    for (const number of upTo(12)) {
      const made = await site.make('Ticket', { title: `T${number}`, parts: [{ title: `P${number}` }] });
      assert.equal(made.name, number);
      assert.equal(made.parts[0].parent, String(number));
    }
  });

  test('they are whole numbers in the table, and sort and compare as numbers', async () => {
    const row = await site.site.database.reader.get(sql`select max("name") as "last" from "Ticket"`);
    assert.equal(row?.['last'], 12);
    const found = async (...filter: unknown[]) => names('Ticket', { filters: [['name', ...filter]] });
    assert.deepEqual(await names('Ticket', {}), upTo(12));
    assert.deepEqual(await names('Ticket', { order_by: 'name desc' }), upTo(12).toReversed());
    for (const seven of [7, '7', ' 7 ', '7.0']) assert.deepEqual(await found('=', seven), [7]);
    assert.deepEqual(await found('>', 9), [10, 11, 12]);
    assert.deepEqual(await found('>', '9'), [10, 11, 12]);
    assert.deepEqual(await found('<=', '2'), [1, 2]);
    assert.deepEqual(await found('between', ['9', 11]), [9, 10, 11]);
    assert.deepEqual(await found('in', [11, '3', 'abc']), [3, 11]);
    assert.deepEqual(await found('in', '11,3,abc'), [3, 11]);
    assert.deepEqual(await found('like', '1%'), [1, 10, 11, 12]);
    assert.deepEqual(await found('not like', '%1%'), [2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(await found('is', 'set'), upTo(12));
    assert.deepEqual(await found('>', ''), upTo(12));
  });

  test('a text that is no number, or one out of range, names nothing', async () => {
    const found = async (...filter: unknown[]) => names('Ticket', { filters: [['name', ...filter]] });
    const ill = ['abc', '7a', '0x7', '1e', '7;', '٧', '9'.repeat(400), '\u0000'];
    for (const name of ill) {
      for (const operator of ['=', '>', '>=', '<', '<='])
        assert.deepEqual(await found(operator, name), [], name);
      assert.deepEqual(await found('!=', name), upTo(12), name);
      assert.deepEqual(await found('not in', [name, 12]), upTo(11), name);
      assert.deepEqual(await found('between', [name, '99']), [], name);
    }
    for (const name of ['9007199254740993', '99999999999999999999']) {
      assert.deepEqual(await found('=', name), []);
      assert.deepEqual(await found('<', name), upTo(12));
    }
    assert.deepEqual(await found('=', ''), []);
    for (const name of ['abc', '07', '7.0', ' 7', '+7', '0', '-7', '9007199254740993', '9'.repeat(140)]) {
      const path = `/api/resource/Ticket/${encodeURIComponent(name)}`;
      for (const verb of ['GET', 'PUT', 'DELETE']) {
        const reply = await site.request(verb, path, verb === 'PUT' ? { body: { title: 'x' } } : {});
        assert.equal(reply.status, 404, `${verb} ${name}: ${reply.text}`);
      }
      const permitted = await site.rpc('frappe.client.has_permission', { doctype: 'Ticket', docname: name });
      assert.equal(permitted.body.message.has_permission, false, name);
      const comment = {
        reference_doctype: 'Ticket',
        reference_name: name,
        content: 'x',
        comment_type: 'Comment',
      };
      assert.equal(
        (await site.request('POST', '/api/resource/Comment', { body: comment })).status,
        404,
        name,
      );
    }
  });

  test('pages by cursor go on by number', async () => {
    for (const order_by of ['name asc', 'name desc', 'docstatus asc, name asc', 'docstatus desc, name asc']) {
      const seen: number[] = [];
      let more: Record<string, string> = { include: 'cursor' };
      for (let isMore = true; isMore; ) {
        const reply = await site.request('GET', list('Ticket', { order_by, limit: '5', ...more }));
        assert.equal(reply.status, 200, reply.text);
        seen.push(...reply.body.data.map((row: { name: number }) => row.name));
        isMore = reply.body.has_next_page;
        more = { after: reply.body.cursor };
      }
      assert.deepEqual(seen, order_by === 'name desc' ? upTo(12).toReversed() : upTo(12), order_by);
    }
  });

  scenario(site, [
    {
      title: 'a document is sent and taken with its number',
      request: 'GET /api/resource/Ticket/7',
      expect: { data: { name: 7, title: 'T7', parts: [{ parent: '7', title: 'P7' }] } },
    },
    {
      request: 'PUT /api/resource/Ticket/7',
      body: ({ data }: Any) => ({ ...data, title: 'Seven' }),
      expect: { data: { name: 7, title: 'Seven' } },
    },
    { request: 'PUT /api/resource/Ticket/7', body: { name: '7' }, expect: { data: { name: 7 } } },
    { request: 'PUT /api/resource/Ticket/7', body: { name: 8 }, error: 'ValidationError' },
    { request: 'GET /api/v2/document/Ticket/7', expect: { data: { name: 7 } } },
    {
      request: 'POST /api/method/frappe.client.save',
      body: { doc: { doctype: 'Ticket', name: 7, title: 'T7' } },
      expect: { message: { name: 7, title: 'T7' } },
    },
    {
      request: 'POST /api/method/frappe.client.set_value',
      body: { doctype: 'Ticket', name: 7, fieldname: 'title', value: 'T7' },
      expect: { message: { name: 7 } },
    },
    {
      request: 'POST /api/method/frappe.client.get',
      body: { doctype: 'Ticket', filters: { title: 'T7' } },
      expect: { message: { name: 7 } },
    },
    {
      request: 'POST /api/method/frappe.client.get_value',
      body: { doctype: 'Ticket', filters: 7, fieldname: 'name' },
      expect: { message: { name: 7 } },
    },
    {
      request: 'POST /api/method/frappe.client.validate_link',
      body: { doctype: 'Ticket', docname: '7' },
      expect: { message: { name: 7 } },
    },
    {
      request: 'POST /api/method/frappe.client.validate_link',
      body: { doctype: 'Ticket', docname: 'abc' },
      expect: { message: { name: null } },
    },
    {
      request: 'POST /api/method/frappe.client.insert_many',
      body: {
        docs: [
          { doctype: 'Branch', title: 'All', is_group: 1 },
          { doctype: 'Branch', title: 'One', above: 1 },
        ],
      },
      expect: { message: [1, 2] },
    },
    {
      request: 'GET /api/method/frappe.desk.form.load.getdoc?doctype=Ticket&name=7',
      expect: { docs: [{ name: 7 }], docinfo: { name: 7 } },
    },

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
    assert.deepEqual(await names('Comment', { filters: { reference_name: '2' } }, 'agent'), []);
    const { comments, attachments } = await site
      .request('GET', '/api/method/frappe.desk.form.load.getdoc?doctype=Ticket&name=11')
      .then(({ body }) => body.docinfo);
    assert.equal(comments.length, 1);
    assert.equal(attachments.length, 1);
    await site.did('DELETE', `File/${file.name}`);
    assert.equal((await site.did('GET', 'Ticket/11')).parts[0].scan ?? null, null);
  });

  test('webhooks send the number, in whole documents, fields, templates and thin payloads', async () => {
    const hook = {
      webhook_doctype: 'Ticket',
      webhook_docevent: 'on_update',
      request_url: 'http://127.0.0.1:9/',
    };
    const made = [
      await site.make('Webhook', { ...hook, name: 'whole' }),
      await site.make('Webhook', {
        ...hook,
        name: 'field',
        webhook_data: [{ fieldname: 'name', key: 'id' }],
      }),
      await site.make('Webhook', {
        ...hook,
        name: 'template',
        request_structure: 'JSON',
        webhook_json: '{"id": {{ doc.name }}, "doc": {{ doc | json }}}',
      }),
    ];
    await site.did('PUT', 'Ticket/5', { title: 'Told' });
    const bodies = await Promise.all(
      made.map(async ({ name }) => {
        const [log] = await site.did(
          'GET',
          list('Webhook Request Log', {
            fields: ['name', 'data', 'reference_document'],
            filters: { webhook: name },
          }).slice('/api/resource/'.length),
        );
        assert.equal(log.reference_document, '5');
        return JSON.parse(log.data);
      }),
    );
    assert.equal(bodies[0].name, 5);
    assert.deepEqual(bodies[1], { id: 5 });
    assert.deepEqual([bodies[2].id, bodies[2].doc.name], [5, 5]);
    for (const { name } of made) await site.did('DELETE', `Webhook/${name}`);
  });

  test('OpenAPI says integer, and a stored reply is given again', async () => {
    const { components } = (await site.request('GET', '/api/openapi.json')).body;
    assert.equal(components.schemas['Ticket.Fields'].properties.name.type, 'integer');
    assert.equal(components.schemas['Visit.Fields'].properties.name.type, 'string');
    const once = { headers: { 'idempotency-key': 'numbered-once' }, body: { title: 'Once' } };
    const first = await site.ok('POST', '/api/resource/Ticket', once);
    assert.equal(typeof first.name, 'number');
    assert.deepEqual(await site.ok('POST', '/api/resource/Ticket', once), first);
    await site.did('DELETE', `Ticket/${first.name}`);
  });

  test('a doctype changes to and from autoincrement where every name fits', async () => {
    const definition = {
      name: 'Turn',
      module: 'Test',
      custom: 1,
      autoname: 'Prompt',
      fields: [TITLE],
      permissions,
    };
    await site.make('DocType', definition);
    for (const name of ['2', '10', 'three']) await site.make('Turn', { name });
    const turn = (autoname: string) =>
      site.request('PUT', '/api/resource/DocType/Turn', { body: { autoname } });
    const refused = await turn('autoincrement');
    assert.equal(refused.body.exc_type, 'ValidationError', refused.text);
    assert.match(refused.text, /names that are whole numbers; rename or delete \\\\?"?\\?"?three/);
    assert.deepEqual(await names('Turn', {}), ['10', '2', 'three']);
    await site.did('DELETE', 'Turn/three');
    assert.equal((await turn('autoincrement')).status, 200);
    assert.deepEqual(await names('Turn', {}), [2, 10]);
    assert.equal((await site.make('Turn', { title: 'new' })).name, 1);
    assert.equal((await site.make('Turn', { title: 'new' })).name, 3);
    assert.equal((await turn('hash')).status, 200);
    assert.deepEqual(await names('Turn', {}), ['1', '10', '2', '3']);
  });
});
