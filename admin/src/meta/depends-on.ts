import { type Expression, holds, parseDependsOn } from '../../../src/kernel/expression/expression.ts';
import { FORM } from '../../../src/kernel/expression/vocabulary.ts';
import { formBoot } from './form-boot.ts';
import type { Field } from './meta.ts';

/** The documents that the conditions of a field read. */
export interface DependsScope {
  /** The document, or the row where the field is one of a child table. */
  readonly doc: Readonly<Record<string, unknown>>;
  readonly parent?: Readonly<Record<string, unknown>>;
  readonly isNew?: boolean;
}

type Condition = { readonly expression: Expression } | { readonly problem: string };

const parsed = new Map<string, Condition>();

/** Whether the field is shown. A field with an invalid condition is shown: see `problemOf`. */
export function isShown(field: Field, scope: DependsScope): boolean {
  return !field.hidden && (field.depends_on === '' || answer(field.depends_on, scope, true));
}

/** Whether the field must have a value. */
export function isMandatory(field: Field, scope: DependsScope): boolean {
  return (
    field.reqd || (field.mandatory_depends_on !== '' && answer(field.mandatory_depends_on, scope, false))
  );
}

/**
 * Whether the field's own properties make it read-only. Permissions and document state are checked elsewhere.
 */
export function isReadOnly(field: Field, scope: DependsScope): boolean {
  return (
    field.read_only ||
    field.fieldtype === 'Read Only' ||
    (field.read_only_depends_on !== '' && answer(field.read_only_depends_on, scope, false))
  );
}

/** Whether a section is collapsed at first. */
export function isCollapsed(field: Field, scope: DependsScope): boolean {
  if (!field.collapsible) return false;
  return field.collapsible_depends_on === '' || !answer(field.collapsible_depends_on, scope, true);
}

/** Fields that a condition names: who watches these knows when to ask again. */
export function fieldsOf(source: string): readonly string[] {
  if (source === '') return [];
  const condition = read(source);
  return 'expression' in condition ? condition.expression.fields : [];
}

/** Whether a condition reads the parent document of a row. */
export function usesParent(source: string): boolean {
  const condition = source === '' ? null : read(source);
  return condition !== null && 'expression' in condition && condition.expression.usesParent;
}

/** Why a condition is not understood, to be told to who may mend it; null where all is well. */
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
    // Too much work for one evaluation: bounded, so that no form hangs.
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
