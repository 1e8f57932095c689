/**
 * Pages by cursor over HTTP: whatever the order and the values, each document comes once, where one long list
 * has it.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { describeEither } from '../support/describe-site.ts';

const VALUES = {
  text: fc.constantFrom(null, '', 'a', 'A', 'é', '😀', "it's", '%'),
  long: fc.constantFrom(null, 'x', 'y'.repeat(900)),
  whole: fc.integer({ min: -2, max: 2 }),
  price: fc.constantFrom(0, -0.01, 0.1, 1e15, 2.5),
  share: fc.constantFrom(0, 0.3333333, -1e-9),
  done: fc.constantFrom(0, 1),
  day: fc.constantFrom(null, '2026-01-01', '2026-01-02', '9999-12-31'),
  moment: fc.constantFrom(null, '2026-01-01 00:00:00', '2026-01-01 00:00:00.000001'),
  opens: fc.constantFrom(null, '00:00:00', '09:30:00.5'),
  next: fc.constantFrom(null, 'C-1', 'C-2', 'C-3'),
};
const FIELDS = {
  text: 'Data',
  long: 'Small Text',
  whole: 'Int',
  price: 'Currency',
  share: 'Float',
  done: 'Check',
  day: 'Date',
  moment: 'Datetime',
  opens: 'Time',
  next: 'Link',
} satisfies Record<keyof typeof VALUES, string>;
const COUNT = 45;
const ORDERED = [
  ...Object.keys(FIELDS),
  'modified',
  'creation',
  'owner',
  'docstatus',
  'next.text',
  'next.day',
  'name',
];

describeEither('cursors over HTTP', {}, (site) => {
  before(async () => {
    const fields = Object.entries(FIELDS).map(([fieldname, fieldtype]) => ({
      fieldname,
      fieldtype,
      ...(fieldtype === 'Link' ? { options: 'Cargo' } : {}),
    }));
    await post('DocType', { name: 'Cargo', autoname: 'C-.#', fields });
    const documents = fc.sample(fc.record(VALUES), { seed: 20_261_121, numRuns: COUNT });
    for (const { next, ...values } of documents) await post('Cargo', values).then((name) => link(name, next));
  });

  async function post(doctype: string, body: unknown): Promise<string> {
    return (await site.make(doctype, body)).name;
  }

  async function link(name: string, next: string | null): Promise<void> {
    if (next === null || Number(name.slice(2)) < 4) return;
    await site.ok('PUT', `/api/resource/Cargo/${name}`, { body: { next } });
  }

  async function page(parameters: Record<string, string>) {
    const reply = await site.request('GET', `/api/resource/Cargo?${new URLSearchParams(parameters)}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }

  const term = fc.record({ field: fc.constantFrom(...ORDERED), isDown: fc.boolean() });
  const terms = fc.uniqueArray(term, { minLength: 1, maxLength: 4, selector: ({ field }) => field });

  test('every order, every page length', async () => {
    await fc.assert(
      fc.asyncProperty(
        terms,
        fc.integer({ min: 4, max: 50 }),
        fc.boolean(),
        async (order, limit, isFiltered) => {
          const list = {
            order_by: order.map(({ field, isDown }) => `${field} ${isDown ? 'desc' : 'asc'}`).join(', '),
            filters: isFiltered ? '[["whole","!=",0]]' : '[]',
          };
          const { data: whole } = await page({ ...list, limit: '0' });
          assert.ok(isFiltered ? whole.length > 4 : whole.length === COUNT);
          const met: unknown[] = [];
          let reply = await page({ ...list, limit: String(limit), include: 'cursor' });
          for (let pages = 0; pages <= COUNT; pages += 1) {
            met.push(...reply.data);
            assert.equal(reply.cursor !== undefined, reply.has_next_page);
            if (!reply.has_next_page) break;
            reply = await page({ ...list, limit: String(limit), after: reply.cursor });
          }
          assert.deepEqual(met, whole);
          assert.equal(new Set(met.map((row) => JSON.stringify(row))).size, whole.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
