/** What names a document in a field that somebody may not read is not told to them by asking about that document. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { shape, startOracle } from './oracle-site.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Every kind of field that Ann may not read and that names a Person. */
const HIDDEN_LINKS: Readonly<Record<string, (name: string) => Fields>> = {
  'a Link': (name) => ({ secret_boss: name }),
  'a Dynamic Link': (name) => ({ secret_type: 'Person', secret_ref: name }),
  'a Dynamic Link whose doctype is hidden': (name) => ({ secret_type: 'Person', half_ref: name }),
  'a Link in rows': (name) => ({ rows: [{ note: 'a', patron: name }] }),
  'a Link in a hidden table': (name) => ({ hidden_rows: [{ note: 'a', friend: name }] }),
};

const VISIBLE_LINKS: Readonly<Record<string, (name: string) => Fields>> = {
  'a Link': (name) => ({ boss: name }),
  'a Dynamic Link': (name) => ({ ref_type: 'Person', ref: name }),
  'a Link in rows': (name) => ({ rows: [{ note: 'a', friend: name }] }),
};

describeEitherEngine('hidden references', (engine) => {
  const oracle = useStarted(() => startOracle(engine));
  let made = 0;

  const admin = (verb: string, path: string, body?: object, headers = {}) =>
    oracle.site.request(verb, path, { ...(body && { body }), headers });
  const ask = (verb: string, path: string, body?: object) =>
    oracle.ask({ verb, path, ...(body && { body }) });

  async function make(doctype: string, fields: Fields): Promise<string> {
    const reply = await admin('POST', `/api/resource/${doctype}`, fields);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.name;
  }

  /** A person in Ann's region, of a name as long as every other. */
  function person(fields: Fields = {}): Promise<string> {
    made += 1;
    return make('Person', { name: `q-${1000 + made}`, region: 'n-north', ...fields });
  }

  async function linked(name: string): Promise<string> {
    const replies = [];
    for (const method of ['chancery.linked_documents', 'frappe.desk.form.linked_with.get']) {
      const reply = await ask('GET', `/api/method/${method}?doctype=Person&name=${name}&docname=${name}`);
      assert.equal(reply.status, 200, reply.text);
      replies.push(reply.body.message);
    }
    return JSON.stringify(replies);
  }

  test('are named by no reverse lookup, and the others are', async () => {
    for (const [kind, fieldsOf] of Object.entries(HIDDEN_LINKS)) {
      const target = await person();
      await person(fieldsOf(target));
      assert.equal(await linked(target), '[{},{}]', kind);
    }
    for (const [kind, fieldsOf] of Object.entries(VISIBLE_LINKS)) {
      const target = await person();
      const holder = await person(fieldsOf(target));
      assert.ok((await linked(target)).includes(`"${holder}"`), kind);
    }
  });

  test('keep a document from being deleted without being named or counted', async () => {
    const refusals = new Set<string>();
    for (const [kind, fieldsOf] of Object.entries(HIDDEN_LINKS)) {
      for (const holders of [1, 12]) {
        const target = await person();
        for (let index = 0; index < holders; index++) await person(fieldsOf(target));
        const refusal = shape(await ask('DELETE', `/api/resource/Person/${target}`), target);
        assert.match(refusal, /^417 .*LinkExistsError/, kind);
        refusals.add(refusal);
      }
    }
    assert.equal(refusals.size, 1, [...refusals].join('\n'));
    for (const [kind, fieldsOf] of Object.entries(VISIBLE_LINKS)) {
      const target = await person();
      // More hidden ones, made before and after, than an error names.
      for (let index = 0; index < 11; index++) await person(HIDDEN_LINKS['a Link']?.(target));
      const holder = await person(fieldsOf(target));
      for (let index = 0; index < 11; index++) await person(HIDDEN_LINKS['a Link in rows']?.(target));
      const refused = await ask('DELETE', `/api/resource/Person/${target}`);
      const told = /linked with (.*)\.$/.exec(refused.body.exception)?.[1];
      assert.equal(told, `Person ${holder}`, kind);
    }
  });

  test('change no ETag of a reader who may not see them when the other document gets another name', async () => {
    for (const [kind, fieldsOf] of Object.entries(HIDDEN_LINKS)) {
      // Its reader sees the name itself change.
      if (kind === 'a Dynamic Link whose doctype is hidden') continue;
      const target = await person();
      const holder = await person(fieldsOf(target));
      const path = `/api/resource/Person/${holder}`;
      const tagOf = async (by: typeof ask) => (await by('GET', path)).headers.get('etag') ?? '';
      const [seen, whole] = [await tagOf(ask), await tagOf(admin)];
      const body = { doctype: 'Person', old_name: target, new_name: `${target}-b` };
      assert.equal((await ask('POST', '/api/method/frappe.client.rename_doc', body)).status, 200);
      assert.equal(await tagOf(ask), seen, kind);
      // Whoever sees the field is told, and overwrites nothing by mistake.
      assert.notEqual(await tagOf(admin), whole, kind);
      assert.equal((await admin('GET', path, undefined, { 'if-none-match': whole })).status, 200, kind);
      const stale = await admin('PUT', path, { title: 'x' }, { 'if-match': whole });
      assert.equal(stale.status, 412, kind);
      const fresh = await admin('PUT', path, { title: 'x' }, { 'if-match': await tagOf(admin) });
      assert.equal(fresh.status, 200, kind);
      assert.equal(fresh.headers.get('etag'), await tagOf(admin), kind);
      const own = { as: oracle.ann, body: { title: 'y' }, headers: { 'if-match': await tagOf(ask) } };
      assert.equal((await oracle.site.request('PUT', path, own)).status, 200, kind);
    }
    for (const [kind, fieldsOf] of Object.entries(VISIBLE_LINKS)) {
      const target = await person();
      const path = `/api/resource/Person/${await person(fieldsOf(target))}`;
      const etag = (await ask('GET', path)).headers.get('etag');
      const body = { doctype: 'Person', old_name: target, new_name: `${target}-b` };
      assert.equal((await ask('POST', '/api/method/frappe.client.rename_doc', body)).status, 200);
      assert.notEqual((await ask('GET', path)).headers.get('etag'), etag, kind);
    }
  });

  test('keep a document from being submitted without being named', async () => {
    const refusals = new Set<string>();
    for (const carrier of ['Hermes', 'Iris']) {
      await make('Carrier', { name: carrier, docstatus: 1 });
      await make('Order', { name: `of ${carrier}`, carrier });
      assert.equal((await admin('PUT', `/api/resource/Carrier/${carrier}`, { docstatus: 2 })).status, 200);
      const refused = await ask('PUT', `/api/resource/Order/of ${carrier}`, { docstatus: 1 });
      assert.doesNotMatch(refused.text, /Hermes|Iris/);
      refusals.add(shape(refused, `of ${carrier}`));
    }
    assert.equal(refusals.size, 1);
    assert.match([...refusals][0] ?? '', /^417 .*CancelledLinkError.*carrier/);
  });

  test('walk no tree, and let nobody merge by what they say', async () => {
    await make('Place', { name: 't-top', is_group: 1 });
    await make('Place', { name: 't-mid', is_group: 1, above: 't-top' });
    const filters = encodeURIComponent(JSON.stringify([['name', 'descendants of', 't-top']]));
    const refused = await ask('GET', `/api/resource/Place?filters=${filters}`);
    const plain = await ask(
      'GET',
      `/api/resource/Region?filters=${filters.replace('t-top', encodeURIComponent('n-north'))}`,
    );
    assert.equal(shape(refused, 't-top'), shape(plain, 'n-north'));
    const shown = await admin('GET', `/api/resource/Place?filters=${filters}`);
    assert.deepEqual(shown.body.data, [{ name: 't-mid' }]);
    const body = { doctype: 'Place', old_name: 't-top', new_name: 't-mid', merge: 1 };
    const merged = await ask('POST', '/api/method/frappe.client.rename_doc', body);
    assert.equal(merged.status, 417);
    assert.doesNotMatch(merged.text, /below/);
  });

  test('are told by no webhook of somebody who may not read them', async () => {
    const permissions = [
      { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
      { role: 'Reader', read: 1, write: 1, create: 1 },
    ];
    for (const row of permissions) await make('Custom DocPerm', { parent: 'Webhook', ...row });
    const webhook = {
      webhook_doctype: 'Place',
      webhook_docevent: 'on_update',
      request_url: 'https://example.com/hook',
      webhook_data: [{ fieldname: 'is_group' }],
    };
    const save = (more: object) => ask('POST', '/api/resource/Webhook', { ...webhook, ...more });
    const bare = { webhook_data: [] };
    for (const more of [
      bare,
      { webhook_data: [{ fieldname: 'above' }] },
      { condition: 'doc.above == "l-x"' },
      { condition: 'doc.has_value_changed("above")' },
      { only_if_changed: 'above' },
      { ...bare, request_structure: 'JSON', webhook_json: '{"a": "{{ doc.above }}"}' },
      { is_dynamic_url: 1, request_url: 'https://example.com/{{ doc.above }}' },
      { webhook_doctype: 'Person', webhook_data: [{ fieldname: 'rows' }] },
      { webhook_doctype: 'Person', webhook_data: [{ fieldname: 'title' }] },
    ]) {
      const refused = await save(more);
      assert.equal(refused.status, 417, JSON.stringify(more));
      assert.match(refused.text, /may not read/, JSON.stringify(more));
    }
    const saved = await save({ condition: 'doc.is_group == 1' });
    assert.equal(saved.status, 200, saved.text);
    const path = `/api/resource/Webhook/${saved.body.data.name}`;
    assert.equal((await ask('PUT', path, bare)).status, 417);
    assert.equal((await admin('PUT', path, bare)).status, 200);
    assert.equal((await ask('PUT', path, { request_url: 'https://example.com/other' })).status, 417);
    assert.equal((await ask('PUT', path, { enabled: 0 })).status, 200);
  });

  test('are not said by an explanation of a refusal', async () => {
    const manager = await oracle.site.createUser(`asker-${engine}@example.com`, ['System Manager']);
    await oracle.site.createUser(`kept-${engine}@example.com`, ['Reader']);
    const [only, other] = [await person(), await person()];
    const permission = { user: `kept-${engine}@example.com`, allow: 'Person', for_value: only };
    await make('DocType', {
      name: `Note ${engine}`,
      module: 'Test',
      autoname: 'Prompt',
      fields: [{ fieldname: 'about', fieldtype: 'Link', options: 'Person', permlevel: 2 }],
      permissions: [
        { role: 'Reader', read: 1 },
        { role: 'System Manager', read: 1, write: 1, create: 1 },
      ],
    });
    await make('User Permission', { ...permission, applicable_for: `Note ${engine}` });
    await make(`Note ${engine}`, { name: 'one', about: other });
    const question = `doctype=Note ${engine}&name=one&user=kept-${engine}@example.com`;
    const path = `/api/method/chancery.explain_permission?${question}`;
    const explained = await oracle.site.request('GET', path, { as: manager });
    assert.equal(explained.body.message.decided_by, 'User Permission', explained.text);
    assert.ok(!explained.text.includes(other), explained.text);
    assert.ok((await admin('GET', path)).text.includes(other));
  });

  test('are not said by an error about a value that somebody else put there', async () => {
    const name = `Ward ${engine}`;
    const permissions = [
      { role: 'System Manager', read: 1, write: 1, create: 1 },
      { role: 'System Manager', permlevel: 1, read: 1, write: 1 },
      { role: 'Reader', read: 1, write: 1, create: 1 },
    ];
    const guarded = { fieldname: 'kept', fieldtype: 'Data', fetch_from: 'source.kept', permlevel: 1 };
    await make('DocType', {
      name,
      module: 'Test',
      autoname: 'Prompt',
      fields: [
        { fieldname: 'source', fieldtype: 'Link', options: 'Region' },
        { ...guarded, fetch_from: 'source.title', options: 'Email' },
      ],
      permissions,
    });
    assert.equal((await admin('PUT', '/api/resource/Region/n-north', { title: 'hidden words' })).status, 200);
    const refused = await ask('POST', `/api/resource/${name}`, { name: 'one', source: 'n-north' });
    assert.equal(refused.status, 417, refused.text);
    assert.doesNotMatch(refused.text, /hidden words/);
  });

  test('are in no list of rows of somebody who sees rows of every parent', async () => {
    const target = await person();
    await person({ rows: [{ note: 'open' }], hidden_rows: [{ note: 'shut', friend: target }] });
    const lister = await oracle.site.createUser(`lister-${engine}@example.com`, ['System Manager']);
    const manager = await admin('GET', '/api/resource/DocType/Person');
    const permissions = manager.body.data.permissions.filter((row: Fields) => row['permlevel'] !== 1);
    const changed = await admin('PUT', '/api/resource/DocType/Person', { permissions });
    assert.equal(changed.status, 200, changed.text);
    const path = '/api/resource/Person Row?fields=["note"]&limit_page_length=0';
    const rows = await oracle.site.request('GET', path, { as: lister });
    const notes = new Set(rows.body.data.map(({ note }: { note: string }) => note));
    assert.ok(notes.has('open'), rows.text);
    assert.ok(!notes.has('shut'), rows.text);
    await admin('PUT', '/api/resource/DocType/Person', { permissions: manager.body.data.permissions });
  });
});
