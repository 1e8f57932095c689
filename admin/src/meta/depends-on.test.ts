import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  fieldsOf,
  isCollapsed,
  isMandatory,
  isReadOnly,
  isShown,
  problemOf,
  usesParent,
} from './depends-on.ts';
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
