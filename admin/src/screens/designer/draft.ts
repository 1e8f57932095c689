import { fieldnameFor } from './fieldname.ts';

/** JSON of a definition, or of one of its rows. */
export type Raw = Readonly<Record<string, unknown>>;

/** A field while it is designed. */
export interface DraftField {
  /** Identifies it on the screen; the fieldname of a new field may change with each key press. */
  readonly key: string;
  readonly values: Raw;
  /** Stored fields keep their fieldname. */
  readonly isStored: boolean;
  /** The user typed the fieldname, so that it does not follow the label. */
  readonly isNamed: boolean;
}

/** A doctype while it is designed. */
export interface Draft {
  /** All but fields and permissions. */
  readonly properties: Raw;
  readonly fields: readonly DraftField[];
  readonly permissions: readonly Raw[];
  /** New child doctypes, by name. */
  readonly children: Readonly<Record<string, readonly DraftField[]>>;
}

let keys = 0;

function draftField(values: Raw, isStored: boolean): DraftField {
  keys += 1;
  return { key: `f${keys}`, values, isStored, isNamed: isStored };
}

/** A definition as a draft. `isStored` is false for a doctype that does not exist yet. */
export function draftOf(definition: Raw, isStored: boolean): Draft {
  const { fields, permissions, doctype: _doctype, field_order: _order, ...properties } = definition;
  return {
    properties,
    fields: rowsOf(fields).map((row) => ({ ...draftField(row, isStored), isNamed: true })),
    permissions: rowsOf(permissions),
    children: {},
  };
}

/** The definition of a draft, as it is sent. */
export function definitionOf({ properties, fields, permissions }: Draft): Raw {
  return { ...properties, fields: fields.map(({ values }) => values), permissions };
}

/** The new child doctypes of a draft that a field still uses. */
export function childrenOf({ children, fields, properties }: Draft): readonly Raw[] {
  const used = new Set(fields.map(({ values }) => values['options']));
  return Object.entries(children)
    .filter(([name]) => used.has(name))
    .map(([name, rows]) => ({
      doctype: 'DocType',
      name,
      module: properties['module'] ?? 'Custom',
      istable: 1,
      editable_grid: 1,
      fields: rows.map(({ values }) => values),
    }));
}

function rowsOf(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.filter((row) => typeof row === 'object' && row !== null) : [];
}

