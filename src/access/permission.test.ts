import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Connection } from '../db/database.ts';
import type { DocType, Document, Right } from '../doctype/doctype.ts';
import { parseDoctype } from '../doctype/parse-doctype.ts';
import { buildRegistry } from '../doctype/registry.ts';
import { ServiceError } from '../kernel/errors.ts';
import { readableFields, writableFields } from './field-level.ts';
import { judge } from './judge.ts';
import { allows, mayReadDoctypeRecord, requirePermission } from './permission.ts';
import { rowFilter } from './row-filter.ts';
import { ruleOf } from './row-rule.ts';
import { ADMINISTRATOR, type CurrentUser, currentUser, GUEST } from './user.ts';

const child = parseDoctype({
  name: 'Note Line',
  istable: 1,
  fields: [
    { fieldname: 'text', fieldtype: 'Data' },
    { fieldname: 'price', fieldtype: 'Currency', permlevel: 1 },
  ],
});
const note = parseDoctype({
  name: 'Note',
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'salary', fieldtype: 'Currency', permlevel: 1 },
    { fieldname: 'grade', fieldtype: 'Data', permlevel: 2 },
    { fieldname: 'lines', fieldtype: 'Table', options: 'Note Line', permlevel: 1 },
  ],
  permissions: [
    { role: 'Reader', read: 1 },
    { role: 'Writer', read: 1, write: 1, create: 1, if_owner: 1 },
    { role: 'Editor', read: 1, write: 1 },
    { role: 'Picker', select: 1 },
    { role: 'Payroll', read: 1, write: 1, permlevel: 1 },
    { role: 'Auditor', read: 1, permlevel: 1 },
    { role: 'Auditor', read: 1, permlevel: 0 },
    { role: 'Grader', read: 1, permlevel: 2, if_owner: 1 },
    { role: 'All', print: 1 },
    { role: 'Guest', email: 1 },
  ],
});
const closed = parseDoctype({ name: 'Closed', fields: [] });
const registry = buildRegistry([note, child, closed], 1);

function userWith(...roles: string[]) {
  return currentUser('me@example.com', roles);
}

const mine = { doctype: 'Note', name: 'mine', owner: 'me@example.com' } as Document;
const theirs = { doctype: 'Note', name: 'theirs', owner: 'you@example.com' } as Document;

async function allowsOn(user: CurrentUser, right: Right, doc: Document): Promise<boolean> {
  const rule = ruleOf(user, note, right, registry);
  return rule === null || (await judge(NO_DATABASE, rule, doc)).allowed;
}

/** Roles alone need none. */
const NO_DATABASE = {} as Connection;

describe('a right', () => {
  const cases: [roles: string[], right: Right, some: boolean, onMine: boolean, onTheirs: boolean][] = [
    [[], 'read', false, false, false],
    [['Reader'], 'read', true, true, true],
    [['Reader'], 'write', false, false, false],
    [['Writer'], 'read', true, true, false],
    [['Writer'], 'write', true, true, false],
    [['Writer'], 'create', true, true, false],
    [['Writer'], 'delete', false, false, false],
    [['Writer', 'Reader'], 'read', true, true, true],
    [['Writer', 'Reader'], 'write', true, true, false],
    [['Writer', 'Editor'], 'write', true, true, true],
    [['Picker'], 'select', true, true, true],
    [['Picker'], 'read', false, false, false],
    [['Reader'], 'select', true, true, true],
    [['Writer'], 'select', true, true, false],
    [['Payroll'], 'read', false, false, false],
    [['Auditor'], 'read', true, true, true],
    [['System Manager'], 'read', false, false, false],
    [[], 'print', true, true, true],
    [[], 'email', true, true, true],
  ];
  for (const [roles, right, some, onMine, onTheirs] of cases) {
    test(`${right} with ${roles.join(' and ') || 'no role'}: ${some}, ${onMine} on mine, ${onTheirs} on theirs`, async () => {
      const user = userWith(...roles);
      assert.deepEqual(
        [allows(user, note, right), await allowsOn(user, right, mine), await allowsOn(user, right, theirs)],
        [some, onMine, onTheirs],
      );
    });
  }

  test('of Administrator is every right on everything', () => {
    for (const doctype of [note, child, closed]) {
      assert.ok(allows(ADMINISTRATOR, doctype, 'delete'));
      assert.equal(rowFilter(ADMINISTRATOR, doctype, 'read', registry), null);
    }
  });

  test('of Guest is what the role Guest has', () => {
    assert.ok(allows(GUEST, note, 'email'));
    assert.ok(!allows(GUEST, note, 'print'));
  });

  test('on a child doctype comes from the parent; its list is open to System Managers', () => {
    const manager = userWith('System Manager');
    assert.ok(allows(manager, child, 'read'));
    for (const right of ['write', 'create', 'delete'] as const) assert.ok(!allows(manager, child, right));
    assert.ok(!allows(userWith('Reader', 'Editor'), child, 'read'));
  });

  test('follows changes of metadata and roles despite caching', () => {
    const user = userWith('Reader');
    assert.ok(allows(user, note, 'read'));
    assert.ok(!allows({ ...user, roles: new Set(['Other']) }, note, 'read'));
    const changed = { ...note, permissions: [] } satisfies DocType;
    assert.ok(!allows(user, changed, 'read'));
  });
});

