/** `Dashboard`: cards of shared views, for the users of some roles. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

describeEither('dashboards', historySite(), (site) => {
  let dealer: string;
  let other: string;
  let manager: string;
  let report: string;
  let table: string;
  let own: string;
  before(async () => {
    await site.did('POST', 'Custom DocPerm', { parent: 'Deal', role: 'Dealer', read: 1, write: 1 });
    [dealer, other, manager] = await Promise.all([
      site.createUser('dealer@example.com', ['Dealer']),
      site.createUser('other@example.com', []),
      site.createUser('boss@example.com', ['System Manager', 'Dealer']),
    ]);
    const view = async (more: object): Promise<string> =>
      (await site.did('POST', 'Saved View', { label: 'Deals', reference_doctype: 'Deal', ...more })).name;
    report = await view({ type: 'Report', is_shared: 1, settings: { measures: [{ of: 'count' }] } });
    table = await view({ is_shared: 1 });
    own = await view({ type: 'Report' });
  });

  const make = (fields: object, as?: string) =>
    site.ask('POST', 'Dashboard', { label: 'Sales', cards: [{ view: report }], ...fields }, as);
  const seen = async (as: string): Promise<string[]> =>
    (await site.rows('Dashboard', {}, ['name'], as)).map((row) => row.name);

  test('the users of its roles see one; without roles, everybody does', async () => {
    const [forAll, forDealers] = [
      (await make({})).body.data.name,
      (await make({ roles: [{ role: 'Dealer' }] })).body.data.name,
    ];
    assert.deepEqual((await seen(dealer)).toSorted(), [forAll, forDealers].toSorted());
    assert.deepEqual(await seen(other), [forAll]);
    assert.equal((await seen(manager)).length, 2);
    const read = (name: string, as: string) => site.ask('GET', `Dashboard/${name}`, undefined, as);
    assert.equal((await read(forDealers, dealer)).status, 200);
    assert.equal((await read(forDealers, other)).status, 403);
    assert.equal((await read(forAll, other)).body.data.cards[0].view, report);
    // Cards lead to views, which everybody who may list the documents sees; nobody else does.
    const views = async (as: string) =>
      (await site.rows('Saved View', { name: report }, ['name'], as)).length;
    assert.deepEqual([await views(dealer), await views(other)], [1, 0]);
  });

  test('only System Managers change dashboards', async () => {
    const { name } = (await make({})).body.data;
    for (const as of [dealer, other]) {
      assert.equal((await make({}, as)).status, 403);
      assert.equal((await site.ask('PUT', `Dashboard/${name}`, { label: 'Mine' }, as)).status, 403);
      assert.equal((await site.ask('DELETE', `Dashboard/${name}`, undefined, as)).status, 403);
    }
    const cards = [
      { view: table, type: 'List', width: 'Full' },
      { view: report, type: 'Number', label: 'All deals' },
    ];
    const changed = await site.ask('PUT', `Dashboard/${name}`, { cards }, manager);
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(
      changed.body.data.cards.map((card: { type: string; width: string }) => [card.type, card.width]),
      [
        ['List', 'Full'],
        ['Number', 'Half'],
      ],
    );
  });

  test('cards show shared views: figures and charts of reports only', async () => {
    const refused = async (card: object, reason: RegExp) => {
      const { status, text } = await make({ cards: [{ view: report }, card] });
      assert.equal(status, 417, text);
      assert.match(text, reason);
    };
    await refused({ view: own }, /card 2 is private/);
    await refused({ view: table }, /card 2 is not a report/);
    await refused({ view: 'missing' }, /missing/);
    const many = Array.from({ length: LIMITS.dashboardCards + 1 }, () => ({ view: report }));
    const { status, text } = await make({ cards: many });
    assert.equal(status, 417);
    assert.match(text, /at most 24 cards; this one has 25/);
  });

  test('the view of a card cannot be deleted', async () => {
    await make({});
    assert.equal((await site.ask('DELETE', `Saved View/${report}`, undefined)).status, 417);
  });
});
