/** What PostgreSQL answers to those of several processes that create the same table or schema a moment later. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOnce } from '../../src/db/postgres/create-once.ts';
import { asPostgresAdmin } from '../support/postgres.ts';

for (const [code, isRefused] of [
  ['duplicate_schema', false],
  ['duplicate_table', false],
  ['duplicate_object', false],
  ['unique_violation', false],
  ['insufficient_privilege', true],
  ['disk_full', true],
] as const) {
  test(`${code} ${isRefused ? 'ends' : 'does not end'} a start`, () =>
    asPostgresAdmin(async (client) => {
      const created = createOnce(client, `do $$ begin raise exception using errcode = '${code}'; end $$`);
      if (isRefused) await assert.rejects(created, new RegExp(code));
      else await created;
    }));
}
