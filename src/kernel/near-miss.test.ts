import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearMiss } from './near-miss.ts';

const KNOWN = [
  'read',
  'write',
  'report',
  'validate',
  'onUpdate',
  'set_only_once',
  'port',
  'permissions',
  'permlevel',
];

for (const [name, meant] of [
  ['raed', 'read'],
  ['reads', 'read'],
  ['rad', 'read'],
  ['Read', 'read'],
  ['wrote', 'write'],
  ['vaildate', 'validate'],
  ['on_update', 'onUpdate'],
  ['onupdate', 'onUpdate'],
  ['setOnlyOnce', 'set_only_once'],
  ['permisions', 'permissions'],
  ['premissoins', 'permissions'],
  ['permlvl', 'permlevel'],
  ['read', undefined],
  ['port', undefined],
  ['raided', undefined],
  ['engine', undefined],
  ['', undefined],
] as const) {
  test(`${JSON.stringify(name)} is taken for ${meant ?? 'no known name'}`, () => {
    assert.equal(nearMiss(name, KNOWN), meant);
  });
}
