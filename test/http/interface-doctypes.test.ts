/** The verbs of the interface on every doctype of the bundled app, on both engines. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

interface Sample {
  readonly doctype: string;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly change: Readonly<Record<string, unknown>>;
}

const SAMPLES: readonly Sample[] = [
  {
    doctype: 'Appointment',
    sent: { subject: 'Visit', starts_on: '2026-03-10 09:00:00' },
    change: { status: 'Confirmed' },
  },
  { doctype: 'Contact', sent: { first_name: 'Ada' }, change: { designation: 'Buyer' } },
  { doctype: 'Customer', sent: { customer_name: 'Engines Ltd' }, change: { territory: 'North' } },
  { doctype: 'Lead', sent: { lead_name: 'Grace' }, change: { status: 'Qualified' } },
  {
    doctype: 'Sales Invoice',
    sent: { customer: 'Invoiced Ltd', posting_date: '2026-11-01' },
    change: { remarks: 'Pay soon' },
  },
  { doctype: 'Ticket', sent: { subject: 'No paper', priority: 'High' }, change: { status: 'Replied' } },
];
const ITEMS = [{ item_code: 'A', qty: 2, rate: 10 }];

for (const engine of engineOf('interface')) {
  describe(`doctypes of the interface on ${engine}`, () => {
    let site: TestSite;
    // The wire shows whole seconds.
    const clock = systemClock();
    let seconds = 0;
    before(async () => {
      const micros = () => clock.micros() + seconds * 1_000_000;
      site = await startTestSite(engine, { apps: [crm], clock: { micros } });
      await create('Customer', { customer_name: 'Invoiced Ltd' });
    });
    after(() => site.stop());

    const resource = (doctype: string, rest = '') =>
      `/api/resource/${encodeURIComponent(doctype)}${rest && `/${encodeURIComponent(rest)}`}`;
    const create = async (doctype: string, fields: object) => {
      const body = doctype === 'Sales Invoice' ? { items: ITEMS, ...fields } : fields;
      const reply = await site.request('POST', resource(doctype), { body });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
      return reply.body.data;
    };
    const update = async (path: string, body: object) => {
      seconds += 1;
      const reply = await site.request('PUT', path, { body });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    };
    const list = async (doctype: string, parameters: Record<string, string>) => {
      const reply = await site.request('GET', `${resource(doctype)}?${new URLSearchParams(parameters)}`);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    };

    test('the samples below cover every doctype of the app that is not a child table', async () => {
      const names = await list('DocType', {
        filters: JSON.stringify([
          ['module', '=', 'CRM'],
          ['istable', '=', 0],
        ]),
        order_by: 'name asc',
      });
      assert.deepEqual(
        names.map(({ name }: { name: string }) => name),
        SAMPLES.map(({ doctype }) => doctype),
      );
    });

    for (const { doctype, sent, change } of SAMPLES) {
      test(`${doctype} is created, read, listed, updated and deleted`, async () => {
        const made = await create(doctype, sent);
        for (const [field, value] of Object.entries(sent)) assert.equal(made[field], value, field);
        assert.equal(typeof made.name, 'string');
        const path = resource(doctype, made.name);
        const byName = { filters: JSON.stringify([['name', '=', made.name]]) };
        assert.deepEqual((await site.request('GET', path)).body, { data: made });
        assert.deepEqual(await list(doctype, byName), [{ name: made.name }]);

        const updated = await update(path, change);
        const { items, modified, ...rest } = updated;
        const { items: madeItems, modified: before, ...madeRest } = made;
        assert.deepEqual(rest, { ...madeRest, ...change });
        assert.deepEqual(
          items?.map(({ item_code, amount }: Record<string, unknown>) => [item_code, amount]),
          madeItems?.map(({ item_code, amount }: Record<string, unknown>) => [item_code, amount]),
        );
        assert.ok(modified > before, `${modified} after ${before}`);
        assert.deepEqual((await site.request('GET', path)).body, { data: updated });

        assert.equal((await site.request('DELETE', path)).status, 202);
        assert.equal((await site.request('GET', path)).status, 404);
        assert.deepEqual(await list(doctype, byName), []);
      });
    }

    test('every save moves modified on, and leaves creation', async () => {
      const made = await create('Ticket', { subject: 'Saved often' });
      const path = resource('Ticket', made.name);
      const times = [made.modified];
      for (const priority of ['Low', 'High', 'High']) {
        const { creation, modified } = await update(path, { priority });
        assert.equal(creation, made.creation);
        times.push(modified);
      }
      assert.equal(new Set(times).size, 4);
      assert.deepEqual(times.toSorted(), times);
      assert.equal((await site.request('GET', path)).body.data.modified, times.at(-1));
    });

    test('offset 0 is the first page', async () => {
      const company_name = 'Pages Ltd';
      for (const lead_name of ['Ann', 'Bob', 'Cid']) await create('Lead', { lead_name, company_name });
      const page = async (parameters: Record<string, string>) => {
        const fields = '["lead_name"]';
        const filters = JSON.stringify([['company_name', '=', company_name]]);
        const rows = await list('Lead', { fields, filters, order_by: 'lead_name asc', ...parameters });
        return rows.map((row: { lead_name: string }) => row.lead_name);
      };
      assert.deepEqual(await page({}), ['Ann', 'Bob', 'Cid']);
      assert.deepEqual(await page({ limit_start: '0', limit_page_length: '2' }), ['Ann', 'Bob']);
      assert.deepEqual(await page({ limit_page_length: '2' }), ['Ann', 'Bob']);
      assert.deepEqual(await page({ limit_start: '1', limit_page_length: '2' }), ['Bob', 'Cid']);
    });

    test('a Select field takes its options only', async () => {
      const made = await create('Ticket', { subject: 'Which status?' });
      assert.equal(made.status, 'Open');
      const path = resource('Ticket', made.name);
      for (const status of ['Open', 'Replied', 'Resolved', 'Closed']) {
        assert.equal((await update(path, { status })).status, status);
      }
      for (const status of ['Fixed', 'open', 7]) {
        for (const [method, target] of [
          ['POST', resource('Ticket')],
          ['PUT', path],
        ] as const) {
          const refused = await site.request(method, target, { body: { subject: 'Refused', status } });
          assert.equal(refused.status, 417, `${method} ${status}`);
          assert.equal(refused.body.exc_type, 'ValidationError');
          assert.match(refused.text, /Status cannot be .*It should be one of .*Open.*Closed/);
        }
      }
      const { body } = await site.request('GET', path);
      assert.deepEqual([body.data.status, body.data.subject], ['Closed', 'Which status?']);
      assert.deepEqual(await list('Ticket', { filters: '[["subject","=","Refused"]]' }), []);
    });
  });
}
