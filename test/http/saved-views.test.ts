/** `Saved View`: how people look at lists, kept for themselves or shared. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

describeEither('saved views', historySite(), (site) => {
  let ann: string;
  let bob: string;
  let sharer: string;
  let manager: string;
  let outsider: string;
  before(async () => {
    await site.did('POST', 'Role', { role_name: 'Sharer' });
    await site.did('POST', 'Custom DocPerm', { parent: 'Deal', role: 'Sharer', read: 1, share: 1 });
    await site.did('POST', 'Custom DocPerm', { parent: 'Deal', role: 'Dealer', read: 1, write: 1 });
    const user = (name: string, ...roles: string[]) => site.createUser(`${name}@example.com`, roles);
    [ann, bob, sharer, manager, outsider] = await Promise.all([
      user('ann', 'Dealer'),
      user('bob', 'Dealer'),
      user('sharer', 'Sharer'),
      user('manager', 'System Manager', 'Dealer'),
      user('outsider'),
    ]);
  });

  const view = (more: object = {}) => ({
    label: 'Open ones',
    reference_doctype: 'Deal',
    filters: [['amount', '>', 5]],
    or_filters: [],
    columns: [{ fieldname: 'title', width: 240 }],
    order_by: 'modified desc',
    ...more,
  });
  const seen = async (as: string): Promise<string[]> =>
    (await site.rows('Saved View', { reference_doctype: 'Deal' }, ['name'], as)).map((row) => row.name);
  const status = async (method: string, path: string, body: unknown, as: string) =>
    (await site.ask(method, `Saved View/${path}`, body, as)).status;

  test('a private view is its owner’s alone, and keeps what a list takes', async () => {
    const made = await site.did('POST', 'Saved View', view(), ann);
    assert.equal(made.owner, 'ann@example.com');
    assert.deepEqual(JSON.parse(made.filters), [['amount', '>', 5]]);
    assert.deepEqual(JSON.parse(made.columns), [{ fieldname: 'title', width: 240 }]);
    assert.ok((await seen(ann)).includes(made.name));
    for (const as of [bob, manager, outsider]) {
      assert.ok(!(await seen(as)).includes(made.name));
      assert.equal(await status('GET', made.name, undefined, as), 403);
      assert.equal(await status('PUT', made.name, { label: 'Mine' }, as), 403);
      assert.equal(await status('DELETE', made.name, undefined, as), 403);
    }
    assert.equal(await status('PUT', made.name, { label: 'Newer' }, ann), 200);
    assert.equal(await status('PUT', made.name, { owner: 'bob@example.com' }, ann), 417);
    assert.equal((await site.did('GET', `Saved View/${made.name}`, undefined, ann)).owner, 'ann@example.com');
    assert.equal(await status('DELETE', made.name, undefined, ann), 202);
  });

  test('a view has a type, and the settings of that type', async () => {
    const settings = {
      groups: [{ field: 'title' }],
      measures: [{ of: 'sum', field: 'amount' }],
      chart: 'bar',
    };
    const made = await site.did('POST', 'Saved View', view({ type: 'Report', settings }), ann);
    assert.equal(made.type, 'Report');
    assert.deepEqual(JSON.parse(made.settings), settings);
    assert.equal((await site.did('POST', 'Saved View', view(), ann)).type, 'Table');
    for (const wrong of [{ type: 'Poster' }, { settings: [] }, { settings: { text: 'x'.repeat(17_000) } }]) {
      assert.equal((await site.ask('POST', 'Saved View', view(wrong), ann)).status, 417);
    }
  });

  test('who may share the documents, or manages the system, shares views of them', async () => {
    assert.equal((await site.ask('POST', 'Saved View', view({ is_shared: 1 }), ann)).status, 403);
    const shared = await site.did('POST', 'Saved View', view({ is_shared: 1 }), sharer);
    for (const as of [ann, bob, manager]) assert.ok((await seen(as)).includes(shared.name));
    assert.ok(!(await seen(outsider)).includes(shared.name));
    assert.equal(await status('GET', shared.name, undefined, outsider), 403);
    assert.equal(await status('PUT', shared.name, { label: 'x' }, ann), 403);
    assert.equal(await status('DELETE', shared.name, undefined, ann), 403);
    assert.equal(await status('PUT', shared.name, { label: 'x' }, manager), 200);
    assert.equal(await status('DELETE', shared.name, undefined, manager), 202);
    const own = await site.did('POST', 'Saved View', view(), bob);
    assert.equal(await status('PUT', own.name, { is_shared: 1 }, bob), 403);
  });

  test('there is one default for each owner, and one for everybody, which managers set', async () => {
    const isDefault = async (name: string) => (await site.did('GET', `Saved View/${name}`)).is_default;
    const [first, second] = [
      await site.did('POST', 'Saved View', view({ is_default: 1 }), ann),
      await site.did('POST', 'Saved View', view({ is_default: 1 }), ann),
    ];
    const others = await site.did('POST', 'Saved View', view({ is_default: 1 }), bob);
    assert.deepEqual(
      [await isDefault(first.name), await isDefault(second.name), await isDefault(others.name)],
      [0, 1, 1],
    );
    const all = { is_shared: 1, is_default: 1 };
    assert.equal((await site.ask('POST', 'Saved View', view(all), sharer)).status, 403);
    const forAll = await site.did('POST', 'Saved View', view(all), manager);
    const next = await site.did('POST', 'Saved View', view(all), manager);
    assert.deepEqual([await isDefault(forAll.name), await isDefault(next.name)], [0, 1]);
    assert.equal(await isDefault(second.name), 1);
  });

  test('nobody keeps a view of what they may not list, and nothing that a list would not take', async () => {
    const refused = async (body: object, as: string) =>
      (await site.ask('POST', 'Saved View', view(body), as)).status;
    assert.equal(await refused({}, outsider), 403);
    assert.equal(await refused({ reference_doctype: 'Webhook' }, ann), 403);
    assert.equal(await refused({ reference_doctype: 'Nowhere' }, ann), 404);
    assert.equal(await refused({ filters: 'x' }, ann), 417);
    assert.equal(await refused({ filters: '"x"' }, ann), 417);
    assert.equal(await refused({ columns: ['title'] }, ann), 417);
    assert.equal(await refused({ filters: [['title', '=', 'x'.repeat(17_000)]] }, ann), 417);
    assert.equal(await refused({ label: '' }, ann), 417);
    const guest = await site.request('GET', '/api/resource/Saved%20View', { as: null });
    assert.equal(guest.status, 403);
  });

  test('views go with their doctype, and private ones with their owner', async () => {
    await site.did('POST', 'DocType', {
      name: 'Short Lived',
      custom: 1,
      module: 'Test',
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
      permissions: [{ role: 'Dealer', read: 1 }],
    });
    const gone = await site.did('POST', 'Saved View', view({ reference_doctype: 'Short Lived' }), ann);
    await site.did('DELETE', 'DocType/Short Lived');
    assert.equal((await site.ask('GET', `Saved View/${gone.name}`)).status, 404);
    const cara = await site.createUser('cara@example.com', ['System Manager', 'Dealer']);
    const own = await site.did('POST', 'Saved View', view(), cara);
    const shared = await site.did('POST', 'Saved View', view({ is_shared: 1 }), cara);
    await site.did('DELETE', 'User/cara@example.com');
    assert.equal((await site.ask('GET', `Saved View/${own.name}`)).status, 404);
    assert.equal((await site.ask('GET', `Saved View/${shared.name}`)).status, 200);
  });

  test('a user has so many of one doctype', async () => {
    const many = await site.createUser('many@example.com', ['Dealer']);
    for (let index = 0; index < 100; index += 1) await site.did('POST', 'Saved View', view(), many);
    const { status: code, body } = await site.ask('POST', 'Saved View', view(), many);
    assert.deepEqual([code, body.exc_type], [417, 'ValidationError']);
  });
});
