/** What plans and saves of designs say about stored values that a change takes away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';

const ALL = { read: 1, write: 1, create: 1, delete: 1 };
const MANAGER = [{ role: 'System Manager', ...ALL }];
const OPTIONS = {
  doctypes: [
    { name: 'Leg', istable: 1, fields: [{ fieldname: 'what', fieldtype: 'Data' }] },
    { name: 'Stop', istable: 1, fields: [{ fieldname: 'what', fieldtype: 'Data' }] },
    {
      name: 'Trip',
      fields: [
        { fieldname: 'title', fieldtype: 'Data' },
        { fieldname: 'legs', fieldtype: 'Table', options: 'Leg' },
      ],
      permissions: MANAGER,
    },
    {
      name: 'Open',
      fields: [
        { fieldname: 'code', fieldtype: 'Data' },
        { fieldname: 'pay', fieldtype: 'Data', permlevel: 1 },
      ],
      permissions: MANAGER,
    },
    {
      name: 'Closed',
      fields: [{ fieldname: 'code', fieldtype: 'Data' }],
      permissions: [{ role: 'Auditor', ...ALL }],
    },
    {
      name: 'Own',
      fields: [{ fieldname: 'code', fieldtype: 'Data' }],
      permissions: [{ role: 'System Manager', ...ALL, if_owner: 1 }],
    },
  ],
  users: { boss: ['System Manager'] },
};

type Row = Readonly<Record<string, unknown>>;

describeEither('losses of designs', OPTIONS, (site) => {
  const fieldsOf = async (doctype: string) => {
    const design = await site.call('chancery.read_design', { doctype });
    return design.definition.fields as readonly Row[];
  };
  const changed = async (doctype: string, fieldname: string, change: Row) => ({
    doctype,
    definition: {
      fields: (await fieldsOf(doctype)).map((row) =>
        row['fieldname'] === fieldname ? { ...row, ...change } : row,
      ),
    },
  });
  const lossesOf = async (wanted: object) => {
    const { tables } = await site.call('chancery.plan_design', wanted);
    return tables.flatMap(({ losses }: { losses: readonly Row[] }) =>
      losses.map(({ fieldname, loss, values, required }) => [fieldname, loss, values, required]),
    );
  };

  test('a table with another child doctype or type loses its rows, and the log says so', async () => {
    const { name } = await site.make('Trip', { title: 'North', legs: [{ what: 'Walk' }, { what: 'Swim' }] });
    const rows = async () => (await site.ok('GET', `/api/resource/Trip/${name}`)).legs;
    const [toStop, toData] = [
      await changed('Trip', 'legs', { options: 'Stop' }),
      await changed('Trip', 'legs', { fieldtype: 'Data', options: null }),
    ];
    const renamed = await changed('Trip', 'legs', { label: 'Parts' });
    assert.deepEqual(await lossesOf(renamed), []);
    for (const wanted of [toStop, toData]) {
      assert.deepEqual(await lossesOf(wanted), [['legs', 'removed', 2, false]]);
    }

    // Without consent the rows stay stored.
    await site.call('chancery.save_design', toStop);
    assert.deepEqual(await rows(), []);
    await site.call('chancery.save_design', await changed('Trip', 'legs', { options: 'Leg' }));
    assert.equal((await rows()).length, 2);

    await site.call('chancery.save_design', { ...toData, lose: ['legs'] });
    const back = await changed('Trip', 'legs', { fieldtype: 'Table', options: 'Leg' });
    await site.call('chancery.save_design', { ...back, lose: ['title'] });
    assert.deepEqual(await rows(), []);

    const entries: readonly Row[] = await site.ok(
      'GET',
      '/api/resource/Audit%20Log?fields=["name","details"]&filters=[["event","=","doctype_changed"],["reference_name","=","Trip"]]',
    );
    const lost = entries.flatMap(({ details }) => JSON.parse(String(details ?? '{}')).lost ?? []);
    assert.deepEqual(lost, ['legs']);
  });

  test('only who may read all documents and the field sees stored values', async () => {
    for (const doctype of ['Open', 'Closed', 'Own']) {
      for (const code of ['hush', 'hush']) {
        await site.make(doctype, { code, ...(doctype === 'Open' && { pay: 'hush' }) });
      }
    }
    for (const [doctype, fieldname, isSeen] of [
      ['Open', 'code', true],
      ['Open', 'pay', false],
      ['Closed', 'code', false],
      ['Own', 'code', false],
    ] as const) {
      const narrow = await changed(doctype, fieldname, { fieldtype: 'Int' });
      const unique = await changed(doctype, fieldname, { unique: 1 });
      for (const [as, seen] of [
        ['boss', isSeen],
        [undefined, true],
      ] as const) {
        const what = `${doctype} ${fieldname} ${as}`;
        const [table] = (await site.call('chancery.plan_design', narrow, as)).tables;
        assert.equal(table.losses[0].values, 2, what);
        assert.equal(table.losses[0].examples.length, seen ? 2 : 0, what);
        for (const method of ['chancery.plan_design', 'chancery.save_design']) {
          const reply = await site.rpc(method, unique, as);
          assert.equal(reply.body.exc_type, 'UniqueValidationError', what);
          assert.equal(reply.text.includes('hush'), seen, `${method} ${what}`);
        }
      }
    }
  });

  test('a key that leaves the doctype out sees no stored values', async () => {
    const made = await site.call('chancery.api_key.create', { doctypes: ['DocType'] });
    const narrow = await changed('Open', 'code', { fieldtype: 'Int' });
    const key = `token ${made.api_key}:${made.api_secret}`;
    const [table] = (await site.call('chancery.plan_design', narrow, key)).tables;
    assert.deepEqual([table.losses[0].values, table.losses[0].examples], [2, []]);
  });
});
