import { isRecord } from '../kernel/value.ts';
import { type Customizations, mergeDefinition } from './merge-definition.ts';

/** A definition or one of its rows: JSON in the form of a DocType file. */
type Raw = Readonly<Record<string, unknown>>;

/** A document to write, so that a doctype becomes the wanted one. */
export interface DesignStep {
  readonly action: 'create' | 'update' | 'delete';
  readonly doctype: 'DocType' | 'Custom Field' | 'Property Setter' | 'Custom DocPerm';
  /** Null for a document that gets its name when it is created. */
  readonly name: string | null;
  /** The fields to write; {} for a deletion. */
  readonly fields: Raw;
}

/** A doctype as it is stored. */
export interface StoredDesign {
  readonly stored: Raw;
  readonly added: Customizations;
  /** A file of the server or of an app defines it, so that it is customized and never rewritten. */
  readonly isShipped: boolean;
  /** The fieldtype of a property, for Property Setters. */
  typeOf(of: 'DocType' | 'DocField', property: string): string;
}

/** A property of a shipped doctype that differs from what it was. */
export interface SetProperty {
  /** Null for a property of the doctype itself. */
  readonly fieldname: string | null;
  readonly property: string;
  readonly value: unknown;
}

export interface DesignDifference {
  readonly steps: readonly DesignStep[];
  /** The properties that Property Setters are to set. */
  readonly set: readonly SetProperty[];
  /** Fields of a shipped definition that are missing in the wanted one. */
  readonly missing: readonly string[];
}

/** Columns of rows, and what a client or this module adds to them. */
const NO_PROPERTY: ReadonlySet<string> = new Set([
  'name',
  'owner',
  'creation',
  'modified',
  'modified_by',
  'docstatus',
  'idx',
  'doctype',
  'parent',
  'parentfield',
  'parenttype',
  'app',
  'custom',
  'dt',
  'insert_after',
  'is_custom_field',
  'other_properties',
]);

/** Parts of a definition that are compared on their own, and Frappe's lists of places, which `fields` has. */
const PARTS: ReadonlySet<string> = new Set(['fields', 'permissions', 'field_order']);

/**
 * The documents to write so that the stored doctype becomes `wanted`: the DocType document of a doctype made at
 * run time, else Custom Fields, Property Setters and Custom DocPerms. Top-level properties that `wanted` omits
 * stay; rows of fields and permissions are complete.
 */
export function diffDefinition(design: StoredDesign, wanted: Raw): DesignDifference {
  const merged = mergeDefinition(design.stored, design.added);
  const fields = rowsIn(wanted['fields'] === undefined ? merged : wanted, 'fields');
  const custom = customFieldSteps(design, merged, fields);
  const own = ownFields(design, merged, fields);
  const changed = changedKeys(merged, { ...merged, ...wanted }).filter((key) => !PARTS.has(key));
  const set: SetProperty[] = [];
  const main: Record<string, unknown> = {};
  for (const property of changed) {
    const value = wanted[property] ?? null;
    if (design.isShipped) set.push({ fieldname: null, property, value });
    else main[property] = value;
  }
  if (design.isShipped) set.push(...own.set);
  else if (own.isChanged) main['fields'] = own.rows;
  set.push(...orderOf(design, own.rows, custom, fields));
  const permissions = permissionSteps(design, merged, wanted);
  if (permissions.own) main['permissions'] = permissions.own;
  const touched = design.isShipped ? [] : [...own.set, ...changed.map((property) => ({ property }))];
  return {
    steps: [
      ...custom.filter(({ action }) => action !== 'delete'),
      ...(Object.keys(main).length > 0 ? [update('DocType', design.stored['name'], main)] : []),
      ...setterSteps(design, set),
      ...touched.flatMap((one) => obsolete(design, one)),
      ...custom.filter(({ action }) => action === 'delete'),
      ...permissions.steps,
    ],
    set,
    missing: design.isShipped ? own.missing : [],
  };
}

