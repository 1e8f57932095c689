import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualify } from './qualify.ts';

/** Statements in which `@` marks the names that get the schema. */
const STATEMENTS = [
  'select "name" from @"Ticket" as "_t" where "_t"."name" = $1',
  'select 1 from @"A" "a" left join @"B" on "B"."x" = "a"."x" cross join @"C" c on true',
  'select "x", (select count(*) from @"B", @"C" b, @"D" where "B"."x" = 1) from @"A", lateral (select "y", "z" from @"E") as "e"',
  'select "a" from @"A" where "x" in ($1, $2) order by "b", "c" limit 1',
  'insert into @"A" ("name", "from") values ($1, $2) on conflict ("name") do update set "n" = "A"."n" + 1',
  'insert into @_plain (id, "user") select id, "x" from @_other returning id, "user"',
  'update @"A" set "x" = (select max("y") from @"B") where "name" = $1 returning "x", "y"',
  'update @"A" a set "x" = b."x" from @"B" b where a."name" = b."name"',
  'delete from only @"A" where "x" is distinct from "y" and "z" is not distinct from "u"',
  `select 'from "A"', "from", extract(epoch from "created"), trim(both from "t"), 'it''s from "B"' from @"A" for update of "A"`,
  'select "a" from @"A" for no key update',
  'select substring("a" from 2), count(*) filter (where "x" > 0) from pg_class, unnest($1) from_list, @"A"',
  'with "rows" ("a") as (select "a" from @"A" union all select "a" from "rows") select * from "rows", @"B"',
  'with q as (select * from json_to_recordset($1) as q("a" text)), "w" as materialized (update @"A" set "b" = 1 returning "b") select * from q join "w" on true',
  'create table @"A" ("on" text, "table" bigint, primary key ("on"))',
  'create table if not exists @"A" ("id" bigint)',
  'create unique index "ix" on @"A" ("x", "y") where "x" is not null',
  'create view @"V" as select "a" from @"A" a join @"B" on a."x" = "B"."x"',
  'alter table @"A" rename column "x" to "y"',
  'alter table @"A" alter column "x" set default 1, alter column "x" set not null',
  'drop index @"ix"',
  'drop view @"V"',
  'analyze @"A"',
  'lock table @"A" in access exclusive mode',
  'select * from "public"."A" join "public".verify(1) v on true join @"say ""x"" from" on true',
  'select current_setting($1) as "table", "view"."x" as "update" from @"view" where "index" = $2',
];

for (const marked of STATEMENTS) {
  test(`tables of: ${marked.slice(0, 70)}`, () => {
    const written = qualify(marked.replaceAll('@', ''), 'a"b');
    assert.equal(written, marked.replaceAll('@', '"a""b".'));
  });
}

test('a block of code is left as it is', () => {
  const block = 'do $$begin delete from "A"; end$$';
  assert.equal(qualify(block, 'x'), block);
});

test('the current schema is that of the site', () => {
  assert.equal(
    qualify("select hashtext(current_schema() || ' x')", "a'b"),
    "select hashtext('a''b'::name || ' x')",
  );
});
