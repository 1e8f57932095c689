/** Field properties as a client of the wire meets them: in definitions, in refusals, in lists. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defineApp } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { assertEnvelope } from '../support/wire.ts';

const FIELDS = [
  { fieldname: 'status', fieldtype: 'Select', options: 'Open\nClosed' },
  {
    fieldname: 'reason',
    fieldtype: 'Data',
    depends_on: 'eval:frappe.anything()',
    mandatory_depends_on: "eval:doc.status === 'Closed'",
    read_only_depends_on: 'eval:doc.x',
    enforce_on_server: 1,
  },
  { fieldname: 'markup', fieldtype: 'HTML', options: '<script>shown()</script>' },
  { fieldname: 'total', fieldtype: 'Currency', read_only: 1, enforce_on_server: 1 },
  { fieldname: 'shown', fieldtype: 'Data', read_only: 1 },
  { fieldname: 'asked', fieldtype: 'Data', mandatory_depends_on: 'status', read_only_depends_on: 'status' },
  { fieldname: 'shout', fieldtype: 'Data', is_virtual: 1, permlevel: 1 },
  { fieldname: 'echo', fieldtype: 'Data', is_virtual: 1 },
];

const app = defineApp({
  name: 'rules',
  controllers: { Case: { virtualFields: { shout: () => 'LOUD', echo: (doc) => String(doc['status']) } } },
});

describeEither('field rules over HTTP', { apps: [app], users: { clerk: ['Clerk'] } }, (site) => {
  before(async () => {
    const permissions = [{ role: 'Clerk', read: 1, write: 1, create: 1 }];
    const made = await define('Case', FIELDS, { permissions });
    assert.equal(made.status, 200, made.text);
  });

  const define = (name: string, fields: readonly unknown[], more: object = {}) =>
    site.request('POST', '/api/resource/DocType', { body: { name, fields, ...more } });

  test('a definition comes back with its conditions as they were written', async () => {
    const { body } = await site.request('GET', '/api/resource/DocType/Case');
    for (const [index, field] of FIELDS.entries()) {
      for (const [key, value] of Object.entries(field))
        assert.equal(body.data.fields[index][key], value, key);
    }
  });

  test('set_only_once holds in a row for as long as the row stays', async () => {
    const row = [
      { fieldname: 'code', fieldtype: 'Data', set_only_once: 1 },
      { fieldname: 'note', fieldtype: 'Data' },
    ];
    await define('Once Row', row, { istable: 1 });
    await define('Once', [{ fieldname: 'lines', fieldtype: 'Table', options: 'Once Row' }]);
    const { data } = (await site.request('POST', '/api/resource/Once', { body: { lines: [{ code: 'a' }] } }))
      .body;
    const put = (lines: readonly object[]) =>
      site.request('PUT', `/api/resource/Once/${data.name}`, { body: { lines } });
    const { name } = data.lines[0];
    assert.equal((await put([{ note: 'first' }, { name, code: 'a', note: 'kept' }])).status, 200);
    const changed = await put([{ name, code: 'b' }]);
    assertEnvelope(changed, 'CannotChangeConstantError');
    assert.match(changed.text, /Row #1: Value cannot be changed for/);
    assert.equal((await put([{ code: 'b' }])).status, 200);
  });

  test('conditions that cannot be answered are refused with the definition', async () => {
    const conditions = {
      'eval:frappe.session.user == "x"': /unknown name "frappe"/,
      'eval:doc.nothing': /there is no field nothing/,
      nothing: /there is no field nothing/,
      'fn:check': /fn:/,
      'eval:doc.a ==': /ends where/,
      'eval:parent.a': /only rows have a parent/,
      [`eval:${'!'.repeat(2_000)}1`]: /longer than/,
    };
    for (const [mandatory_depends_on, expected] of Object.entries(conditions)) {
      const reply = await define('Wrong', [{ fieldname: 'a', fieldtype: 'Data', mandatory_depends_on }]);
      assertEnvelope(reply, 'ValidationError');
      assert.match(reply.body.exception, expected);
    }
    assert.equal((await site.request('GET', '/api/resource/DocType/Wrong')).status, 404);
  });

  test('links that are none, and selections of nothing, are refused with the definition', async () => {
    await define('Plain Row', [{ fieldname: 'a', fieldtype: 'Data' }], { istable: 1 });
    const wrong = [
      { fieldname: 'a', fieldtype: 'Data', fetch_from: 'b.c' },
      { fieldname: 'a', fieldtype: 'Table MultiSelect', options: 'Plain Row' },
      { fieldname: 'a', fieldtype: 'Dynamic Link' },
    ];
    for (const field of wrong) assertEnvelope(await define('Wrong', [field]), 'ValidationError');
  });

  test('rules of forms are enforced on the fields that say so, and on no others', async () => {
    const refused = await site.request('POST', '/api/resource/Case', {
      as: 'clerk',
      body: { status: 'Closed' },
    });
    assertEnvelope(refused, 'MandatoryError');
    assert.match(refused.body.exception, /\[Case, .*\]: reason$/);
    const body = { status: 'Closed', reason: 'done', total: 5, shown: 'sent', echo: 'sent' };
    const made = await site.make('Case', body, 'clerk');
    assert.deepEqual([made.total, made.shown, made.asked], [0, 'sent', undefined]);
    const path = `/api/resource/Case/${made.name}`;
    const changed = await site.request('PUT', path, {
      as: 'clerk',
      body: { total: 6, shown: 'x', asked: 'y' },
    });
    const { total, shown, asked } = changed.body.data;
    assert.deepEqual([total, shown, asked], [0, 'x', 'y']);
  });

  test('every read-only field of the shipped doctypes is enforced', async () => {
    const shipped = site.site.doctypes.all().filter(({ app: owner }) => owner === 'standard');
    const open = shipped.flatMap(({ name, fields }) =>
      fields
        .filter((field) => (field.read_only || field.mandatory_depends_on !== '') && !field.enforce_on_server)
        .map(({ fieldname }) => `${name}.${fieldname}`),
    );
    assert.ok(shipped.some(({ name }) => name === 'File'));
    assert.deepEqual(open, []);
  });

  test('computed fields follow permissions and stay out of lists', async () => {
    const made = await site.request('POST', '/api/resource/Case', { as: 'clerk', body: {} });
    const path = `/api/resource/Case/${made.body.data.name}`;
    assert.equal(made.body.data.echo, 'Open');
    const seen = await site.request('GET', path, { as: 'clerk' });
    assert.deepEqual(seen.body, made.body);
    assert.equal('shout' in seen.body.data, false);
    assert.equal((await site.ok('GET', path)).shout, 'LOUD');
    const questions = ['fields=["echo"]', 'filters={"echo":"Open"}', 'order_by=echo asc'];
    for (const question of questions) {
      assertEnvelope(await site.request('GET', `/api/resource/Case?${encodeURI(question)}`), 'DataError');
    }
    const all = await site.request('GET', '/api/resource/Case?fields=["*"]');
    assert.equal('echo' in all.body.data[0], false);
  });
});
