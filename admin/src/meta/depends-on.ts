import { type Expression, holds, parseDependsOn } from '../../../src/kernel/expression/expression.ts';
import { FORM } from '../../../src/kernel/expression/vocabulary.ts';
import { formBoot } from './form-boot.ts';
import type { Field } from './meta.ts';

/** The documents that the conditions of a field read. */
export interface DependsScope {
  /** The document, or the row for a field of a child table. */
  readonly doc: Readonly<Record<string, unknown>>;
  readonly parent?: Readonly<Record<string, unknown>>;
  readonly isNew?: boolean;
}

type Condition = { readonly expression: Expression } | { readonly problem: string };

const parsed = new Map<string, Condition>();

/** True if the field is visible. A field with an invalid condition is visible: see `problemOf`. */
export function isShown(field: Field, scope: DependsScope): boolean {
  return !field.hidden && (field.depends_on === '' || answer(field.depends_on, scope, true));
}

/** True if the field is mandatory. */
export function isMandatory(field: Field, scope: DependsScope): boolean {
  return (
    field.reqd || (field.mandatory_depends_on !== '' && answer(field.mandatory_depends_on, scope, false))
  );
}

/**
 * True if the field's own properties make it read-only. Permissions and document state are checked elsewhere.
 */
export function isReadOnly(field: Field, scope: DependsScope): boolean {
  return (
    field.read_only ||
    field.fieldtype === 'Read Only' ||
    (field.read_only_depends_on !== '' && answer(field.read_only_depends_on, scope, false))
  );
}

/** True if a section starts collapsed. */
export function isCollapsed(field: Field, scope: DependsScope): boolean {
  if (!field.collapsible) return false;
  return field.collapsible_depends_on === '' || !answer(field.collapsible_depends_on, scope, true);
}

/** The fields that a condition reads. Evaluate it again when one of them changes. */
export function fieldsOf(source: string): readonly string[] {
  if (source === '') return [];
  const condition = read(source);
  return 'expression' in condition ? condition.expression.fields : [];
}

/** True if a row's condition reads the parent document. */
export function usesParent(source: string): boolean {
  const condition = source === '' ? null : read(source);
  return condition !== null && 'expression' in condition && condition.expression.usesParent;
}

/** The error of an invalid condition, for the user who can fix it; null if it is valid. */
export function problemOf(source: string): string | null {
  if (source === '') return null;
  const condition = read(source);
  return 'problem' in condition ? condition.problem : null;
}

function answer(source: string, scope: DependsScope, otherwise: boolean): boolean {
  const condition = read(source);
  if ('problem' in condition) return otherwise;
  try {
    return holds(condition.expression, { ...scope, boot: formBoot() });
  } catch {
    // The evaluation exceeded its step limit, which protects the form from hanging.
    return otherwise;
  }
}

function read(source: string): Condition {
  let condition = parsed.get(source);
  if (!condition) {
    condition = parse(source);
    parsed.set(source, condition);
  }
  return condition;
}

function parse(source: string): Condition {
  try {
    return { expression: parseDependsOn(source, FORM) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
