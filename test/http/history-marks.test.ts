/** Tags, likes and assignments: marks on documents that are no saves. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

describeEither('tags, likes and assignments', historySite(), (site) => {
  let dealer: string;
  let viewer: string;
  let outsider: string;
  before(async () => {
    dealer = await site.createUser('dealer@example.com', ['Dealer']);
    viewer = await site.createUser('viewer@example.com', ['Viewer']);
    outsider = await site.createUser('outsider@example.com', []);
  });

  const tag = (verb: string, tag: unknown, dn: string, as?: string) =>
    site.rpc(`frappe.desk.doctype.tag.tag.${verb}_tag`, { tag, dt: 'Deal', dn }, as);
  const like = (name: string, add: string, as?: string) =>
    site.rpc('frappe.desk.like.toggle_like', { doctype: 'Deal', name, add }, as);
  const assign = (verb: string, name: string, assign_to: unknown, as?: string, more: object = {}) =>
    site.rpc(`frappe.desk.form.assign_to.${verb}`, { doctype: 'Deal', name, assign_to, ...more }, as);

  test('tags are added once, removed in any case, and found by filters', async () => {
    await site.did('POST', 'Deal', { name: 'M1' });
    assert.equal((await tag('add', 'urgent', 'M1', dealer)).body.message, 'urgent');
    await tag('add', 'urgent', 'M1', dealer);
    await tag('add', 'Große Kunden', 'M1', dealer);
    assert.equal((await site.did('GET', 'Deal/M1'))._user_tags, ',urgent,Große Kunden');
    const found = await site.rows('Deal', [['_user_tags', 'like', '%urgent%']], ['name', '_user_tags']);
    assert.deepEqual(found, [{ name: 'M1', _user_tags: ',urgent,Große Kunden' }]);
    assert.deepEqual((await tag('remove', 'URGENT', 'M1', dealer)).body, {});
    await tag('remove', 'große kunden', 'M1', dealer);
    assert.ok(!('_user_tags' in (await site.did('GET', 'Deal/M1'))));
    const unset = await site.rows('Deal', [['_user_tags', 'is', 'not set']], ['name', '_user_tags'], viewer);
    assert.deepEqual(unset, [{ name: 'M1', _user_tags: null }]);
  });

  test('tagging takes the right to write, and a tag that is one', async () => {
    await site.did('POST', 'Deal', { name: 'M2' });
    assert.equal((await tag('add', 'x', 'M2', viewer)).status, 403);
    assert.equal((await tag('add', 'x', 'missing', viewer)).status, 403);
    assert.equal((await tag('add', 'x', 'missing', dealer)).status, 404);
    for (const bad of ['a,b', ' ', 'a\u0007', '', 7.5, ['x'], 'x'.repeat(LIMITS.tagLength + 1)]) {
      const { status } = await tag('add', bad, 'M2', dealer);
      assert.equal(status, bad === 7.5 ? 200 : 417, JSON.stringify(bad));
    }
    const row = await site.rpc('frappe.desk.doctype.tag.tag.add_tag', { tag: 'x', dt: 'Version', dn: 'a' });
    assert.equal(row.status, 417);
    const child = await site.rpc('frappe.desk.doctype.tag.tag.add_tag', {
      tag: 'x',
      dt: 'Deal Line',
      dn: 'a',
    });
    assert.equal(child.status, 417);
    for (let count = 1; count < LIMITS.tags; count += 1) await tag('add', `t${count}`, 'M2');
    assert.equal((await tag('add', 'one more', 'M2')).status, 417);
  });

  test('a mark is no save: modified stays and nothing fires, but the ETag changes', async () => {
    const webhook = await site.did('POST', 'Webhook', {
      webhook_doctype: 'Deal',
      webhook_docevent: 'on_change',
      request_url: 'http://127.0.0.1:9/',
    });
    const made = await site.did('POST', 'Deal', { name: 'M3' });
    const before = await site.ask('GET', 'Deal/M3');
    await tag('add', 'x', 'M3');
    await like('M3', 'Yes');
    await assign('add', 'M3', ['dealer@example.com']);
    const after = await site.ask('GET', 'Deal/M3');
    assert.equal(after.body.data.modified, made.modified);
    assert.notEqual(after.headers.get('etag'), before.headers.get('etag'));
    const deliveries = await site.rows('Webhook Request Log', { webhook: webhook.name }, ['event']);
    assert.equal(deliveries.length, 1);
    assert.deepEqual(await site.versions('M3'), []);
    await site.did('PUT', 'Deal/M3', { title: 'saved', modified: made.modified });
    const saved = await site.did('GET', 'Deal/M3');
    assert.deepEqual(
      [saved._user_tags, saved._liked_by, saved._assign],
      [',x', '["Administrator"]', '["dealer@example.com"]'],
    );
    assert.equal((await site.ask('PUT', 'Deal/M3', { _user_tags: ',forged' })).status, 200);
    assert.equal((await site.did('GET', 'Deal/M3'))._user_tags, ',x');
    await site.did('DELETE', `Webhook/${webhook.name}`);
  });

  test('a like takes the right to read, shows as a comment, and is taken back', async () => {
    await site.did('POST', 'Deal', { name: 'M4' });
    assert.equal((await like('M4', 'Yes', outsider)).status, 403);
    assert.deepEqual((await like('M4', 'Yes', viewer)).body, {});
    await like('M4', 'Yes', viewer);
    await like('M4', 'Yes', dealer);
    assert.equal((await site.did('GET', 'Deal/M4'))._liked_by, '["viewer@example.com","dealer@example.com"]');
    assert.deepEqual(await site.comments('M4'), ['Like: Liked', 'Like: Liked']);
    await like('M4', 'No', viewer);
    assert.equal((await site.did('GET', 'Deal/M4'))._liked_by, '["dealer@example.com"]');
    assert.deepEqual(await site.comments('M4'), ['Like: Liked']);
  });

  test('assignments are lists of users, each with a comment', async () => {
    await site.did('POST', 'Deal', { name: 'M5' });
    const added = await assign('add', 'M5', '["viewer@example.com"]', dealer, { description: 'see <b>this' });
    assert.deepEqual(added.body.message, [{ owner: 'viewer@example.com', name: 'viewer@example.com' }]);
    await assign('add', 'M5', ['viewer@example.com', 'dealer@example.com'], viewer);
    const mine = await site.rows('Deal', [['_assign', 'like', '%viewer@example.com%']], ['name'], viewer);
    assert.deepEqual(mine, [{ name: 'M5' }]);
    const left = await assign('remove', 'M5', 'viewer@example.com', viewer);
    assert.deepEqual(left.body.message, [{ owner: 'dealer@example.com', name: 'dealer@example.com' }]);
    assert.equal((await site.did('GET', 'Deal/M5'))._assign, '["dealer@example.com"]');
    assert.deepEqual(
      (await site.comments('M5')).map((line) => line.replaceAll(/<\/?strong>/g, '')),
      [
        'Assigned: dealer@example.com assigned viewer@example.com: see &lt;b&gt;this',
        'Assigned: viewer@example.com assigned dealer@example.com',
        'Assignment Completed: viewer@example.com removed their assignment',
      ],
    );
    const [comment] = await site.rows('Comment', { reference_name: 'M5' }, ['owner']);
    assert.equal(comment.owner, 'dealer@example.com');
  });

  test('nobody is assigned what they may not read, and the refusal does not tell who has an account', async () => {
    await site.did('POST', 'Deal', { name: 'M6' });
    for (const user of ['outsider@example.com', 'nobody@example.com', 'Guest']) {
      const refused = await assign('add', 'M6', [user], dealer);
      assert.equal(refused.status, 417);
      assert.match(refused.text, new RegExp(`User ${user} is not permitted to access this document`));
    }
    assert.equal((await assign('add', 'M6', ['viewer@example.com'], outsider)).status, 403);
    assert.equal((await assign('add', 'M6', [7], dealer)).status, 417);
    assert.ok(!('_assign' in (await site.did('GET', 'Deal/M6'))));
    assert.deepEqual(await site.comments('M6'), []);
  });

  test('who may share a document assigns it to anybody with an account, who may then read it', async () => {
    await site.did('POST', 'Deal', { name: 'M8' });
    assert.equal((await site.ask('GET', 'Deal/M8', undefined, outsider)).status, 403);
    assert.equal((await assign('add', 'M8', ['outsider@example.com'])).status, 200);
    assert.equal((await site.ask('GET', 'Deal/M8', undefined, outsider)).status, 200);
    assert.equal((await site.ask('PUT', 'Deal/M8', { title: 'x' }, outsider)).status, 403);
    const shares = await site.call('frappe.share.get_users', { doctype: 'Deal', name: 'M8' });
    assert.deepEqual(
      shares.map(({ user, read, write, share }: Record<string, unknown>) => [user, read, write, share]),
      [['outsider@example.com', 1, 0, 0]],
    );
    assert.equal((await assign('add', 'M8', ['nobody@example.com'])).status, 417);
    assert.equal((await assign('remove', 'M8', 'outsider@example.com')).status, 200);
    assert.equal((await site.ask('GET', 'Deal/M8', undefined, outsider)).status, 200);
  });

  test('an assignment is completed by its user alone', async () => {
    await site.did('POST', 'Deal', { name: 'M9' });
    await assign('add', 'M9', ['viewer@example.com', 'dealer@example.com']);
    assert.equal((await assign('close', 'M9', 'viewer@example.com', dealer)).status, 403);
    const left = await assign('close', 'M9', 'viewer@example.com', viewer);
    assert.deepEqual(left.body.message, [{ owner: 'dealer@example.com', name: 'dealer@example.com' }]);
    assert.deepEqual((await assign('get', 'M9', undefined, viewer)).body.message, left.body.message);
    assert.equal((await assign('get', 'M9', undefined, outsider)).status, 403);
    const [, , done] = await site.comments('M9');
    assert.equal(
      done,
      'Assignment Completed: <strong>viewer@example.com</strong> completed their assignment',
    );
  });

  test('several documents are assigned and tagged together, or none of them', async () => {
    for (const name of ['B1', 'B2']) await site.did('POST', 'Deal', { name });
    const marks = async () =>
      (await site.rows('Deal', { name: ['in', ['B1', 'B2']] }, ['_assign', '_user_tags'])).map((row) => [
        row._assign,
        row._user_tags,
      ]);
    const tags = (docs: readonly string[], as?: string) =>
      site.rpc('frappe.desk.doctype.tag.tag.add_tags', { tags: ['new', 'big', 'new'], dt: 'Deal', docs }, as);
    const everybody = ['viewer@example.com', 'dealer@example.com'];
    const many = Array.from({ length: LIMITS.bulkItems + 1 }, (_, index) => `B${index}`);
    const addTo = (name: readonly string[], as?: string) =>
      site.rpc(
        'frappe.desk.form.assign_to.add_multiple',
        { doctype: 'Deal', name, assign_to: everybody },
        as,
      );
    for (const [what, reply, status] of [
      ['a missing document', await addTo(['B1', 'missing'], dealer), 404],
      ['too many', await addTo(many), 417],
      ['no right to read', await addTo(['B1'], outsider), 403],
      ['tags on a missing document', await tags(['B1', 'missing'], dealer), 404],
      ['no right to write', await tags(['B1'], viewer), 403],
    ] as const)
      assert.equal(reply.status, status, what);
    assert.deepEqual(await marks(), [
      [null, null],
      [null, null],
    ]);
    assert.equal((await addTo(['B1', 'B2'], dealer)).status, 200);
    assert.equal((await tags(['B1', 'B2'], dealer)).status, 200);
    const whole = [JSON.stringify(everybody), ',new,big'];
    assert.deepEqual(await marks(), [whole, whole]);
    const names = { doctype: 'Deal', names: ['B1', 'B2'] };
    assert.equal((await site.rpc('frappe.desk.form.assign_to.remove_multiple', names, dealer)).status, 200);
    assert.deepEqual(await marks(), [
      [null, ',new,big'],
      [null, ',new,big'],
    ]);
  });

  test('tags are suggested from documents that the user may read', async () => {
    await site.did('POST', 'Deal', { name: 'S1' });
    for (const each of ['Straße', '100%', 'snake_case', 'snakes']) await tag('add', each, 'S1');
    const owner = await site.createUser('owner@example.com', ['Owner Only']);
    const suggested = async (txt?: string, as?: string) =>
      (await site.rpc('frappe.desk.doctype.tag.tag.get_tags', { doctype: 'Deal', txt }, as)).body.message;
    for (const [txt, expected] of [
      ['STRA', ['Straße']],
      ['0%', ['100%']],
      ['e_', ['snake_case']],
      ['snake', ['snake_case', 'snakes']],
      ['nothing like it', []],
      ['a,', []],
    ] as const)
      assert.deepEqual(await suggested(txt, viewer), expected, txt);
    assert.ok((await suggested(undefined, viewer)).includes('snakes'));
    assert.deepEqual(await suggested('snake', owner), []);
    const get = (doctype: string, as?: string) =>
      site.rpc('frappe.desk.doctype.tag.tag.get_tags', { doctype }, as);
    const stranger = await site.createUser('stranger@example.com', []);
    assert.equal((await get('Deal', stranger)).status, 403);
    assert.equal((await get('Deal Line')).status, 417);
  });

  test('ten users who like it at the same time are ten', async () => {
    await site.did('POST', 'Deal', { name: 'M7' });
    const users = await Promise.all(
      Array.from({ length: 10 }, (_, index) => site.createUser(`fan${index}@example.com`, ['Viewer'])),
    );
    const replies = await Promise.all(users.map((user) => like('M7', 'Yes', user)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(JSON.parse((await site.did('GET', 'Deal/M7'))._liked_by).length, 10);
  });

  test('lists show marks when asked for by name, not in *', async () => {
    const [row] = await site.rows('Deal', { name: 'M7' }, ['*']);
    assert.ok(!('_liked_by' in row));
    const [named] = await site.rows('Deal', { name: 'M7' }, ['*', '_liked_by']);
    assert.ok(named._liked_by);
    const child = await site.request('GET', '/api/resource/Deal Line?parent=Deal&fields=["_user_tags"]');
    assert.equal(child.status, 417);
  });
});
