/** `GET /api/events`: who hears of what. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pruneChanges } from '../../src/feed/prune-changes.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { type EventStream, listen } from '../support/events.ts';
import { ENGINES, startTestSite } from '../support/site.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const MEMO = {
  name: 'Memo',
  module: 'Test',
  autoname: 'prompt',
  allow_rename: 1,
  is_submittable: 1,
  fields: [{ fieldname: 'title', fieldtype: 'Data' }],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1 },
    { role: 'Memo Reader', read: 1 },
    { role: 'Memo Author', if_owner: 1, read: 1, write: 1, create: 1, delete: 1 },
  ],
};

const SITE = {
  doctypes: [MEMO, { ...MEMO, name: 'Quiet Memo' }],
  users: { reader: ['Memo Reader'], author: ['Memo Author'] },
};

describeEither('events', SITE, (site) => {
  let admin: string;
  let reader: string;
  let author: string;
  const streams: EventStream[] = [];
  before(() => {
    admin = `token ${site.adminKey}`;
    reader = site.keyOf('reader');
    author = site.keyOf('author');
  });
  after(async () => {
    for (const stream of streams) await stream.close();
  });

  async function open(query: string, as = admin, headers = {}): Promise<EventStream> {
    const stream = await listen(site.url, query, as, headers);
    streams.push(stream);
    const first = await stream.next();
    assert.ok(first?.event === 'open' || first?.event === 'reset', JSON.stringify(first));
    return stream;
  }

  test('every step of a document is told, thin and in order', async () => {
    const stream = await open('doctype=Memo');
    assert.match(stream.response.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.equal(stream.response.headers.get('x-accel-buffering'), 'no');
    const made = await site.did('POST', 'Memo', { name: 'Life', title: 'Secret text' });
    assert.deepEqual((await stream.next())?.data, {
      doctype: 'Memo',
      name: 'Life',
      event: 'after_insert',
      modified: made.modified,
    });
    await site.did('POST', 'Quiet%20Memo', { name: 'Unheard' });
    await site.did('PUT', 'Memo/Life', { title: 'Other' });
    assert.equal(await stream.change(), 'on_update Life');
    await site.request('POST', '/api/method/frappe.client.rename_doc', {
      body: { doctype: 'Memo', old_name: 'Life', new_name: 'Death' },
    });
    const renamed = await stream.next();
    assert.deepEqual(
      [renamed?.data.event, renamed?.data.name, renamed?.data.old_name],
      ['after_rename', 'Death', 'Life'],
    );
    await site.did('PUT', 'Memo/Death', { docstatus: 1 });
    assert.equal(await stream.change(), 'on_submit Death');
    await site.did('PUT', 'Memo/Death', { docstatus: 2 });
    assert.equal(await stream.change(), 'on_cancel Death');
    await site.did('DELETE', 'Memo/Death');
    assert.equal(await stream.change(), 'on_trash Death');
    await stream.close();
  });

  test('tags, likes, assignments and shares are told once each, and only to readers', async () => {
    const memo = { doctype: 'Memo', name: 'Marked' };
    const all = await open('doctype=Memo', reader);
    const shared = await open('doctype=Memo', author);
    await site.did('POST', 'Memo', { name: 'Marked' });
    const tag = { tag: 'hot', dt: 'Memo', dn: 'Marked' };
    for (const [method, args] of [
      ['frappe.desk.doctype.tag.tag.add_tag', tag],
      ['frappe.desk.doctype.tag.tag.add_tag', tag],
      ['frappe.desk.like.toggle_like', { ...memo, add: 'Yes' }],
      ['frappe.desk.form.assign_to.add', { ...memo, assign_to: ['reader@example.com'] }],
    ] as const)
      await site.call(method, args);
    // The stream has passed the earlier marks: rights count when an event is sent.
    await site.did('POST', 'Memo', { name: 'Passed' }, author);
    assert.equal(await shared.change(), 'after_insert Passed');
    const share = { ...memo, user: 'author@example.com' };
    await site.call('frappe.share.add', share);
    assert.equal(await shared.change(), 'on_mark Marked');
    await site.call('frappe.share.remove', share);
    await site.did('POST', 'Memo', { name: 'Unshared' }, author);
    assert.equal(await shared.change(), 'after_insert Unshared');
    const marks = (length: number) => Array.from({ length }, () => 'on_mark Marked');
    const told = [
      'after_insert Marked',
      ...marks(3),
      'after_insert Passed',
      ...marks(2),
      'after_insert Unshared',
    ];
    for (const one of told) assert.equal(await all.change(), one);
    for (const stream of [all, shared]) await stream.close();
  });

  test('several doctypes, or documents by name', async () => {
    const both = await open('doctype=Memo&doctype=Quiet%20Memo');
    const list = await open(`doctype=${encodeURIComponent('["Memo","Quiet Memo"]')}`);
    const one = await open('doctype=Memo&name=B&name=C');
    for (const name of ['A', 'B', 'C']) await site.did('POST', 'Memo', { name });
    await site.did('POST', 'Quiet%20Memo', { name: 'D' });
    const heard = ['A', 'B', 'C', 'D'].map((name) => `after_insert ${name}`);
    for (const stream of [both, list]) {
      for (const each of heard) assert.equal(await stream.change(), each);
    }
    assert.equal(await one.change(), 'after_insert B');
    assert.equal(await one.change(), 'after_insert C');
    for (const stream of [both, list, one]) await stream.close();
  });

  test('a change is told to those who may read the document, and its deletion to those who could', async () => {
    const all = await open('doctype=Memo', reader);
    const own = await open('doctype=Memo', author);
    await site.did('POST', 'Memo', { name: 'Not mine' });
    await site.did('POST', 'Memo', { name: 'Mine' }, author);
    await site.did('DELETE', 'Memo/Not%20mine');
    await site.did('DELETE', 'Memo/Mine', undefined, author);
    await site.did('POST', 'Memo', { name: 'Last' }, author);
    // A document that is gone before its creation is told stays unheard of until its deletion.
    const heard: string[] = [];
    while (heard.at(-1) !== 'after_insert Last') heard.push(await own.change());
    assert.deepEqual(
      heard.filter((each) => each !== 'after_insert Mine'),
      ['on_trash Mine', 'after_insert Last'],
    );
    const seen: string[] = [];
    while (seen.at(-1) !== 'after_insert Last') seen.push(await all.change());
    assert.ok(seen.includes('on_trash Not mine') && seen.includes('on_trash Mine'), seen.join());
    await all.close();
    await own.close();
  });

  test('unknown, unreadable and child doctypes are refused in the same words', async () => {
    const words = new Set<string>();
    const nobody = await site.createUser('nobody@example.com', []);
    for (const doctype of ['Memo', 'No Such', 'Has Role']) {
      const reply = await site.request('GET', `/api/events?doctype=${encodeURIComponent(doctype)}`, {
        as: nobody,
      });
      assertEnvelope(reply, 'PermissionError');
      words.add(reply.body.exception.replace(doctype, '…'));
    }
    assert.equal(words.size, 1);
    assertEnvelope(await site.request('GET', '/api/events?doctype=Memo', { as: null }), 'PermissionError');
    assertEnvelope(await site.request('GET', '/api/events'), 'ValidationError');
    assertEnvelope(await site.request('GET', '/api/events?doctype=[1]'), 'ValidationError');
    assertEnvelope(await site.request('GET', '/api/events?doctype=[%22'), 'BadRequestError');
    const two = '/api/events?doctype=Memo&doctype=User&name=x';
    assertEnvelope(await site.request('GET', two), 'ValidationError');
    const many = Array.from({ length: LIMITS.eventDoctypes + 1 }, (_, n) => `doctype=D${n}`).join('&');
    assertEnvelope(await site.request('GET', `/api/events?${many}`), 'ValidationError');
    await site.ok('HEAD', '/api/events?doctype=Memo');
    const options = await site.request('OPTIONS', '/api/events');
    assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS');
    assertEnvelope(await site.request('POST', '/api/events'), 'MethodNotAllowedError');
  });

  test('a role that is taken away ends the stream, and another keeps the rest', async () => {
    const both = await site.createUser('both@example.com', ['Memo Reader', 'Memo Author']);
    const stream = await open('doctype=Memo', both);
    await site.did('POST', 'Memo', { name: 'Before' });
    assert.equal(await stream.change(), 'after_insert Before');
    await site.did('PUT', 'User/both@example.com', { roles: [{ role: 'Memo Author' }] });
    await site.did('PUT', 'Memo/Before', { title: 'unheard' });
    await site.did('POST', 'Memo', { name: 'Own' }, both);
    assert.equal(await stream.change(), 'after_insert Own');
    await site.did('PUT', 'User/both@example.com', { roles: [] });
    await site.did('PUT', 'Memo/Own', { title: 'unheard' });
    assert.equal(await stream.next(), null);
  });

  test('a disabled user hears nothing more', async () => {
    const soon = await site.createUser('soon@example.com', ['Memo Reader']);
    const stream = await open('doctype=Memo', soon);
    await site.did('PUT', 'User/soon@example.com', { enabled: 0 });
    await site.did('POST', 'Memo', { name: 'After the end' });
    assert.equal(await stream.next(), null);
  });

  test('a browser session listens with its cookie', async () => {
    const body = { usr: 'Administrator', pwd: 'admin-password' };
    const login = await site.request('POST', '/api/method/login', { body, as: null });
    const cookie = login.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const stream = await open('doctype=Memo', '', { cookie });
    await site.did('POST', 'Memo', { name: 'By cookie' });
    assert.equal(await stream.change(), 'after_insert By cookie');
    await site.request('POST', '/api/method/logout', { as: null, headers: { cookie } });
    await site.did('POST', 'Memo', { name: 'Signed out' });
    assert.equal(await stream.next(), null);
  });

  test('a listener goes on from the last id, and hears of it when that is too long ago', async () => {
    const stream = await open('doctype=Memo', reader);
    const start = stream.last;
    await site.did('POST', 'Memo', { name: 'R1' });
    await site.did('POST', 'Memo', { name: 'R2' });
    assert.equal(await stream.change(), 'after_insert R1');
    const middle = stream.last;
    await stream.close();
    await site.did('POST', 'Memo', { name: 'R3' });

    const resumed = await listen(site.url, 'doctype=Memo', reader, { 'last-event-id': middle });
    assert.deepEqual((await resumed.next())?.data, { resumed: true });
    assert.equal(await resumed.change(), 'after_insert R2');
    assert.equal(await resumed.change(), 'after_insert R3');
    await resumed.close();
    // The header is the newer one.
    const query = `doctype=Memo&last_event_id=${start}`;
    const newer = await listen(site.url, query, reader, { 'last-event-id': middle });
    assert.equal((await newer.next())?.event, 'open');
    assert.equal(await newer.change(), 'after_insert R2');
    await newer.close();
    const older = await open(query, reader);
    assert.equal(await older.change(), 'after_insert R1');
    await older.close();

    await pruneChanges(site.site, 0);
    for (const token of [start, 'junk', 'A'.repeat(22)]) {
      const lost = await listen(site.url, `doctype=Memo&last_event_id=${token}`, reader);
      assert.equal((await lost.next())?.event, 'reset');
      await site.did('PUT', 'Memo/R1', { title: token });
      assert.equal(await lost.change(), 'on_update R1');
      await lost.close();
    }
    // A doctype that nobody had followed has no past.
    const other = await listen(site.url, `doctype=Role&last_event_id=${middle}`, admin);
    assert.equal((await other.next())?.event, 'reset');
    await other.close();
  });

  test('the deletion of a document too large to be judged asks to read anew', async () => {
    const stream = await open('doctype=Note', admin).catch(() => null);
    assert.equal(stream, null);
    await site.did('POST', 'DocType', {
      name: 'Tome',
      module: 'Test',
      autoname: 'prompt',
      fields: [{ fieldname: 'body', fieldtype: 'Long Text' }],
      permissions: [{ role: 'Memo Reader', read: 1 }],
    });
    const tomes = await open('doctype=Tome', reader);
    await site.did('POST', 'Tome', { name: 'T', body: 'x'.repeat(LIMITS.changeSnapshot) });
    assert.equal(await tomes.change(), 'after_insert T');
    await site.did('DELETE', 'Tome/T');
    assert.equal((await tomes.next())?.event, 'reset');
    await tomes.close();
  });

  test('one user has so many streams and no more', async () => {
    const crowd = await site.createUser('crowd@example.com', ['Memo Reader']);
    const mine: EventStream[] = [];
    for (let count = 0; count < LIMITS.eventStreamsPerUser; count += 1)
      mine.push(await open('doctype=Memo', crowd));
    const more = await site.request('GET', '/api/events?doctype=Memo', { as: crowd });
    assertEnvelope(more, 'TooManyRequestsError');
    assert.ok(more.headers.has('retry-after'));
    for (const stream of mine) await stream.close();
    const stream = await until(() => listen(site.url, 'doctype=Memo', crowd).catch(() => null));
    await stream?.close();
  });
});

for (const engine of ENGINES)
  test(`closing the server on ${engine} ends its streams`, async () => {
    const site = await startTestSite(engine, SITE);
    const stream = await listen(site.url, 'doctype=Memo', `token ${site.adminKey}`);
    assert.equal((await stream.next())?.event, 'open');
    await site.stop();
    assert.equal(await stream.next(), null);
  });
