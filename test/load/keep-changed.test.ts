import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Applier } from '../../src/load/applier.ts';
import { contentHash } from '../../src/load/batches.ts';
import { deleteStored } from '../../src/load/store/delete-stored.ts';
import { storeApplier } from '../../src/load/store/store-applier.ts';
import { describeEither } from '../support/describe-site.ts';
import { newLoad, storeOptions } from '../support/load.ts';

const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const link = (fieldname: string) => ({ fieldname, fieldtype: 'Link', options: 'Kept Note' });
const DOCTYPES = [
  {
    ...{ name: 'Kept Note', autoname: 'prompt', permissions },
    fields: [{ fieldname: 'text', fieldtype: 'Data' }, link('next')],
  },
  { name: 'Kept Line', istable: 1, fields: [link('to')] },
  {
    ...{ name: 'Kept List', autoname: 'prompt', permissions },
    fields: [{ fieldname: 'lines', fieldtype: 'Table', options: 'Kept Line' }],
  },
];

describeEither('a load that is applied again', { doctypes: DOCTYPES }, (server) => {
  let [load, seq] = ['', 0];
  let applier: Applier;
  const apply = async (...documents: readonly Readonly<Record<string, string>>[]) => {
    const outcomes = await applier.apply(
      documents.map((values) => ({
        ...{ doctype: 'Kept Note', key: String(values['name']), values },
        hash: contentHash(JSON.stringify(values)),
      })),
    );
    return outcomes.map(({ action, problems: [problem] }) => (problem ? problem.reason : action));
  };
  const remove = (...keys: string[]) =>
    deleteStored(storeOptions(server.site), { load, hold: async () => {} }, 'Kept Note', keys);

  before(async () => {
    const options = storeOptions(server.site, { keepChanged: true });
    load = await newLoad(server.site, options);
    const next = () => (seq += 1);
    applier = storeApplier(options)({ load, hold: async () => {}, next, note: async () => {} });
    await server.make('Kept Note', { name: 'mine', text: 'made here' });
  });
  test('stores what changed in the source, and leaves what changed, went or was made here', async () => {
    const names = ['same', 'changed', 'gone', 'anew'];
    const texts = (text: string) => names.map((name) => ({ name, text }));
    assert.deepEqual(await apply(...texts('1')), Array(4).fill('inserted'));
    await server.did('PUT', 'Kept Note/changed', { text: 'here' });
    for (const name of ['gone', 'anew']) await server.did('DELETE', `Kept Note/${name}`);
    await server.make('Kept Note', { name: 'anew', text: 'made here' });
    assert.deepEqual(await apply(...texts('2'), { name: 'mine', text: '2' }), [
      'updated',
      'The document was changed here since it was loaded',
      'The document was deleted here since it was loaded',
      'The document was changed here since it was loaded',
      'A document of this name exists',
    ]);
    const list = await server.did('GET', 'Kept Note?fields=["name","text"]&order_by=name asc');
    assert.deepEqual(list, [
      { name: 'anew', text: 'made here' },
      { name: 'changed', text: 'here' },
      { name: 'mine', text: 'made here' },
      { name: 'same', text: '2' },
    ]);
    assert.deepEqual((await remove('anew')).kept, ['anew']);
  });

  test('deletes what its source deleted, and names what still links to it', async () => {
    await apply({ name: 'a', text: 'a' }, { name: 'b', next: 'a' }, { name: 'c' });
    await server.make('Kept List', { name: 'l', lines: [{ to: 'b' }, { to: 'a' }, { to: 'a' }] });
    await server.did('PUT', 'Kept Note/c', { text: 'here' });
    const { deleted, kept, referrers } = await remove('a', 'c', 'mine', 'unknown');
    assert.deepEqual([deleted, kept], [1, ['c']]);
    const named = Object.fromEntries(referrers);
    assert.deepEqual(named, { 'Kept List': ['l'], 'Kept Note': ['b'] });
    assert.deepEqual(await apply({ name: 'a', text: 'again' }), ['inserted']);
    assert.equal((await server.did('GET', 'Kept Note/a')).text, 'again');
    assert.equal((await server.did('GET', 'Kept Note/mine')).text, 'made here');
  });
});
