import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Row } from '../../src/db/database.ts';
import { applyListQuery, selectColumns } from '../../src/query/apply-list-query.ts';
import { compileCount } from '../../src/query/compile-count.ts';
import { compileList } from '../../src/query/compile-list.ts';
import { parseListQuery } from '../../src/query/parse-list-query.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { inOrder, keeps } from '../support/evaluate.ts';
import { type Condition, columnOf, conditions, doctype, rows, scope, TODAY } from '../support/sample-doc.ts';
import { fill, openTables } from '../support/tables.ts';

function expected(
  all: readonly Row[],
  filters: readonly Condition[],
  orFilters: readonly Condition[],
): Row[] {
  const holds =
    (row: Row) =>
    ([field, operator, value]: Condition) =>
      keeps({ kind: columnOf(field).kind, value: row[field] ?? null }, operator, value, TODAY);
  return all.filter(
    (row) => filters.every(holds(row)) && (orFilters.length === 0 || orFilters.some(holds(row))),
  );
}

const namesOf = (some: readonly Row[]) => some.map((row) => row['name']);

const RUNS = 150;

describeEngines('filter', (engine) => {
  const tables = useStarted(() => openTables(engine, [doctype]));

  test('a list keeps exactly the rows that the rules keep, and a count counts them', async () => {
    const some = fc.array(conditions(), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(conditions(), { minLength: 1, maxLength: 3 }),
        some,
        async (all, filters, orFilters) => {
          const query = parseListQuery(
            doctype,
            { filters, or_filters: orFilters, order_by: 'name', limit: 0 },
            scope,
          );
          const found = await tables.database.transaction(async (connection) => {
            await fill(connection, doctype, all);
            const { dialect } = connection;
            const list = await connection.all(
              compileList(query, null, dialect, { output: 'rows', wholeSeconds: false }),
            );
            return { list, count: await connection.get(compileCount(query, null, dialect)) };
          });
          const names = expected(all, filters, orFilters).map((row) => row['name']);
          assert.deepEqual(namesOf(applyListQuery(query, all)), names);
          assert.deepEqual(
            found.list.map((row) => row['name']),
            names,
          );
          assert.equal(found.count?.['count'], names.length);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('one condition at a time: every operator on every column', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.array(conditions(), { minLength: 40, maxLength: 40 }), async (all, many) => {
        await tables.database.transaction(async (connection) => {
          await fill(connection, doctype, all);
          for (const condition of many) {
            const query = parseListQuery(
              doctype,
              { filters: [condition], order_by: 'name', limit: 0 },
              scope,
            );
            const list = await connection.all(
              compileList(query, null, connection.dialect, { output: 'rows', wholeSeconds: false }),
            );
            const names = expected(all, [condition], []).map((row) => row['name']);
            assert.deepEqual(namesOf(applyListQuery(query, all)), names, JSON.stringify(condition));
            assert.deepEqual(
              list.map((row) => row['name']),
              names,
              JSON.stringify(condition),
            );
          }
        });
      }),
      { numRuns: RUNS / 3 },
    );
  });

  test('rows come in the order of the terms, empty first, then by name', async () => {
    const term = fc.record({ column: fc.constantFrom(...doctype.columns), isDown: fc.boolean() });
    const terms = fc.array(
      term.filter(({ column }) => column.field?.fieldtype !== 'Password'),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(rows, terms, async (all, order) => {
        const order_by = order
          .map(({ column, isDown }) => `${column.fieldname} ${isDown ? 'desc' : 'asc'}`)
          .join(', ');
        const query = parseListQuery(doctype, { order_by, limit: 0 }, scope);
        const list = await tables.database.transaction(async (connection) => {
          await fill(connection, doctype, all);
          return connection.all(
            compileList(query, null, connection.dialect, { output: 'rows', wholeSeconds: false }),
          );
        });
        const last = { column: columnOf('name'), isDown: order.at(-1)?.isDown ?? false };
        const sorted = all.toSorted((a, b) => {
          for (const { column, isDown } of [...order, last]) {
            const compared = inOrder(a[column.fieldname] ?? null, b[column.fieldname] ?? null);
            if (compared !== 0) return isDown ? -compared : compared;
          }
          return 0;
        });
        assert.deepEqual(
          list.map((row) => row['name']),
          sorted.map((row) => row['name']),
        );
        assert.deepEqual(namesOf(applyListQuery(query, all)), namesOf(sorted));
      }),
      { numRuns: RUNS },
    );
  });

  test('JSON made by the database says what the rows say', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), async (all, wholeSeconds) => {
        const query = parseListQuery(doctype, { fields: '["*"]', order_by: 'name', limit: 0 }, scope);
        await tables.database.transaction(async (connection) => {
          await fill(connection, doctype, all);
          const { dialect } = connection;
          const list = await connection.all(
            compileList(query, null, dialect, { output: 'rows', wholeSeconds }),
          );
          const json = await connection.get(
            compileList(query, null, dialect, { output: 'json', wholeSeconds }),
          );
          assert.deepEqual(
            JSON.parse(String(json?.['json'])),
            list.map((row) => ({ ...row })),
          );
          assert.deepEqual(
            selectColumns(query, applyListQuery(query, all), wholeSeconds),
            list.map((row) => ({ ...row })),
          );
          if (!wholeSeconds)
            assert.deepEqual(
              list.map((row) => ({ ...row })),
              all,
            );
        });
      }),
      { numRuns: RUNS / 2 },
    );
  });
});
