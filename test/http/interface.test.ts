/**
 * The contract, section by section, over real HTTP on both engines. `docs/interface-coverage.md` maps each line of the
 * interface to the tests below by their names.
 */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { describeSite } from '../support/describe-site.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describeSite(
  'interface',
  { apps: [crm], users: { agent: ['Support Agent'], outsider: [] } },
  (site, engine) => {
    const list = (doctype: string, parameters: Record<string, unknown> = {}, as?: string) => {
      const query = new URLSearchParams();
      for (const [key, value] of Object.entries(parameters)) {
        query.set(key, typeof value === 'string' ? value : JSON.stringify(value));
      }
      return site.request('GET', `/api/resource/${encodeURIComponent(doctype)}?${query}`, as ? { as } : {});
    };
    const create = async (doctype: string, body: Record<string, unknown>, as?: string) => {
      return site.ok('POST', `/api/resource/${encodeURIComponent(doctype)}`, {
        body,
        as,
      });
    };

    describe('2.1 generic document', () => {
      test('name is generated; creation and modified are timestamps to the second', async () => {
        const doc = await create('Ticket', { subject: 'Printer on fire' });
        assert.match(doc.name, /^TICK-\d{5}$/);
        const { body } = await site.request('GET', `/api/resource/Ticket/${doc.name}`);
        assert.match(body.data.creation, TIMESTAMP);
        assert.match(body.data.modified, TIMESTAMP);
      });

      test('the Ticket doctype has the fields named in the interface', async () => {
        const doc = await create('Ticket', {
          subject: 'Fields',
          status: 'Open',
          priority: 'High',
          raised_by: 'someone@example.com',
        });
        const { body } = await site.request('GET', `/api/resource/Ticket/${doc.name}`);
        for (const field of [
          'name',
          'subject',
          'status',
          'priority',
          'owner',
          'raised_by',
          'creation',
          'modified',
        ]) {
          assert.ok(field in body.data, field);
        }
      });
    });

    describe('4.1 list', () => {
      const marker = `list-${engine}`;
      let names: string[];
      before(async () => {
        names = [];
        for (let index = 0; index < 25; index += 1) {
          const doc = await create('Lead', {
            lead_name: `${marker} ${String(index).padStart(2, '0')}`,
            ...(index % 5 === 0 ? { email_id: `lead${index}@example.com` } : {}),
          });
          names.push(doc.name);
        }
      });
      const mine = ['lead_name', 'like', `${marker}%`];

      test('each item has only name unless fields asks for more; 20 by default', async () => {
        const { status, body } = await list('Lead', { filters: [mine] });
        assert.equal(status, 200);
        assert.equal(body.data.length, 20);
        assert.deepEqual(Object.keys(body.data[0]), ['name']);
      });

      test('fields selects, ["*"] selects all', async () => {
        const some = await list('Lead', {
          filters: [mine],
          fields: ['name', 'lead_name'],
          limit_page_length: '1',
        });
        assert.deepEqual(Object.keys(some.body.data[0]), ['name', 'lead_name']);
        const all = await list('Lead', { filters: [mine], fields: ['*'], limit_page_length: '1' });
        for (const field of ['name', 'owner', 'creation', 'modified', 'docstatus', 'lead_name', 'email_id']) {
          assert.ok(field in all.body.data[0], field);
        }
      });

      test('filters are joined by and, or_filters by or', async () => {
        const both = await list('Lead', {
          filters: [mine, ['email_id', 'is', 'set'], ['lead_name', '>', `${marker} 05`]],
          limit_page_length: '100',
        });
        assert.equal(both.body.data.length, 3);
        const either = await list('Lead', {
          filters: [mine],
          or_filters: [
            ['lead_name', '=', `${marker} 01`],
            ['lead_name', '=', `${marker} 02`],
          ],
        });
        assert.equal(either.body.data.length, 2);
      });

      const operators: readonly [string, unknown, number][] = [
        ['=', `${marker} 07`, 1],
        ['!=', `${marker} 07`, 24],
        ['>', `${marker} 20`, 4],
        ['<', `${marker} 03`, 3],
        ['>=', `${marker} 20`, 5],
        ['<=', `${marker} 03`, 4],
        ['like', '% 1_', 10],
        ['not like', '% 1_', 15],
        ['in', [`${marker} 01`, `${marker} 02`, 'absent'], 2],
        ['not in', [`${marker} 01`, `${marker} 02`], 23],
        ['between', [`${marker} 05`, `${marker} 09`], 5],
        ['is', 'set', 25],
      ];
      for (const [operator, value, expected] of operators) {
        test(`operator ${operator}`, async () => {
          const { status, body, text } = await list('Lead', {
            filters: [mine, ['lead_name', operator, value]],
            limit_page_length: '100',
          });
          assert.equal(status, 200, text);
          assert.equal(body.data.length, expected);
        });
      }

      test('order_by, limit_start and limit_page_length page through every row once, until a short page', async () => {
        const seen: string[] = [];
        for (let start = 0; start < 100; start += 10) {
          const { body } = await list('Lead', {
            filters: [mine],
            order_by: 'lead_name asc',
            limit_start: String(start),
            limit_page_length: '10',
          });
          seen.push(...body.data.map((row: { name: string }) => row.name));
          if (body.data.length < 10) break;
        }
        assert.deepEqual(seen, names);
        const reversed = await list('Lead', {
          filters: [mine],
          order_by: 'lead_name desc',
          limit_page_length: '1',
        });
        assert.equal(reversed.body.data[0].name, names.at(-1));
      });

      test('limit_page_length=0 is everything for an administrator and refused for anyone else', async () => {
        const everything = await list('Lead', { filters: [mine], limit_page_length: '0' });
        assert.equal(everything.body.data.length, 25);
        const refused = await list('Ticket', { limit_page_length: '0' }, 'agent');
        assert.equal(refused.status, 403);
        assert.equal(refused.body.exc_type, 'PermissionError');
      });
    });

    test('4.2 get answers the full document with child tables nested', async () => {
      await create('Customer', { customer_name: 'Nested Ltd' });
      const made = await create('Sales Invoice', {
        customer: 'Nested Ltd',
        items: [
          { item_code: 'A', qty: 2, rate: 10 },
          { item_code: 'B', qty: 1, rate: 5 },
        ],
      });
      const { status, body } = await site.request('GET', `/api/resource/Sales%20Invoice/${made.name}`);
      assert.equal(status, 200);
      assert.deepEqual(
        body.data.items.map((row: Record<string, unknown>) => [
          row['idx'],
          row['item_code'],
          row['amount'],
          row['parent'],
        ]),
        [
          [1, 'A', 20, made.name],
          [2, 'B', 5, made.name],
        ],
      );
    });

    test('4.3 create answers 200 with the document, and names a missing required field', async () => {
      const made = await create('Ticket', { subject: 'Created' });
      assert.equal(made.subject, 'Created');
      assert.ok(made.name);
      const missing = await site.request('POST', '/api/resource/Ticket', { body: { status: 'Open' } });
      assert.equal(missing.status, 417);
      assert.equal(missing.body.exc_type, 'MandatoryError');
      assert.match(missing.text, /Subject/);
    });

    test('4.4 update changes only what is sent and replaces a child table wholesale', async () => {
      await create('Customer', { customer_name: 'Update Ltd' });
      const made = await create('Sales Invoice', {
        customer: 'Update Ltd',
        items: [
          { item_code: 'A', qty: 2, rate: 10 },
          { item_code: 'B', qty: 1, rate: 5 },
        ],
      });
      const path = `/api/resource/Sales%20Invoice/${made.name}`;
      const partial = await site.ok('PUT', path, { body: { due_date: '2027-01-31' } });
      assert.equal(partial.customer, 'Update Ltd');
      assert.equal(partial.items.length, 2);
      await site.request('PUT', path, { body: { items: [{ item_code: 'C', qty: 1, rate: 7 }] } });
      const { body } = await site.request('GET', path);
      assert.deepEqual(
        body.data.items.map((row: { item_code: string }) => row.item_code),
        ['C'],
      );
      assert.equal(body.data.due_date, '2027-01-31');
    });

    test('4.5 delete answers 202, respects links, and then the document is gone', async () => {
      await create('Customer', { customer_name: 'Linked Ltd' });
      const invoice = await create('Sales Invoice', {
        customer: 'Linked Ltd',
        items: [{ item_code: 'A', qty: 1, rate: 1 }],
      });
      const blocked = await site.request('DELETE', '/api/resource/Customer/Linked%20Ltd');
      assert.equal(blocked.status, 417);
      assert.equal(blocked.body.exc_type, 'LinkExistsError');
      assert.match(blocked.text, new RegExp(invoice.name));
      const path = `/api/resource/Sales%20Invoice/${invoice.name}`;
      const deleted = await site.request('DELETE', path);
      assert.equal(deleted.status, 202);
      assert.deepEqual(deleted.body, { message: 'ok', data: 'ok' });
      assert.equal((await site.request('GET', path)).status, 404);
      await site.ok('DELETE', '/api/resource/Customer/Linked%20Ltd');
    });

    test('3 submittable documents are submitted and cancelled through docstatus', async () => {
      await create('Customer', { customer_name: 'Submit Ltd' });
      const made = await create('Sales Invoice', {
        customer: 'Submit Ltd',
        items: [{ item_code: 'A', qty: 1, rate: 1 }],
      });
      const path = `/api/resource/Sales%20Invoice/${made.name}`;
      const submitted = await site.ok('PUT', path, { body: { docstatus: 1 } });
      assert.equal(submitted.docstatus, 1);
      assert.equal((await site.request('DELETE', path)).status, 417);
      assert.equal((await site.request('PUT', path, { body: { docstatus: 0 } })).status, 417);
      const cancelled = await site.request('PUT', path, { body: { docstatus: 2 } });
      assert.equal(cancelled.body.data.docstatus, 2);
      assert.equal((await site.request('PUT', path, { body: { docstatus: 0 } })).status, 417);
    });

    describe('4.6-4.9 files', () => {
      const upload = (fields: Record<string, string>, name: string, content: string, as?: string) => {
        const form = new FormData();
        form.set('file', new Blob([content]), name);
        for (const [key, value] of Object.entries(fields)) form.set(key, value);
        return site.request('POST', '/api/method/upload_file', { body: form, as });
      };

      test('a public file is uploaded, downloaded without authentication, and deleted', async () => {
        const { status, body, text } = await upload({}, 'hello.txt', 'hello');
        assert.equal(status, 200, text);
        assert.equal(body.message.is_private, 0);
        assert.equal(body.message.file_name, 'hello.txt');
        assert.equal(body.message.folder, 'Home');
        assert.match(body.message.file_url, /^\/files\//);
        const fetched = await site.request('GET', body.message.file_url, { as: null });
        assert.equal(fetched.status, 200);
        assert.equal(fetched.text, 'hello');
        const deleted = await site.request('DELETE', `/api/resource/File/${body.message.name}`);
        assert.equal(deleted.status, 202);
        assert.equal((await site.request('GET', body.message.file_url, { as: null })).status, 404);
      });

      test('a private file attached to a document follows the permission on that document', async () => {
        const ticket = await create('Ticket', { subject: 'With attachment' });
        const { body } = await upload(
          { is_private: '1', doctype: 'Ticket', docname: ticket.name },
          'secret.txt',
          'private bytes',
        );
        assert.match(body.message.file_url, /^\/private\/files\//);
        assert.equal(body.message.is_private, 1);
        assert.equal(body.message.folder, 'Home');
        assert.equal((await site.request('GET', body.message.file_url, { as: null })).status, 403);
        assert.equal((await site.request('GET', body.message.file_url, { as: 'outsider' })).status, 403);
        const allowed = await site.request('GET', body.message.file_url, { as: 'agent' });
        assert.equal(allowed.text, 'private bytes');
        const attached = (as: string) => {
          const filters = [
            ['attached_to_doctype', '=', 'Ticket'],
            ['attached_to_name', '=', ticket.name],
          ];
          return list('File', { filters, fields: ['name', 'file_url'] }, as);
        };
        const { name, file_url } = body.message;
        assert.deepEqual((await attached('agent')).body.data, [{ name, file_url }]);
        assert.deepEqual((await attached('outsider')).body.data, []);
      });
    });

    describe('5 authentication', () => {
      test('token and Basic credentials act as their user', async () => {
        for (const as of [`token ${site.adminKey}`, `Basic ${btoa(site.adminKey)}`]) {
          const { body } = await site.request('GET', '/api/method/frappe.auth.get_logged_user', { as });
          assert.equal(body.message, 'Administrator');
        }
      });

      test('no credentials: 403; bad credentials: 401', async () => {
        assert.equal((await site.request('GET', '/api/resource/Ticket', { as: null })).status, 403);
        const [key] = site.adminKey.split(':');
        for (const as of ['token a:b', `token ${key}:wrong`, `token ${key}`]) {
          assert.equal((await site.request('GET', '/api/resource/Ticket', { as })).status, 401, as);
        }
      });

      test('access is subject to the permissions of the user', async () => {
        const ticket = await create('Ticket', { subject: 'Restricted' });
        const path = `/api/resource/Ticket/${ticket.name}`;
        await site.ok('GET', path, { as: 'agent' });
        for (const [method, body] of [
          ['GET', undefined],
          ['PUT', { subject: 'Mine' }],
          ['DELETE', undefined],
        ] as const) {
          const reply = await site.request(method, path, { as: 'outsider', body });
          assert.equal(reply.status, 403, method);
        }
        assert.equal(
          (await site.request('POST', '/api/resource/Ticket', { as: 'outsider', body: { subject: 'x' } }))
            .status,
          403,
        );
        assert.equal((await list('Ticket', {}, 'outsider')).status, 403);
        // An agent may delete only tickets of their own.
        assert.equal((await site.request('DELETE', path, { as: 'agent' })).status, 403);
        const own = await create('Ticket', { subject: 'My own' }, 'agent');
        const deleted = await site.request('DELETE', `/api/resource/Ticket/${own.name}`, { as: 'agent' });
        assert.equal(deleted.status, 202);
      });
    });
  },
);
