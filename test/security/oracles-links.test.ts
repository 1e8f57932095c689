/** Links, names that are taken and refusals to delete tell nobody what they may not see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { type Asked, HIDDEN, MISSING, shape, startOracle } from './oracle-site.ts';

const person = (fields: object) => ({ verb: 'POST', path: '/api/resource/Person', body: fields });
const change = (fields: object) => ({ verb: 'PUT', path: '/api/resource/Person/p-north', body: fields });
const method = (name: string, body: object) => ({ verb: 'POST', path: `/api/method/${name}`, body });

/** Every way to put a link into a document. */
const WAYS: Readonly<Record<string, (fields: object) => Asked>> = {
  'POST /api/resource': (fields) => person({ name: 'p-new', region: 'n-north', ...fields }),
  'POST /api/v2/document': (fields) => ({
    verb: 'POST',
    path: '/api/v2/document/Person',
    body: { name: 'p-new', region: 'n-north', ...fields },
  }),
  'PUT /api/resource': change,
  'PATCH /api/v2/document': (fields) => ({
    verb: 'PATCH',
    path: '/api/v2/document/Person/p-north',
    body: fields,
  }),
  insert: (fields) =>
    method('frappe.client.insert', {
      doc: { doctype: 'Person', name: 'p-new', region: 'n-north', ...fields },
    }),
  insert_many: (fields) =>
    method('frappe.client.insert_many', {
      docs: [{ doctype: 'Person', name: 'p-new', region: 'n-north', ...fields }],
    }),
  save: (fields) => method('frappe.client.save', { doc: { doctype: 'Person', name: 'p-north', ...fields } }),
  set_value: (fields) =>
    method('frappe.client.set_value', {
      doctype: 'Person',
      name: 'p-north',
      fieldname: JSON.stringify(fields),
    }),
  bulk_update: (fields) =>
    method('bulk_update', { docs: [{ doctype: 'Person', name: 'p-north', ...fields }] }),
};

