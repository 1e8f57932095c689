/** `chancery.restore_version`: what a version changed, put back by a save like any other. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

const METHOD = 'chancery.restore_version';

describeEither('restoring versions', historySite(), (site) => {
  let dealer: string;
  let viewer: string;
  let accountant: string;
  let outsider: string;
  before(async () => {
    dealer = await site.createUser('dealer@example.com', ['Dealer']);
    viewer = await site.createUser('viewer@example.com', ['Viewer']);
    accountant = await site.createUser('accountant@example.com', ['Accountant', 'Dealer']);
    outsider = await site.createUser('outsider@example.com', []);
  });

  /** Names of a document's versions, oldest first. */
  const versions = async (name: string, as?: string): Promise<string[]> =>
    (await site.rows('Version', { docname: name }, ['name'], as)).map((row) => row.name);

  test('only the fields that the version changed go back, and the save is a version too', async () => {
    await site.did('POST', 'Deal', { name: 'R1', title: 'One', amount: 1 }, dealer);
    await site.did('PUT', 'Deal/R1', { title: 'Two', note: 'added' }, dealer);
    await site.did('PUT', 'Deal/R1', { amount: 7 }, dealer);
    const [first] = await versions('R1');
    const told = await site.call(METHOD, { name: first }, dealer);
    assert.deepEqual(told, { doctype: 'Deal', name: 'R1', fields: { title: 'One', note: null }, notes: [] });
    const doc = await site.did('GET', 'Deal/R1', undefined, dealer);
    assert.deepEqual([doc.title, doc.note ?? null, doc.amount], ['One', null, 7]);
    assert.equal((await versions('R1')).length, 3);

    await site.call(METHOD, { name: first, to: 'after' }, dealer);
    assert.equal((await site.did('GET', 'Deal/R1')).title, 'Two');
  });

  test('a preview tells what would be set, and sets nothing', async () => {
    await site.did('POST', 'Deal', { name: 'R2', title: 'One' }, dealer);
    await site.did('PUT', 'Deal/R2', { title: 'Two' }, dealer);
    const [name] = await versions('R2');
    const { fields } = await site.call(METHOD, { name, preview: 1 }, viewer);
    assert.deepEqual(fields, { title: 'One' });
    assert.equal((await site.did('GET', 'Deal/R2')).title, 'Two');
  });

  test('rows come back, go again, and get their values, those that were not touched stay', async () => {
    const lines = ['A', 'B', 'C'].map((item, index) => ({ item, qty: index + 1 }));
    const doc = await site.did('POST', 'Deal', { name: 'R3', lines }, dealer);
    const [a, , c] = doc.lines;
    await site.did('PUT', 'Deal/R3', { lines: [{ ...a, qty: 10 }, c, { item: 'D', qty: 4 }] }, dealer);
    const shown = async () =>
      (await site.did('GET', 'Deal/R3')).lines.map((row: { item: string; qty: number }) => [
        row.item,
        row.qty,
      ]);
    const changed = [
      ['A', 10],
      ['C', 3],
      ['D', 4],
    ];
    assert.deepEqual(await shown(), changed);
    const [name] = await versions('R3', dealer);
    await site.call(METHOD, { name }, dealer);
    assert.deepEqual(await shown(), [
      ['A', 1],
      ['B', 2],
      ['C', 3],
    ]);
    assert.equal((await site.did('GET', 'Deal/R3')).lines[0].name, a.name);
    await site.call(METHOD, { name, to: 'after' }, dealer);
    // What came back is a new row to every version.
    assert.deepEqual((await shown()).sort(), [...changed, ['B', 2]].sort());
  });

  test('a row that is gone and a submission are told of, not guessed at', async () => {
    const doc = await site.did('POST', 'Deal', { name: 'R4', lines: [{ item: 'A', qty: 1 }] }, dealer);
    const [row] = doc.lines;
    await site.did('PUT', 'Deal/R4', { lines: [{ ...row, qty: 2 }] }, dealer);
    await site.did('PUT', 'Deal/R4', { lines: [] }, dealer);
    await site.did('PUT', 'Deal/R4', { docstatus: 1 }, dealer);
    const [rows, , submission] = await versions('R4');
    assert.match(
      (await site.call(METHOD, { name: rows, preview: 1 }, dealer)).notes[0],
      /not there any more/,
    );
    const told = await site.call(METHOD, { name: submission }, dealer);
    assert.deepEqual(told.fields, {});
    assert.match(told.notes[0], /Submitting and cancelling/);
  });

  test('it needs the right to write, and shows nobody what they may not see', async () => {
    await site.did('POST', 'Deal', { name: 'R5', title: 'One', margin: 1 });
    await site.did('PUT', 'Deal/R5', { title: 'Two' });
    await site.did('PUT', 'Deal/R5', { margin: 2 });
    const [open, secret] = await versions('R5');
    for (const [as, name] of [
      [viewer, open],
      [outsider, open],
      [dealer, secret],
    ]) {
      const reply = await site.rpc(METHOD, { name }, as);
      assert.equal(reply.status, 403, reply.text);
      assert.ok(!reply.text.includes('margin'));
    }
    await site.call(METHOD, { name: secret }, accountant);
    assert.equal((await site.did('GET', 'Deal/R5')).margin, 1);
    // As absent as what they may not see.
    assert.equal((await site.rpc(METHOD, { name: 'none' }, dealer)).status, 403);
    assert.equal((await site.rpc(METHOD, { name: 'none' })).status, 404);
  });

  test('a submitted document gives way only where it may change', async () => {
    await site.did('POST', 'Deal', { name: 'R6', title: 'One', note: 'a' }, dealer);
    await site.did('PUT', 'Deal/R6', { title: 'Two' }, dealer);
    await site.did('PUT', 'Deal/R6', { docstatus: 1 }, dealer);
    await site.did('PUT', 'Deal/R6', { note: 'b' }, dealer);
    const [title, , note] = await versions('R6');
    const refused = await site.rpc(METHOD, { name: title }, dealer);
    assert.equal(refused.body.exc_type, 'UpdateAfterSubmitError', refused.text);
    await site.call(METHOD, { name: note }, dealer);
    assert.equal((await site.did('GET', 'Deal/R6')).note, 'a');
  });
});
