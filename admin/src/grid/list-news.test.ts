import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent, NO_NEWS, withChanges, withCondition } from './list-news.ts';

const rows = (...given: readonly { name: string; status?: string; modified?: string }[]) =>
  new Map(given.map((row) => [row.name, row]));

test('a change that keeps the order is told nowhere', () => {
  const shown = rows({ name: 'a', status: 'Open' });
  const found = rows({ name: 'a', status: 'Closed' });
  assert.ok(isSilent(withChanges(NO_NEWS, ['a'], { found, shown, orderedBy: ['modified'] })));
});

test('new rows, and rows that would move or leave, are told until the list is loaded again', () => {
  const shown = rows({ name: 'a', modified: '1' }, { name: 'b', modified: '1' });
  const found = rows({ name: 'a', modified: '2' }, { name: 'c', modified: '2' });
  const news = withChanges(NO_NEWS, ['a', 'b', 'c', 'd'], { found, shown, orderedBy: ['modified'] });
  assert.deepEqual([[...news.added], [...news.moved], [...news.gone]], [['c'], ['a'], ['b']]);
  // What was new is deleted, and what was gone is back.
  const back = withChanges(news, ['b', 'c'], { found: rows({ name: 'b' }), shown, orderedBy: [] });
  assert.deepEqual([[...back.added], [...back.moved], [...back.gone]], [[], ['a'], []]);
});

test('one more condition joins those of a list, with words or without', () => {
  const one = ['name', 'in', ['a']] as const;
  assert.deepEqual(withCondition(undefined, one), [one]);
  assert.deepEqual(withCondition([['status', '=', 'Open']], one), [['status', '=', 'Open'], one]);
  const found = [['a', 'like', '%x%'], 'or', ['b', 'like', '%x%']] as never;
  assert.deepEqual(withCondition(found, one), [found, 'and', one]);
});