describeEitherEngine('links', (engine) => {
  const oracle = useStarted(() => startOracle(engine));

  async function same(what: string, of: (name: string) => Asked, hidden: string): Promise<string> {
    const seen = shape(await oracle.ask(of(hidden)), hidden);
    assert.equal(seen, shape(await oracle.ask(of(MISSING)), MISSING), what);
    return seen;
  }

  test('to what is hidden are refused as to what is missing', async () => {
    for (const [way, put] of Object.entries(WAYS)) {
      for (const [kind, { doctype, name: hidden }] of Object.entries(HIDDEN)) {
        const seen = await same(
          `${way}, dynamic, ${kind}`,
          (name) => put({ ref_type: doctype, ref: name }),
          hidden,
        );
        assert.match(seen, /Could not find/, `${way}, ${kind}`);
      }
      await same(`${way}, account`, (name) => put({ account: name }), 'a-other');
      await same(`${way}, boss`, (name) => put({ boss: name }), 'p-south');
      await same(`${way}, region`, (name) => put({ region: name }), 's-south');
      await same(`${way}, rows`, (name) => put({ rows: [{ account: name }] }), 'a-other');
      await same(`${way}, row’s region`, (name) => put({ rows: [{ region: name }] }), 's-south');
    }
  });

  test('that somebody else set are kept when the document is saved or sent back', async () => {
    const { data } = (await oracle.ask({ verb: 'GET', path: '/api/resource/Person/p-north' })).body;
    assert.equal(data.account, 'a-first');
    const { modified: _modified, ...whole } = data;
    assert.equal((await oracle.ask(change(whole))).status, 200);
    const unnamed = whole.rows.map(({ note, account }: Record<string, unknown>) => ({ note, account }));
    const saved = await oracle.ask(change({ rows: unnamed, boss: 'p-other' }));
    assert.equal(saved.status, 200, saved.text);
    assert.equal(saved.body.data.rows[0].account, 'a-first');
    // To oneself and to colleagues.
    for (const ref of ['ann@example.com']) {
      const linked = await oracle.ask(change({ ref_type: 'User', ref }));
      assert.equal(linked.status, 200, linked.text);
    }
  });

  test('a refusal to delete names what may be read, and else not even how many', async () => {
    const { request } = oracle.site;
    const make = async (body: object) => {
      const reply = await request('POST', '/api/resource/Person', { body });
      assert.equal(reply.status, 200, reply.text);
    };
    await make({ name: 'p-boss', region: 'n-north' });
    await make({ name: 'p-chief', region: 'n-north' });
    await make({ name: 'p-one', region: 's-south', boss: 'p-boss' });
    for (const name of ['p-two', 'p-three', 'p-four'])
      await make({ name, region: 's-south', boss: 'p-chief' });
    const refusals = [];
    for (const name of ['p-boss', 'p-chief']) {
      refusals.push(shape(await oracle.ask({ verb: 'DELETE', path: `/api/resource/Person/${name}` }), name));
    }
    assert.match(refusals[0] ?? '', /^417 .*LinkExistsError.*documents that you may not read/);
    assert.equal(refusals[0], refusals[1]);
    await make({ name: 'p-seen', region: 'n-north', boss: 'p-chief' });
    const named = await oracle.ask({ verb: 'DELETE', path: '/api/resource/Person/p-chief' });
    assert.match(named.text, /p-seen/);
    assert.doesNotMatch(named.text, /p-two|p-three|p-four/);
  });

  test('a name that is taken is named, and nothing of who has it', async () => {
    const taken = await oracle.ask(person({ name: 'p-south', region: 'n-north' }));
    assert.deepEqual([taken.status, taken.body.exc_type], [409, 'DuplicateEntryError']);
    assert.match(taken.body.exception, /Person p-south already exists$/);
  });

  test('what is followed, linked, shown and listed of doctypes is the same for hidden and unknown ones', async () => {
    for (const of of [
      (doctype: string) => ({ verb: 'GET', path: `/api/events?doctype=${doctype}` }),
      (doctype: string) => ({ verb: 'GET', path: `/api/resource/Person%20Row?parent=${doctype}` }),
      (doctype: string) => ({ verb: 'GET', path: `/api/resource/DocType/${doctype}` }),
      (doctype: string) => change({ ref_type: doctype, ref: 'x' }),
      (doctype: string) => change({ ref_type: doctype }),
    ]) {
      const seen = shape(await oracle.ask(of('Account')), 'Account');
      assert.equal(seen, shape(await oracle.ask(of('Nowhere')), 'Nowhere'));
      assert.doesNotMatch(seen, /^[25]/, seen);
    }
  });

  test('a row of a hidden table or parent is as missing', async () => {
    const { data } = (await oracle.site.request('GET', '/api/resource/Person/p-north')).body;
    const south = (await oracle.site.request('GET', '/api/resource/Person/p-south')).body.data;
    for (const hidden of [data.hidden_rows[0].name, south.rows[0].name]) {
      for (const prefix of ['/api/resource/Person%20Row/', '/api/v2/document/Person%20Row/']) {
        const seen = await same(prefix, (name) => ({ verb: 'GET', path: `${prefix}${name}` }), hidden);
        assert.match(seen, /^404/);
      }
    }
    const shown = await oracle.ask({ verb: 'GET', path: `/api/resource/Person%20Row/${data.rows[0].name}` });
    assert.equal(shown.status, 200, shown.text);
    assert.ok(!('bonus' in shown.body.data));
  });

  test('a private file that is kept away answers as one that there is not', async () => {
    const path = `/api/resource/File/${HIDDEN['by a controller']?.name}`;
    const { file_url } = (await oracle.site.request('GET', path)).body.data;
    const missing = file_url.replace(/[^/]+$/, 'nothere.txt');
    for (const of of [
      (url: string) => ({ verb: 'GET', path: url }),
      (url: string) => ({ verb: 'GET', path: `/api/method/download_file?file_url=${url}` }),
      (url: string) => ({ verb: 'POST', path: '/api/resource/File', body: { file_url: url } }),
      (url: string) => method('upload_file', { file_url: url }),
    ]) {
      const seen = shape(await oracle.ask(of(file_url)), file_url);
      assert.equal(seen, shape(await oracle.ask(of(missing)), missing));
    }
  });

  test('a cursor is of its list alone, and no way around the right to its order', async () => {
    const list = (query: string) => `/api/resource/Person?limit=1&include=cursor${query}`;
    const made = await oracle.site.request('GET', list('&order_by=salary'));
    assert.equal(typeof made.body.cursor, 'string', made.text);
    const use = (cursor: string, order = '') =>
      oracle.ask({ verb: 'GET', path: list(`${order}&after=${cursor}`) });
    assert.equal((await use(made.body.cursor, '&order_by=salary')).body.exc_type, 'DataError');
    const refused = shape(await use(made.body.cursor), '~');
    assert.match(refused, /^417 .*after is not a cursor/);
    assert.equal(shape(await use('AAAA'), '~'), refused);
  });
});