test('a refusal has the same text for every document', () => {
  const refusals = ['Reader', 'Picker'].map((role) => {
    try {
      requirePermission(userWith(role), note, 'write');
    } catch (error) {
      assert.ok(error instanceof ServiceError);
      return `${error.status} ${error.message}`;
    }
    return 'allowed';
  });
  assert.deepEqual(new Set(refusals), new Set(['403 No permission to write Note']));
});

test('readers of documents may read their doctype, readers of a parent its child doctypes', () => {
  for (const role of ['Reader', 'Writer', 'Picker', 'System Manager']) {
    assert.ok(mayReadDoctypeRecord(userWith(role), note), role);
    assert.ok(mayReadDoctypeRecord(userWith(role), child, registry), role);
  }
  assert.ok(!mayReadDoctypeRecord(userWith('Payroll'), note));
  assert.ok(!mayReadDoctypeRecord(userWith(), child, registry));
  assert.ok(!mayReadDoctypeRecord(userWith('Reader'), child));
  assert.ok(!mayReadDoctypeRecord(userWith('Reader'), closed, registry));
});

describe('a field', () => {
  const names = (set: ReadonlySet<string> | 'all') =>
    set === 'all'
      ? 'all'
      : ['title', 'salary', 'grade', 'lines', 'text', 'price'].filter((name) => set.has(name)).join();

  test('is readable at level 0 and at levels that a role opens', () => {
    assert.equal(names(readableFields(userWith('Reader'), note)), 'title');
    assert.equal(names(readableFields(userWith('Payroll'), note)), 'title,salary,lines');
    assert.equal(names(readableFields(userWith('Reader', 'Grader'), note)), 'title');
    assert.equal(names(readableFields(ADMINISTRATOR, note)), 'all');
    assert.equal(names(readableFields(userWith(), closed)), 'all');
  });

  test('is writable by the same rule with the right to write', () => {
    assert.equal(names(writableFields(userWith('Auditor'), note)), 'title');
    assert.equal(names(writableFields(userWith('Payroll'), note)), 'title,salary,lines');
  });

  test('of a child follows the permissions of its parent', () => {
    assert.equal(names(readableFields(userWith('Reader'), child, note)), 'text');
    assert.equal(names(readableFields(userWith('Auditor'), child, note)), 'all');
    assert.equal(names(writableFields(userWith('Auditor'), child, note)), 'text');
  });

  test('of every document (a standard field) is never hidden', () => {
    const readable = readableFields(userWith('Reader'), note);
    assert.ok(readable !== 'all');
    for (const column of ['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx']) {
      assert.ok(readable.has(column), column);
    }
  });
});