/** The rows of a definition, by its key. */
export function rowsIn(definition: Raw, key: string): readonly Raw[] {
  const rows = definition[key];
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

/** A value as comparisons take it: all forms of unset are equal. */
export function comparable(value: unknown): string {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return '';
  if (value === true) return '1';
  if (typeof value !== 'object') return String(value);
  const text = JSON.stringify(value);
  return text === '[]' || text === '{}' ? '' : text;
}

/** True for a key that says something about a doctype or field, and not about its row in a table. */
export function isProperty(key: string): boolean {
  return !NO_PROPERTY.has(key) && !key.startsWith('_');
}

/** The properties in which two rows, or two definitions, differ. */
function changedKeys(before: Raw, after: Raw): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => isProperty(key) && comparable(before[key]) !== comparable(after[key]),
  );
}

function nameOf(row: Raw | undefined): string {
  return String(row?.['fieldname'] ?? '');
}

function byName(rows: readonly Raw[]): ReadonlyMap<string, Raw> {
  return new Map(rows.map((row) => [nameOf(row), row]));
}

function update(doctype: DesignStep['doctype'], name: unknown, fields: Raw): DesignStep {
  return { action: 'update', doctype, name: String(name), fields };
}

function remove(doctype: DesignStep['doctype'], name: unknown): DesignStep {
  return { action: 'delete', doctype, name: String(name), fields: {} };
}

function properties(row: Raw): Raw {
  return Object.fromEntries(Object.entries(row).filter(([key]) => isProperty(key)));
}

function customFieldSteps({ stored, added, isShipped }: StoredDesign, merged: Raw, fields: readonly Raw[]) {
  const own = byName(rowsIn(stored, 'fields'));
  const effective = rowsIn(merged, 'fields');
  const known = byName(effective);
  const documents = byName(added.fields);
  const before = new Map(effective.map((row, at) => [nameOf(row), nameOf(effective[at - 1])]));
  const steps: DesignStep[] = fields.flatMap((row, at): DesignStep[] => {
    const fieldname = nameOf(row);
    const place = nameOf(fields[at - 1]);
    const document = documents.get(fieldname);
    const isNew = isShipped && !own.has(fieldname) && !document;
    if (isNew) {
      const values = { ...properties(row), dt: stored['name'], insert_after: place };
      return [{ action: 'create', doctype: 'Custom Field', name: null, fields: values }];
    }
    if (!document) return [];
    const changed = changedKeys(known.get(fieldname) ?? {}, row);
    const values = Object.fromEntries(changed.map((key) => [key, row[key] ?? null]));
    const moved = before.get(fieldname) === place ? {} : { insert_after: place };
    const written = { ...values, ...moved };
    return Object.keys(written).length === 0 ? [] : [update('Custom Field', document['name'], written)];
  });
  const wanted = byName(fields);
  const gone = added.fields.filter((row) => !wanted.has(nameOf(row)));
  return [...steps, ...gone.map((row) => remove('Custom Field', row['name']))];
}

/** The rows of the definition itself as they are wanted, without custom fields. */
function ownFields({ stored, added, isShipped }: StoredDesign, merged: Raw, fields: readonly Raw[]) {
  const own = rowsIn(stored, 'fields');
  const storedRows = byName(own);
  const custom = byName(added.fields);
  const known = byName(rowsIn(merged, 'fields'));
  const set: SetProperty[] = [];
  const rows = fields.flatMap((row) => {
    const fieldname = nameOf(row);
    if (custom.has(fieldname)) return [];
    const before = storedRows.get(fieldname);
    if (!before || fieldname === '') return isShipped ? [] : [properties(row)];
    const changed = changedKeys(known.get(fieldname) ?? {}, row);
    set.push(...changed.map((property) => ({ fieldname, property, value: row[property] ?? null })));
    return [{ ...before, ...Object.fromEntries(changed.map((key) => [key, row[key] ?? null])) }];
  });
  const wanted = byName(fields);
  const missing = own.map(nameOf).filter((fieldname) => !wanted.has(fieldname));
  const isSame = rows.length === own.length && rows.every((row, at) => nameOf(row) === nameOf(own[at]));
  return { rows, set, missing, isChanged: !isSame || set.length > 0 };
}

