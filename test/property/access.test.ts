import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allows, roleReach } from '../../src/access/permission.ts';
import { rowFilter } from '../../src/access/row-filter.ts';
import { type CurrentUser, currentUser } from '../../src/access/user.ts';
import type { Row } from '../../src/db/database.ts';
import { type DocPerm, type DocType, RIGHTS, type Right } from '../../src/doctype/doctype.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import { compileCount } from '../../src/query/compile-count.ts';
import { compileList } from '../../src/query/compile-list.ts';
import { parseListQuery } from '../../src/query/parse-list-query.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { fill, openTables } from '../support/tables.ts';

const paper = parseDoctype({ name: 'Paper', fields: [{ fieldname: 'title', fieldtype: 'Data' }] });
const ROLES = ['Clerk', 'Chief', 'All', 'Guest', 'System Manager'];
const NAMES = ['Guest', 'a@example.com', 'b@example.com', "o'hara@example.com"];

const permission: fc.Arbitrary<DocPerm> = fc.record({
  role: fc.constantFrom(...ROLES),
  permlevel: fc.constantFrom(0, 0, 0, 1),
  if_owner: fc.boolean(),
  rights: fc
    .uniqueArray(fc.constantFrom<Right>('read', 'select', 'write', 'create'), { maxLength: 3 })
    .map((some) => new Set(some)),
});
const user = fc
  .tuple(fc.constantFrom(...NAMES), fc.subarray(ROLES.slice(0, 2)))
  .map(([name, roles]) => currentUser(name, roles));
const owners = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6 });

function allowsOn(one: CurrentUser, doctype: DocType, right: Right, owner: string): boolean {
  const { all, own } = roleReach(one, doctype, right);
  return all || (own && owner === one.name);
}

function rowsOwnedBy(names: readonly string[]): Row[] {
  return names.map((owner, index) => ({ name: `paper-${index}`, owner }));
}

test('more roles never take a right away', () => {
  fc.assert(
    fc.property(
      fc.array(permission, { maxLength: 6 }),
      user,
      fc.subarray(ROLES),
      fc.constantFrom(...RIGHTS),
      fc.constantFrom(...NAMES),
      (permissions, one, more, right, owner) => {
        const doctype = { ...paper, permissions };
        const richer = currentUser(one.name, [...one.roles, ...more]);
        if (allowsOn(one, doctype, right, owner)) assert.ok(allowsOn(richer, doctype, right, owner));
        if (allows(one, doctype, right)) assert.ok(allows(richer, doctype, right));
      },
    ),
    { numRuns: 2_000 },
  );
});

describeEitherEngine('access', (engine) => {
  const tables = useStarted(() => openTables(engine, [paper]));

  test('a list shows exactly the documents that may be read, whatever is filtered', async () => {
    const orFilters = fc.constantFrom(
      [],
      [['owner', '!=', '']],
      [
        ['name', 'like', '%'],
        ['owner', '=', 'a@example.com'],
      ],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(permission, { maxLength: 5 }),
        user,
        owners,
        orFilters,
        async (permissions, one, names, or_filters) => {
          const doctype: DocType = { ...paper, permissions };
          const rows = rowsOwnedBy(names);
          const readable = rows.filter((row) => allowsOn(one, doctype, 'read', String(row['owner'])));
          const scope = {
            registry: buildRegistry([doctype], 1),
            user: one,
            now: () => '2026-01-01 00:00:00.000000',
          };
          const query = parseListQuery(doctype, { or_filters, order_by: 'name' }, scope);
          const filter = rowFilter(one, doctype, 'read', scope.registry);
          await tables.database.transaction(async (connection) => {
            await fill(connection, doctype, rows);
            const { dialect } = connection;
            const listed = await connection.all(
              compileList(query, filter, dialect, { output: 'rows', wholeSeconds: true }),
            );
            const counted = await connection.get(compileCount(query, filter, dialect));
            assert.deepEqual(
              listed.map((row) => row['name']),
              readable.map((row) => row['name']),
            );
            assert.equal(counted?.['count'], readable.length);
          });
        },
      ),
      { numRuns: 200 },
    );
  });
});
