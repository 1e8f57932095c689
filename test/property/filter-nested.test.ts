import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Row } from '../../src/db/database.ts';
import { compileList } from '../../src/query/compile-list.ts';
import { parseListQuery } from '../../src/query/parse-list-query.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { keeps } from '../support/evaluate.ts';
import { type Condition, columnOf, conditions, doctype, rows, scope, TODAY } from '../support/sample-doc.ts';
import { fill, openTables } from '../support/tables.ts';

// Conditions with words between them, and lists of them; a word takes everything before it.
type Nested = Condition | readonly (Nested | 'and' | 'or' | 'OR')[];
const nested: fc.Arbitrary<Nested> = fc.letrec<{ node: Nested; list: Nested }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, conditions(), tie('list')),
  list: fc
    .tuple(
      tie('node'),
      fc.array(fc.tuple(fc.constantFrom('and', 'or', 'OR'), tie('node')), { minLength: 1, maxLength: 3 }),
    )
    .map(([first, rest]) => [first, ...rest.flat()] as Nested),
})).list;

function holdsNested(row: Row, node: Nested): boolean {
  if (typeof node[0] === 'string') {
    const [field, operator, value] = node as Condition;
    return keeps({ kind: columnOf(field).kind, value: row[field] ?? null }, operator, value, TODAY);
  }
  const [first, ...rest] = node as readonly (Nested | string)[];
  let result = holdsNested(row, first as Nested);
  for (let at = 0; at < rest.length; at += 2) {
    const next = holdsNested(row, rest[at + 1] as Nested);
    result = String(rest[at]).toLowerCase() === 'and' ? result && next : result || next;
  }
  return result;
}

describeEngines('filter nested', (engine) => {
  const tables = useStarted(() => openTables(engine, [doctype]));

  test('conditions within conditions are taken from left to right', async () => {
    await fc.assert(
      fc.asyncProperty(rows, nested, async (all, filters) => {
        const query = parseListQuery(doctype, { filters, order_by: 'name', limit: 0 }, scope);
        const list = await tables.database.transaction(async (connection) => {
          await fill(connection, doctype, all);
          return connection.all(
            compileList(query, null, connection.dialect, { output: 'rows', wholeSeconds: false }),
          );
        });
        assert.deepEqual(
          list.map((row) => row['name']),
          all.filter((row) => holdsNested(row, filters)).map((row) => row['name']),
        );
      }),
      { numRuns: 150 },
    );
  });
});
