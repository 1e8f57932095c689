import type { ColumnKind } from '../../db/dialect.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { FieldValue } from '../../kernel/value.ts';
import type { DocField } from '../doctype.ts';

/** What a fieldtype means: how its values are stored, and what may become one. */
export interface FieldType {
  readonly name: string;
  /** Kind of the stored column; null when nothing is stored (layout, child tables). */
  readonly column: ColumnKind | null;
  /** What unset is stored as. */
  readonly empty: null | 0;
  /** Values have an order: `<`, `>` and `between` mean something beyond the order of text. */
  readonly ordered: boolean;
  /** Values are text, so that `like` applies to the column itself. */
  readonly textual: boolean;
  /** A field may be `unique`, and indexed: its values are short enough for an index. */
  readonly allowsUnique: boolean;
  /**
   * A value from the wire as it is stored. Idempotent. Null and undefined become `empty`; '' too, except in text.
   * @throws ServiceError naming the field's label
   */
  coerce(value: unknown, field: DocField): FieldValue;
  /**
   * A filter's comparison value: the right type, but not held to the field's length, options, format or range, so
   * that `Int > 1.5` or a Select compared with a retired option are questions with an answer.
   * @throws ServiceError naming the field's label
   */
  coerceOperand(value: unknown, field: DocField): FieldValue;
}

/** Refuses a value: 417 with a sentence that begins with the field's label. */
export function refuse(field: DocField, problem: string): never {
  throw new ServiceError('ValidationError', `${labelOf(field)} ${problem}`);
}

/** What a person calls the field. */
export function labelOf(field: DocField): string {
  return field.label || field.fieldname;
}

/** A value for a message: quoted, on one line, bounded. */
export function quote(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** Refuses what cannot be a single value. */
export function refuseCompound(value: unknown, field: DocField): void {
  if (typeof value !== 'object' || value === null) return;
  const what = Array.isArray(value) ? 'a list' : 'an object';
  throw new ServiceError('ValidationError', `Value for ${labelOf(field)} cannot be ${what}`);
}