// Own fields of a shipped doctype, and a custom field before the first one, move by the property field_order.
function orderOf(
  { stored, added, isShipped }: StoredDesign,
  own: readonly Raw[],
  steps: readonly DesignStep[],
  fields: readonly Raw[],
): SetProperty[] {
  const customs = added.fields.flatMap((row) => {
    const step = steps.find(({ doctype, name }) => doctype === 'Custom Field' && name === row['name']);
    return step?.action === 'delete' ? [] : [{ ...row, ...step?.fields }];
  });
  const created = steps.filter(({ action }) => action === 'create').map((step) => step.fields);
  const rows = isShipped ? rowsIn(stored, 'fields') : own;
  const placed = mergeDefinition(
    { fields: rows },
    { ...added, fields: [...customs, ...created], setters: [] },
  );
  const names = fields.map(nameOf);
  const isPlaced = rowsIn(placed, 'fields').map(nameOf).join('\n') === names.join('\n');
  const was = added.setters.find(isOf({ fieldname: null, property: 'field_order' }))?.['value'];
  const value = isPlaced ? null : JSON.stringify(names);
  return comparable(was) === comparable(value) ? [] : [{ fieldname: null, property: 'field_order', value }];
}

function isOf({ fieldname = null, property }: Partial<SetProperty>) {
  return (setter: Raw) =>
    setter['property'] === property &&
    (setter['doctype_or_field'] === 'DocType' ? fieldname === null : setter['field_name'] === fieldname);
}

function setterSteps(design: StoredDesign, set: readonly SetProperty[]): DesignStep[] {
  const { stored, added, typeOf } = design;
  const rows = byName(rowsIn(stored, 'fields'));
  return set.flatMap((one): DesignStep[] => {
    const { fieldname, property, value } = one;
    const setter = added.setters.find(isOf(one));
    const shipped = (fieldname === null ? stored : (rows.get(fieldname) ?? {}))[property];
    const isShippedValue = property === 'field_order' ? value === null : isSame(shipped, value);
    if (isShippedValue) return setter ? [remove('Property Setter', setter['name'])] : [];
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
    if (setter) return [update('Property Setter', setter['name'], { value: text })];
    const of = fieldname === null ? 'DocType' : 'DocField';
    const fields = {
      doctype_or_field: of,
      doc_type: stored['name'],
      ...(fieldname === null ? {} : { field_name: fieldname }),
      property,
      property_type: typeOf(of, property),
      value: text,
    };
    return [{ action: 'create', doctype: 'Property Setter', name: null, fields }];
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return comparable(one) === comparable(other);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

// Of a doctype that is not shipped: the definition has the value now.
function obsolete({ added }: StoredDesign, one: Partial<SetProperty>): DesignStep[] {
  const setter = added.setters.find(isOf(one));
  return setter ? [remove('Property Setter', setter['name'])] : [];
}

function permissionSteps({ stored, added, isShipped }: StoredDesign, merged: Raw, wanted: Raw) {
  const none = { own: null, steps: [] };
  if (wanted['permissions'] === undefined) return none;
  const [before, after] = [rowsIn(merged, 'permissions'), rowsIn(wanted, 'permissions')];
  if (isSameRows(before, after)) return none;
  if (!isShipped && added.permissions.length === 0) return { own: after.map(properties), steps: [] };
  if (isSameRows(rowsIn(stored, 'permissions'), after) && isShipped) {
    return { own: null, steps: added.permissions.map((row) => remove('Custom DocPerm', row['name'])) };
  }
  const left = new Map(added.permissions.map((row) => [keyOf(row), row]));
  const steps = after.flatMap((row): DesignStep[] => {
    const existing = left.get(keyOf(row));
    left.delete(keyOf(row));
    if (!existing) {
      const fields = { ...properties(row), parent: stored['name'] };
      return [{ action: 'create', doctype: 'Custom DocPerm', name: null, fields }];
    }
    const changed = changedKeys(existing, row);
    const values = Object.fromEntries(changed.map((key) => [key, row[key] ?? 0]));
    return changed.length === 0 ? [] : [update('Custom DocPerm', existing['name'], values)];
  });
  const gone = [...left.values()].map((row) => remove('Custom DocPerm', row['name']));
  return { own: null, steps: [...steps, ...gone] };
}

function keyOf(row: Raw): string {
  return JSON.stringify([row['role'], comparable(row['permlevel']), comparable(row['if_owner'])]);
}

function isSameRows(before: readonly Raw[], after: readonly Raw[]): boolean {
  return (
    before.length === after.length &&
    before.every((row, at) => changedKeys(row, after[at] ?? {}).length === 0)
  );
}
