/** A migration step that is not additive names the code that it needs, so that older nodes fence themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresDialect, renderPostgres } from '../../src/db/postgres/dialect.ts';
import { Sql } from '../../src/db/sql.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';

/** The steps before the first node that fences itself. An upgrade from there stops all nodes. */
const UNFENCED = 21;

/** The statements of a step that code which does not know it may not survive. */
function breaking(statements: readonly string[]): string[] {
  const created = new Set<string>();
  return statements.filter((statement) => {
    const text = statement.replaceAll(/\s+/g, ' ').trim().toLowerCase();
    const table = /^create (?:or replace )?(?:table|view) "([^"]+)"/.exec(text)?.[1];
    if (table !== undefined) {
      created.add(table);
      return false;
    }
    const [, unique, indexed] = /^create (unique )?index "\w+" on "(\w+)"/.exec(text) ?? [];
    if (indexed !== undefined) return unique !== undefined && !created.has(indexed);
    const [, , column] = /^alter table "(\w+)" add column (.*)$/.exec(text) ?? [];
    if (column !== undefined)
      return (
        / (?:unique|primary key|references|check)\b/.test(column) ||
        (/ not null/.test(column) && !/ default /.test(column))
      );
    return true;
  });
}

for (const [statement, isBreaking] of [
  ['create table "_new" ("id" bigint not null)', false],
  ['create view "Log of It" as select 1', false],
  // PostgreSQL refuses a replacement that lacks a column, or has one of another type.
  ['create or replace view "Log of It" as select 1', false],
  ['create index "_ix" on "_setting" ("value")', false],
  ['create unique index "_ix" on "_setting" ("value")', true],
  ['alter table "_reply" add column "rights" text', false],
  ['alter table "_reply" add column "n" bigint not null default 0', false],
  ['alter table "_reply" add column "n" bigint not null', true],
  ['alter table "_reply" add column "n" bigint unique', true],
  ['alter table "_reply" drop column "rights"', true],
  ['alter table "_reply" alter column "rights" type json', true],
  ['alter table "_reply" rename to "_answer"', true],
  ['drop table "_reply"', true],
  ['drop view "Webhook Request Log"', true],
  ['update "_reply" set "rights" = null', true],
  ['delete from "_reply"', true],
] as const) {
  test(`${isBreaking ? 'not ' : ''}additive: ${statement}`, () => {
    assert.equal(breaking([statement]).length, isBreaking ? 1 : 0);
  });
}

test('a unique index of a new table is additive', () => {
  assert.deepEqual(
    breaking(['create table "_new" ("id" bigint)', 'create unique index "_ix" on "_new" ("id")']),
    [],
  );
});

test('every step that is not additive raises `needs`, and no step needs one that comes later', () => {
  for (const [index, step] of SYSTEM_STEPS.entries()) {
    const { name, needs = 0 } = step;
    assert.ok(needs <= index + 1, `${name} needs a later step`);
    if (index < UNFENCED) continue;
    const texts = step
      .statements(postgresDialect('public'))
      .map((statement) => (statement instanceof Sql ? renderPostgres(statement).text : statement.text));
    const found = breaking(texts);
    assert.ok(
      found.length === 0 || needs > UNFENCED,
      `"${name}" is not additive (${found[0]}). Code that knows fewer steps may not run beside it: set \`needs\`. See docs/decisions/0131`,
    );
  }
});
