import type { ColumnKind } from '../../db/dialect.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { FieldValue } from '../../kernel/value.ts';
import type { DocField, Unset } from '../doctype.ts';

/** A fieldtype: how its values are stored, and which values it accepts. */
export interface FieldType {
  readonly name: string;
  /** The kind of the stored column; null when nothing is stored (layout, child tables). */
  readonly column: ColumnKind | null;
  /** The stored form of an unset value. */
  empty(field: DocField): Unset;
  /** Values have an order beyond that of text, for `<`, `>` and `between`. */
  readonly ordered: boolean;
  /** Values are text, so that `like` applies to the column itself. */
  readonly textual: boolean;
  /** A field may be `unique` and indexed, because its values are short enough for an index. */
  readonly allowsUnique: boolean;
  /**
   * The stored form of a value from the wire. Idempotent. Null and undefined become `empty`; so does '',
   * except in text.
   * @throws ServiceError naming the field's label
   */
  coerce(value: unknown, field: DocField): FieldValue;
  /**
   * The comparison value of a filter. It has the right type, but the field's length, options, format and
   * range do not apply, so that filters such as `Int > 1.5`, or a Select compared with a retired option, are
   * valid.
   * @throws ServiceError naming the field's label
   */
  coerceOperand(value: unknown, field: DocField): FieldValue;
}

/** What the fieldtypes that store text have in common. */
export const TEXTUAL = { column: 'text', empty: () => null, ordered: false, textual: true } as const;

/** Makes the refusal of a value: 417 with a sentence that begins with the field's label. */
export function refuse(field: DocField, problem: string): never {
  throw new ServiceError('ValidationError', `${labelOf(field)} ${problem}`);
}

/** The field's name for people. */
export function labelOf(field: DocField): string {
  return field.label || field.fieldname;
}

/** A value for a message: quoted, on one line, bounded. */
export function quote(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** Refuses lists and objects. */
export function refuseCompound(value: unknown, field: DocField): void {
  if (typeof value !== 'object' || value === null) return;
  const what = Array.isArray(value) ? 'a list' : 'an object';
  throw new ServiceError('ValidationError', `Value for ${labelOf(field)} cannot be ${what}`);
}
