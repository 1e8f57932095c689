/**
 * `true` and `false` in JSON fields: what was sent is what every way of writing stores, and every way of
 * reading shows.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { listen } from '../support/events.ts';
import { webhookSite } from '../support/webhook-site.ts';

const FLAG = { fieldname: 'flag', fieldtype: 'JSON' };
const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const DOCTYPES = [
  {
    name: 'Flag Row',
    istable: 1,
    fields: [FLAG, { fieldname: 'preset', fieldtype: 'JSON', default: 'true' }],
  },
  {
    name: 'Flagged',
    autoname: 'prompt',
    track_changes: 1,
    fields: [
      FLAG,
      { fieldname: 'preset', fieldtype: 'JSON', default: 'true' },
      { fieldname: 'needed', fieldtype: 'JSON', reqd: 1, default: 'false' },
      { fieldname: 'rows', fieldtype: 'Table', options: 'Flag Row' },
    ],
    permissions,
  },
  { name: 'Flag Settings', issingle: 1, fields: [FLAG], permissions },
  {
    name: 'Flag Copy',
    autoname: 'prompt',
    fields: [
      { fieldname: 'source', fieldtype: 'Link', options: 'Flagged' },
      { fieldname: 'copied', fieldtype: 'JSON', fetch_from: 'source.flag' },
    ],
    permissions,
  },
];

describeEither('booleans in JSON fields', webhookSite(), (hooks) => {
  before(async () => {
    for (const doctype of DOCTYPES) await hooks.did('POST', 'DocType', { module: 'Test', ...doctype });
  });

  const method = async (name: string, args: object, verb = 'POST') => {
    const query = new URLSearchParams(
      Object.entries(args).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
    const reply =
      verb === 'GET'
        ? await hooks.request('GET', `/api/method/${name}?${query}`)
        : await hooks.request('POST', `/api/method/${name}`, { body: args });
    assert.equal(reply.status, 200, `${name}: ${reply.text}`);
    return reply.body.message;
  };
  const read = (name: string) => hooks.did('GET', `Flagged/${name}`);
  const flagOf = async (name: string) => (await read(name)).flag;
  const row = (flag: unknown) => ({ flag });

  for (const value of [true, false]) {
    const stored = String(value);
    const other = String(!value);

    test(`${stored} by every way of writing`, async () => {
      const name = `written ${value}`;
      const made = await hooks.did('POST', 'Flagged', { name, flag: value, rows: [row(value)] });
      assert.equal(made.flag, stored);
      assert.equal(made.preset, 'true');
      assert.equal(made.needed, 'false');
      assert.equal(made.rows[0].flag, stored);
      assert.equal(made.rows[0].preset, 'true');

      // A document of its own each: of many saves within a second, those that send `modified` are refused.
      type Way = (name: string) => Promise<unknown>;
      const ways: Readonly<Record<string, Way>> = {
        put: (name) => hooks.did('PUT', `Flagged/${name}`, { flag: value }),
        patch: (name) =>
          hooks.request('PATCH', `/api/v2/document/Flagged/${name}`, { body: { flag: value } }),
        set_value: (name) =>
          method('frappe.client.set_value', { doctype: 'Flagged', name, fieldname: 'flag', value }),
        'set_value of several': (name) =>
          method('frappe.client.set_value', { doctype: 'Flagged', name, fieldname: { flag: value } }),
        'set_value as text': (name) =>
          method('frappe.client.set_value', { doctype: 'Flagged', name, fieldname: 'flag', value: stored }),
        save: async (name) => method('frappe.client.save', { doc: { ...(await read(name)), flag: value } }),
        bulk_update: (name) =>
          method('frappe.client.bulk_update', { docs: [{ doctype: 'Flagged', docname: name, flag: value }] }),
        form: (name) =>
          hooks.request('PUT', `/api/resource/Flagged/${name}`, {
            body: `data=${encodeURIComponent(JSON.stringify({ flag: value }))}`,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          }),
      };
      for (const [way, write] of Object.entries(ways)) {
        const own = `${way} ${value}`;
        await hooks.did('POST', 'Flagged', { name: own, flag: !value, rows: [row(!value)] });
        assert.equal(await flagOf(own), other, way);
        await write(own);
        assert.equal(await flagOf(own), stored, way);
      }

      await method('frappe.client.insert', { doc: { doctype: 'Flagged', name: `${name} 2`, flag: value } });
      await method('frappe.client.insert_many', {
        docs: [{ doctype: 'Flagged', name: `${name} 3`, flag: value, rows: [row(value)] }],
      });
      for (const copy of [2, 3]) assert.equal(await flagOf(`${name} ${copy}`), stored, `copy ${copy}`);
      const copied = await hooks.did('POST', 'Flag Copy', { name, source: name });
      assert.equal(copied.copied, stored);
    });

    test(`${stored} in rows, by every way of writing them`, async () => {
      const name = `rows ${value}`;
      const made = await hooks.did('POST', 'Flagged', { name, rows: [row(!value)] });
      const known = made.rows[0].name;
      const saved = await hooks.did('PUT', `Flagged/${name}`, {
        rows: [{ name: known, flag: value }, row(value), { flag: value, preset: value }],
      });
      assert.deepEqual(
        saved.rows.map(({ flag, preset }: Record<string, unknown>) => [flag, preset]),
        [
          [stored, 'true'],
          [stored, 'true'],
          [stored, stored],
        ],
      );
      const filters = [['Flag Row', 'flag', '=', value]];
      const listed = await method('frappe.client.get_list', {
        doctype: 'Flagged',
        filters: [['name', '=', name], ...filters],
        fields: ['name', 'rows.flag as flag'],
      });
      assert.deepEqual(
        listed.map(({ flag }: { flag: unknown }) => flag),
        [stored, stored, stored],
      );
    });

    test(`${stored} by every way of reading and filtering`, async () => {
      const name = `read ${value}`;
      await hooks.did('POST', 'Flagged', { name, flag: value, rows: [row(value)] });
      const only = ['name', '=', name];
      const matching: readonly unknown[] = [
        ['flag', '=', value],
        ['flag', '!=', !value],
        ['flag', 'in', [value]],
        ['flag', 'in', [value, 1]],
        ['flag', 'not in', [!value]],
        ['flag', 'like', value],
        ['flag', '=', stored],
        ['rows.flag', '=', value],
      ];
      const missing: readonly unknown[] = [
        ['flag', '=', !value],
        ['flag', '=', Number(value)],
        ['flag', 'in', [!value, Number(value)]],
        ['flag', 'not in', [value]],
        ['flag', 'not like', value],
      ];
      for (const [filters, count] of [
        ...matching.map((filter) => [filter, 1] as const),
        ...missing.map((filter) => [filter, 0] as const),
      ]) {
        const what = JSON.stringify(filters);
        const all = [only, filters];
        for (const verb of ['GET', 'POST']) {
          assert.equal(
            await method('frappe.client.get_count', { doctype: 'Flagged', filters: all }, verb),
            count,
            what,
          );
          const rows = await method(
            'frappe.client.get_list',
            { doctype: 'Flagged', filters: all, fields: ['flag'] },
            verb,
          );
          assert.deepEqual(rows, count === 0 ? [] : [{ flag: stored }], what);
        }
      }
      for (const verb of ['GET', 'POST']) {
        const args = { doctype: 'Flagged', filters: { name, flag: value }, fieldname: ['flag', 'name'] };
        assert.deepEqual(await method('frappe.client.get_value', args, verb), { flag: stored, name });
      }
      const grouped = await method('frappe.client.get_list', {
        doctype: 'Flagged',
        filters: [only],
        fields: ['flag', 'count(name) as n'],
        group_by: 'flag',
      });
      assert.deepEqual(grouped, [{ flag: stored, n: 1 }]);
    });

    test(`${stored} in a single`, async () => {
      const saved = await hooks.did('PUT', 'Flag%20Settings/Flag%20Settings', { flag: value });
      assert.equal(saved.flag, stored);
      assert.equal(
        await method('frappe.client.get_single_value', { doctype: 'Flag Settings', field: 'flag' }),
        stored,
      );
      await method('frappe.client.set_value', {
        doctype: 'Flag Settings',
        name: 'Flag Settings',
        fieldname: 'flag',
        value: !value,
      });
      const again = await method('frappe.client.get_value', { doctype: 'Flag Settings', fieldname: 'flag' });
      assert.deepEqual(again, { flag: other });
    });

    test(`${stored} in versions, and brought back from them and after a deletion`, async () => {
      const name = `version ${value}`;
      await hooks.did('POST', 'Flagged', { name, flag: value, rows: [row(value)] });
      await hooks.did('PUT', `Flagged/${name}`, { flag: !value });
      const filters = JSON.stringify({ docname: name });
      const [version] = await hooks.did('GET', `Version?fields=["name","data"]&filters=${filters}`);
      assert.deepEqual(JSON.parse(version.data).changed, [['flag', stored, other]]);
      await hooks.request('DELETE', `/api/resource/Flagged/${name}`);
      const gone = JSON.stringify({ deleted_name: name });
      const [deleted] = await hooks.did('GET', `Deleted%20Document?filters=${gone}`);
      await method('chancery.restore_document', { name: deleted.name });
      const back = await read(name);
      assert.equal(back.flag, other);
      assert.equal(back.rows[0].flag, stored);
    });

    test(`${stored} in deliveries and their conditions`, async () => {
      await hooks.clear();
      const webhook_doctype = 'Flagged';
      await hooks.webhook({ webhook_doctype, condition: `doc.flag == '${stored}'` });
      await hooks.webhook({
        webhook_doctype,
        webhook_data: [
          { fieldname: 'flag', key: 'flag' },
          { fieldname: 'rows', key: 'rows' },
        ],
      });
      await hooks.webhook({
        webhook_doctype,
        request_structure: 'JSON',
        webhook_json: '{"flag": {{ doc.flag | tojson }}}',
      });
      const name = `sent ${value}`;
      await hooks.did('POST', 'Flagged', { name, flag: value, rows: [row(value)] });
      await hooks.receiver.until((received) => received.length === 3);
      const bodies = hooks.receiver.received.map(({ body }) => JSON.parse(String(body)));
      for (const { flag } of bodies) assert.equal(flag, stored);
      assert.equal(bodies.filter(({ rows }) => rows?.[0].flag === stored).length, 2);
    });
  }

  test('a change from true to 1 is a change', async () => {
    const name = 'change';
    await hooks.did('POST', 'Flagged', { name, flag: true });
    const stream = await listen(hooks.url, 'doctype=Flagged', `token ${hooks.adminKey}`);
    await stream.next();
    await hooks.did('PUT', `Flagged/${name}`, { flag: 1 });
    assert.equal(await stream.change(), `on_update ${name}`);
    await stream.close();
    assert.equal(await flagOf(name), '1');
  });

  test('true as a default in a definition is true', async () => {
    const fields = [
      { fieldname: 'flag', fieldtype: 'JSON', default: true },
      { fieldname: 'off', fieldtype: 'JSON', default: false },
      { fieldname: 'on', fieldtype: 'Check', default: true },
    ];
    await hooks.did('POST', 'DocType', {
      name: 'Preset',
      module: 'Test',
      autoname: 'prompt',
      fields,
      permissions,
    });
    const made = await hooks.did('POST', 'Preset', { name: 'a' });
    assert.deepEqual([made.flag, made.off, made.on], ['true', 'false', 1]);

    const custom = { dt: 'Preset', fieldname: 'more', label: 'More', fieldtype: 'JSON', default: true };
    await hooks.did('POST', 'Custom%20Field', custom);
    assert.equal((await hooks.did('POST', 'Preset', { name: 'b' })).more, 'true');
    await hooks.did('PUT', 'Custom%20Field/Preset-more', { default: false });
    assert.equal((await hooks.did('POST', 'Preset', { name: 'c' })).more, 'false');

    const set = { doctype_or_field: 'DocField', doc_type: 'Preset', property: 'default', value: false };
    await hooks.did('POST', 'Property%20Setter', { ...set, field_name: 'flag' });
    assert.equal((await hooks.did('POST', 'Preset', { name: 'd' })).flag, 'false');
    await hooks.did('PUT', 'Property%20Setter/Preset-flag-default', { value: true });
    assert.equal((await hooks.did('POST', 'Preset', { name: 'e' })).flag, 'true');
    await hooks.did('POST', 'Property%20Setter', { ...set, field_name: 'on' });
    assert.equal((await hooks.did('POST', 'Preset', { name: 'f' })).on, 0);
  });
});
