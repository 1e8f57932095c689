import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DeliveryFilters,
  filterCount,
  filtersOf,
  requestFilters,
  searchOf,
} from './delivery-filters.ts';

const NONE: DeliveryFilters = { status: [], http: null, webhook: '', document: '', span: null, attempts: 0 };
const ALL: DeliveryFilters = {
  status: ['Failed', 'Exhausted'],
  http: '5xx',
  webhook: 'crm, sync',
  document: 'INV-1',
  span: '24h',
  attempts: 3,
};
const NOW = Date.UTC(2026, 0, 2, 12);

test('the address preserves filters', () => {
  for (const filters of [NONE, ALL, { ...NONE, http: 'none' } as const, { ...ALL, span: null }])
    assert.deepEqual(filtersOf(searchOf(filters)), filters);
  assert.equal(filterCount(NONE), 0);
  assert.equal(filterCount(ALL), 6);
});

test('a hand-written address causes no error', () => {
  const written = {
    status: 'Failed,Nonsense,<b>',
    http: '9xx',
    span: 'toString',
    attempts: '-4',
    webhook: 7,
  };
  assert.deepEqual(filtersOf(written), { ...NONE, status: ['Failed'], webhook: '7' });
});

test('requests contain exactly the filters', () => {
  assert.deepEqual(requestFilters(NONE, NOW, 'UTC'), []);
  assert.deepEqual(requestFilters(ALL, NOW, 'Asia/Tokyo'), [
    ['webhook', '=', 'crm, sync'],
    ['status', 'in', ['Failed', 'Exhausted']],
    ['recovered', '=', 0],
    ['response_status', 'between', [500, 599]],
    ['reference_document', 'like', '%INV-1%'],
    ['creation', '>=', '2026-01-01 21:00:00'],
    ['attempt', '>=', 3],
  ]);
  assert.deepEqual(requestFilters({ ...NONE, http: 'none' }, NOW, 'UTC'), [
    ['response_status', '=', 0],
    ['attempt', '>', 0],
  ]);
});

test('recovered deliveries are not given up', () => {
  const asked = (...status: DeliveryFilters['status']) => requestFilters({ ...NONE, status }, NOW, 'UTC');
  assert.deepEqual(asked('Recovered'), [['recovered', '=', 1]]);
  assert.deepEqual(asked('Exhausted', 'Recovered'), [['status', 'in', ['Exhausted']]]);
  assert.deepEqual(asked('Delivered', 'Recovered'), [
    [['status', 'in', ['Delivered']], 'or', ['recovered', '=', 1]],
  ]);
});
