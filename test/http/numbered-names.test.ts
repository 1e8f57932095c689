/** `autoname: autoincrement`: names are numbers on the wire and in the table, as in Frappe. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../src/client.ts';
import { sql } from '../../src/db/sql.ts';
import type { StandardFields } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { list, NUMBERED_SITE, permissions, TITLE, upTo, withTickets } from '../support/numbered-site.ts';
import { scenario } from '../support/scenario.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape
type Any = any;

interface Tickets {
  Ticket: StandardFields & { doctype: 'Ticket'; name: `${bigint}`; title: string | null };
}

describeEither('numbered names', NUMBERED_SITE, (site) => {
  const names = withTickets(site);

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
      request: 'GET /api/method/frappe.desk.search.search_link?doctype=Ticket&txt=7',
      expect: { message: [{ value: 7 }] },
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
  ]);

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
      await site.make('Webhook', {
        ...hook,
        name: 'condition',
        condition: 'doc.name + 1 == 6 and previous.name + 1 == 6',
        webhook_data: [{ fieldname: 'name', key: 'id' }],
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
    assert.deepEqual(bodies[3], { id: 5 });
    for (const { name } of made) await site.did('DELETE', `Webhook/${name}`);
  });

  test('the client gets and takes numbers, in pages and in events too', async () => {
    const client = createClient<Tickets>({ url: site.url, token: site.adminKey });
    assert.equal((await client.read('Ticket', 5)).name, 5);
    const seen: number[] = [];
    for await (const { name } of client.each('Ticket', { limit: 5 })) seen.push(name);
    assert.deepEqual(seen, upTo(12));
    const events = client.events({ doctype: 'Ticket', name: 5 });
    assert.equal((await events.next()).value?.type, 'open');
    await client.update('Ticket', 4, { title: 'Unheard' });
    await client.update('Ticket', 5, { title: 'Heard' });
    const { value } = await events.next();
    assert.deepEqual(value?.type === 'change' && [value.name, value.event], [5, 'on_update']);
    await events.return();
  });

  test('OpenAPI says integer, and a stored reply is given again', async () => {
    const { components, paths } = (await site.request('GET', '/api/openapi.json')).body;
    const search = paths['/api/method/frappe.desk.search.search_link'].get.responses[200];
    const { items } = search.content['application/json'].schema.properties.message;
    assert.deepEqual(items.properties.value.type, ['string', 'integer']);
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
    assert.equal((await site.make('Turn', { title: 'new' })).name, 11);
    assert.equal((await turn('hash')).status, 200);
    assert.deepEqual(await names('Turn', {}), ['10', '11', '2']);
  });
});