export function textOf(values: Raw, property: string): string {
  const value = values[property];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function isOn(values: Raw, property: string): boolean {
  const value = values[property];
  return value === 1 || value === true || value === '1';
}

/** The values with a property set, or without it when the value is unset. */
export function withValue(values: Raw, property: string, value: unknown): Raw {
  const { [property]: _old, ...rest } = values;
  const isUnset = value === '' || value === null || value === undefined || value === 0 || value === false;
  return isUnset && !KEPT.has(property) ? rest : { ...values, [property]: isUnset ? 0 : value };
}

/** Flags that are on unless they are 0. */
const KEPT: ReadonlySet<string> = new Set(['allow_rename', 'editable_grid']);

/** True for the fieldtypes that begin a part of the form. */
export function isBreak(fieldtype: string): boolean {
  return ['Tab Break', 'Section Break', 'Column Break'].includes(fieldtype);
}

export function typeOf(field: DraftField): string {
  return textOf(field.values, 'fieldtype') || 'Data';
}

/** A new field of a type; layout fields need no label. */
export function newField(fields: readonly DraftField[], fieldtype: string, values: Raw = {}): DraftField {
  const fieldname = freeName(fields, textOf(values, 'label'), fieldtype);
  return draftField({ ...values, fieldname, fieldtype }, false);
}

function freeName(fields: readonly DraftField[], label: string, fieldtype: string, except?: string): string {
  const taken = new Set(
    fields.filter(({ key }) => key !== except).map(({ values }) => textOf(values, 'fieldname').toLowerCase()),
  );
  return fieldnameFor(label, fieldtype, (name) => taken.has(name));
}

/** The fields with one more at `at`. */
export function inserted(
  fields: readonly DraftField[],
  field: DraftField,
  at: number,
): readonly DraftField[] {
  return fields.toSpliced(at, 0, field);
}

/** Sets a property of a field. The fieldname of a new field follows its label, and its type until it has one. */
export function changed(
  fields: readonly DraftField[],
  key: string,
  property: string,
  value: unknown,
): readonly DraftField[] {
  return fields.map((field) => {
    if (field.key !== key) return field;
    const values = withValue(field.values, property, value);
    if (property === 'fieldname') return { ...field, values, isNamed: value !== '' };
    const follows = !field.isStored && !field.isNamed && (property === 'label' || property === 'fieldtype');
    if (!follows) return { ...field, values };
    const fieldname = freeName(fields, textOf(values, 'label'), textOf(values, 'fieldtype'), key);
    return { ...field, values: { ...values, fieldname } };
  });
}

/** The number of fields that move with the one at `at`: a break takes its part of the form along. */
export function lengthAt(fields: readonly DraftField[], at: number): number {
  const field = fields[at];
  const ends = field ? ENDS[typeOf(field)] : undefined;
  if (!ends) return 1;
  const next = fields.findIndex((one, index) => index > at && ends.includes(typeOf(one)));
  return (next < 0 ? fields.length : next) - at;
}

const ENDS: Readonly<Record<string, readonly string[]>> = {
  'Tab Break': ['Tab Break'],
  'Section Break': ['Tab Break', 'Section Break'],
  'Column Break': ['Tab Break', 'Section Break', 'Column Break'],
};

/** Moves a field, or a break with its part, before the field that is at `to`. */
export function moved(fields: readonly DraftField[], key: string, to: number): readonly DraftField[] {
  const at = fields.findIndex((one) => one.key === key);
  const length = at < 0 ? 0 : lengthAt(fields, at);
  if (length === 0 || (to >= at && to <= at + length)) return fields;
  const part = fields.slice(at, at + length);
  const rest = fields.toSpliced(at, length);
  return rest.toSpliced(to > at ? to - length : to, 0, ...part);
}

/** Moves a field one place back or forth; a break passes the whole part before or after it. */
export function stepped(fields: readonly DraftField[], key: string, by: -1 | 1): readonly DraftField[] {
  const at = fields.findIndex((one) => one.key === key);
  const field = fields[at];
  if (!field) return fields;
  const end = at + lengthAt(fields, at);
  if (!isBreak(typeOf(field))) return moved(fields, key, by < 0 ? Math.max(0, at - 1) : at + 2);
  const kind = typeOf(field);
  if (by > 0) return end >= fields.length ? fields : moved(fields, key, end + lengthAt(fields, end));
  const before = fields.findLastIndex((one, index) => index < at && typeOf(one) === kind);
  return moved(fields, key, Math.max(0, before));
}

/** Moves a field to the end of the column before or after its own. */
export function sidestepped(fields: readonly DraftField[], key: string, by: -1 | 1): readonly DraftField[] {
  const at = fields.findIndex((one) => one.key === key);
  const field = fields[at];
  if (!field || isBreak(typeOf(field))) return fields;
  if (by < 0) {
    const start = fields.findLastIndex((one, index) => index < at && isBreak(typeOf(one)));
    return start < 0 ? fields : moved(fields, key, start);
  }
  const next = fields.findIndex((one, index) => index > at && isBreak(typeOf(one)));
  return next < 0 ? fields : moved(fields, key, next + lengthOfColumn(fields, next));
}

function lengthOfColumn(fields: readonly DraftField[], at: number): number {
  const end = fields.findIndex((one, index) => index > at && isBreak(typeOf(one)));
  return (end < 0 ? fields.length : end) - at;
}

/** A copy of a field behind it. */
export function duplicated(fields: readonly DraftField[], key: string): readonly DraftField[] {
  const at = fields.findIndex((one) => one.key === key);
  const field = fields[at];
  if (!field) return fields;
  const { fieldname: _name, is_custom_field: _custom, ...values } = field.values;
  return inserted(fields, newField(fields, typeOf(field), values), at + 1);
}

/** Without a field. The fields of a removed break join the part before it. */
export function removed(fields: readonly DraftField[], key: string): readonly DraftField[] {
  return fields.filter((one) => one.key !== key);
}
