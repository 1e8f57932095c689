import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holds, parseDependsOn } from '../../../src/kernel/expression/expression.ts';
import { FORM } from '../../../src/kernel/expression/vocabulary.ts';
import type { Boot } from '../data/boot.ts';
import {
  fieldsOf,
  isCollapsed,
  isMandatory,
  isReadOnly,
  isShown,
  problemOf,
  usesParent,
} from './depends-on.ts';
import { formBoot } from './form-boot.ts';
import { makeField } from './standard-fields.ts';

const field = (more: Parameters<typeof makeField>[0] extends infer F ? Partial<F> : never) =>
  makeField({ fieldname: 'note', fieldtype: 'Data', ...more });

describe('conditions of fields', () => {
  test('show and hide by an expression, or by whether a field is set', () => {
    const byExpression = field({ depends_on: 'eval:doc.status == "Open"' });
    assert.equal(isShown(byExpression, { doc: { status: 'Open' } }), true);
    assert.equal(isShown(byExpression, { doc: { status: 'Closed' } }), false);
    const byField = field({ depends_on: 'customer' });
    assert.equal(isShown(byField, { doc: { customer: 'A' } }), true);
    assert.equal(isShown(byField, { doc: {} }), false);
  });

  test('a condition of a row sees the document of the row', () => {
    const inRow = field({ depends_on: 'eval:parent.kind == "Big"' });
    assert.equal(isShown(inRow, { doc: {}, parent: { kind: 'Big' } }), true);
    assert.equal(usesParent(inRow.depends_on), true);
    assert.equal(usesParent(''), false);
  });

  test('an invalid condition hides and requires nothing, and is reported', () => {
    const strange = 'eval:frappe.user.has_role("X")';
    const odd = field({ depends_on: strange, mandatory_depends_on: strange, read_only_depends_on: strange });
    assert.equal(isShown(odd, { doc: {} }), true);
    assert.equal(isMandatory(odd, { doc: {} }), false);
    assert.equal(isReadOnly(odd, { doc: {} }), false);
    assert.notEqual(problemOf(strange), null);
    assert.equal(problemOf('customer'), null);
  });

  test('know the part of frappe.boot that the page knows', () => {
    const right = new Set(['read', 'create'] as const);
    const doctypes = new Map([['Song', { name: 'Song', rights: right }]]);
    const user = { name: 'a@b.c', roles: new Set(['Singer']), timeZone: '', language: 'de' };
    const boot = formBoot({ user, site: { timeZone: 'Europe/Berlin' }, doctypes } as unknown as Boot);
    const about = (source: string) => holds(parseDependsOn(source, FORM), { doc: {}, boot });
    for (const source of [
      'eval:frappe.boot.user.roles.includes("Singer") && !frappe.boot.user.roles.includes("Other")',
      'eval:frappe.boot.user.can_create.indexOf("Song") >= 0',
      'eval:frappe.boot?.user?.["name"] == "a@b.c" && frappe.boot.lang == "de"',
      'eval:frappe.boot.sysdefaults.time_zone == frappe.boot.time_zone.user',
      'eval:!frappe.boot.developer_mode && !frappe.boot.active_domains.includes("X")',
    ]) {
      assert.equal(about(source), true, source);
    }
    assert.equal(isShown(field({ depends_on: 'eval:frappe.boot.developer_mode' }), { doc: {} }), false);
    assert.equal(problemOf('eval:frappe.boot.developer_mode'), null);
    assert.notEqual(problemOf('eval:frappe.boots'), null);
  });

  test('conditions never run as code', () => {
    const hostile = field({ depends_on: 'eval:constructor.constructor("throw 1")()' });
    assert.equal(isShown(hostile, { doc: {} }), true);
  });

  test('name the fields they use', () => {
    assert.deepEqual(fieldsOf('eval:doc.a > 1 && doc.b'), ['a', 'b']);
    assert.deepEqual(fieldsOf(''), []);
  });

  test('a collapsible section starts collapsed unless its condition is true', () => {
    const section = field({ collapsible: true, collapsible_depends_on: 'customer' });
    assert.equal(isCollapsed(section, { doc: {} }), true);
    assert.equal(isCollapsed(section, { doc: { customer: 'A' } }), false);
    assert.equal(isCollapsed(field({ collapsible: false }), { doc: {} }), false);
  });
});
