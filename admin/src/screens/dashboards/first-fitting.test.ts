import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingDashboards } from './first-fitting.ts';

const entry = (name: string, ...roles: string[]) => ({ name, label: name, position: 0, roles });

test('a user gets the dashboards of their roles and those for everybody, in their order', () => {
  const all = [entry('sales', 'Sales User'), entry('support', 'Support', 'Sales Manager'), entry('all')];
  const names = (...roles: string[]) => fittingDashboards(all, new Set(roles)).map(({ name }) => name);
  assert.deepEqual(names('Sales User'), ['sales', 'all']);
  assert.deepEqual(names('Sales Manager', 'Guest'), ['support', 'all']);
  assert.deepEqual(names(), ['all']);
});
