import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { startTestSite, type TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

/** So many ask at once: more than wait for each other elsewhere, and fewer connections than a busy system refuses. */
const CLIENTS = 200;

const PERMISSIONS = [
  { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 },
];
const INVOICE = {
  name: 'Bill',
  module: 'Test',
  custom: 1,
  autoname: 'naming_series:',
  is_submittable: 1,
  fields: [
    { fieldname: 'naming_series', label: 'Series', fieldtype: 'Select', options: '\nB-.YYYY.-\nC-' },
    { fieldname: 'country', label: 'Country', fieldtype: 'Data' },
    { fieldname: 'total', label: 'Total', fieldtype: 'Int' },
  ],
  permissions: PERMISSIONS,
};
const VISIT = {
  name: 'Visit',
  module: 'Test',
  custom: 1,
  autoname: 'V-.YYYY.-.MM.-.DD.-.##',
  fields: [{ fieldname: 'place', label: 'Place', fieldtype: 'Data' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
};

describeEitherEngine('naming over HTTP', (engine) => {
  const app = {
    name: 'names',
    controllers: {
      Visit: {
        autoname: (doc: { name: string; place?: unknown }) => {
          if (doc.place) doc.name = `at ${doc.place}`;
        },
      },
    },
  };
  const config = { timeZone: 'Pacific/Kiritimati' };
  const site = useStarted(() => startTestSite(engine, { apps: [app], config }));
  before(async () => {
    for (const body of [INVOICE, VISIT]) {
      await site.make('DocType', body);
    }
  });

  const post = (doctype: string, body: object) => site.request('POST', `/api/resource/${doctype}`, { body });
  const remove = async (name: string) =>
    assert.equal((await site.request('DELETE', `/api/resource/Bill/${name}`)).status, 202);
  const bill = async (body: object = {}): Promise<string> => {
    const reply = await post('Bill', body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.name;
  };
  const addRule = async (body: object): Promise<string> => {
    const reply = await post('Document Naming Rule', { document_type: 'Bill', ...body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.name;
  };
  const rulePath = (name: string) => `/api/resource/Document Naming Rule/${name}`;
  const setRule = async (name: string, body: object) =>
    assert.equal((await site.request('PUT', rulePath(name), { body })).status, 200);

  test('without a choice the first series that is not blank is taken', async () => {
    const reply = await post('Bill', {});
    assert.match(reply.body.data.name, /^B-\d{4}-00001$/);
    assert.equal(reply.body.data.naming_series, 'B-.YYYY.-');
    assert.equal(await bill({ naming_series: 'C-' }), 'C-00001');
  });

  test('dates in names are those of the site', async () => {
    const { body } = await post('Visit', {});
    const [date] = body.data.creation.split(' ');
    assert.equal(body.data.name, `V-${date}-01`);
  });

  test('an autoname hook names what it can, the doctype the rest', async () => {
    assert.equal((await post('Visit', { place: 'home' })).body.data.name, 'at home');
    assertEnvelope(await post('Visit', { place: 'home' }), 'DuplicateEntryError');
    assert.match((await post('Visit', {})).body.data.name, /^V-/);
  });

  test('the rule of the highest priority whose conditions hold names the document', async () => {
    const large = await addRule({
      priority: 2,
      prefix: 'L-.{country}.-',
      prefix_digits: 3,
      conditions: [
        { field: 'total', condition: '>=', value: '1000' },
        { field: 'country', condition: '!=', value: '' },
      ],
    });
    const any = await addRule({ priority: 1, prefix: 'ANY-' });
    assert.equal(await bill({ total: 999, country: 'NL' }), 'ANY-00001');
    assert.equal(await bill({ total: 1000, country: 'NL' }), 'L-NL-001');
    assert.equal(await bill({ total: 1000 }), 'ANY-00002');
    assert.equal(await bill({ total: 5000, country: 'BE' }), 'L-BE-002');
    // Given back, as with a series, when the last is deleted.
    await remove('L-BE-002');
    assert.equal(await bill({ total: 1000, country: 'NL' }), 'L-NL-002');
    await remove('ANY-00001');
    assert.equal(await bill(), 'ANY-00003');

    await setRule(any, { disabled: 1 });
    assert.match(await bill(), /^B-/);
    await site.ok('DELETE', rulePath(large));
    assert.match(await bill({ total: 1000, country: 'NL' }), /^B-/);
    await setRule(any, { disabled: 0 });
    assert.equal(await bill(), 'ANY-00004');
    await setRule(any, { disabled: 1 });
  });

  test('a counter is set by its method alone, and numbers that are taken are passed over', async () => {
    const rule = await addRule({ prefix: 'SET-', counter: 77 });
    assert.equal(await bill(), 'SET-00001');
    const read = await site.request('GET', rulePath(rule));
    assert.equal(read.body.data.counter, 1);
    await setRule(rule, { ...read.body.data, modified: undefined, counter: 500 });
    assert.equal(await bill(), 'SET-00002');
    const method = '/api/method/frappe.core.doctype.document_naming_rule.document_naming_rule.update_current';
    const set = (body: object, as?: string) => site.request('POST', method, { body, as });
    assert.equal((await set({ name: rule, new_counter: '9' })).status, 200);
    assert.equal(await bill(), 'SET-00010');
    assert.equal((await set({ name: rule, new_counter: 0 })).status, 200);
    assert.deepEqual([await bill(), await bill()], ['SET-00003', 'SET-00004']);
    for (const new_counter of [-1, 1.5, 'x', '', null]) {
      assertEnvelope(await set({ name: rule, new_counter }), 'ValidationError');
    }
    assertEnvelope(await set({ name: 'nobody', new_counter: 1 }), 'DoesNotExistError');
    const outsider = await site.createUser('namer@example.com', []);
    assertEnvelope(await set({ name: rule, new_counter: 1 }, outsider), 'PermissionError');
    await setRule(rule, { disabled: 1 });
  });

  test('a rule that makes no sense is refused', async () => {
    const bad: readonly object[] = [
      { prefix: 'A-#' },
      { prefix: 'A<' },
      { prefix: 'A-', prefix_digits: 0 },
      { prefix: 'A-', prefix_digits: 16 },
      { prefix: 'A-', document_type: 'User' },
      { prefix: 'A-', document_type: 'Document Naming Rule Condition' },
      { prefix: 'A-', conditions: [{ field: 'nothing', condition: '=' }] },
      { prefix: 'A-', conditions: [{ field: 'total', condition: '>', value: 'many' }] },
      { prefix: 'A-', conditions: [{ field: 'total', condition: 'like', value: '1' }] },
    ];
    for (const body of bad) {
      const reply = await post('Document Naming Rule', { document_type: 'Bill', ...body });
      assertEnvelope(reply, 'ValidationError');
    }
    assertEnvelope(await post('Document Naming Rule', { document_type: 'Bill' }), 'MandatoryError');
  });

  for (const [by, prefix, many] of [
    ['series', 'MANY-', 1_000],
    ['rule', 'RULED-', 200],
  ] as const) {
    test(`${many} creations at once by one ${by}: each has its number, none is missing`, async () => {
      const rule = by === 'rule' ? await addRule({ prefix, prefix_digits: 4 }) : null;
      const body = rule ? {} : { naming_series: `${prefix}.####` };
      // As many clients as the system takes connections of at once.
      const clients = Array.from({ length: CLIENTS }, async () => {
        const replies: TestReply[] = [];
        while (replies.length < many / CLIENTS) replies.push(await post('Bill', body));
        return replies;
      });
      const replies = (await Promise.all(clients)).flat();
      const refused = replies.find((reply) => reply.status !== 200);
      assert.equal(refused?.text, undefined);
      const names = replies.map((reply) => reply.body.data.name).sort();
      const wanted = Array.from({ length: many }, (_, index) => prefix + String(index + 1).padStart(4, '0'));
      assert.deepEqual(names, wanted);
      if (rule) await setRule(rule, { disabled: 1 });
    });
  }
});
