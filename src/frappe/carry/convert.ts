import type { DocColumn, DocField, DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { datetimeText } from '../../doctype/fieldtypes/date.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { memo } from '../../kernel/memo.ts';
import type { FieldValue } from '../../kernel/value.ts';
import type { SourceRecord } from '../../load/record.ts';
import type { Cell } from '../dump/source.ts';
import type { ScratchRow } from '../input/scratch.ts';
import type { LeftFields } from '../plan/own-doctypes.ts';
import { isBeyondDouble, isZeroDate } from '../plan/values.ts';
import { type Corrections, shortName } from './corrections.ts';
import { SEALED, type SourceSecrets } from './secrets.ts';
import type { Tally } from './tally.ts';

/** What the conversion of a row needs. */
export interface Conversion {
  readonly corrections: Corrections;
  readonly secrets: SourceSecrets;
  readonly tally: Tally;
  /** Fields that this site's own doctypes cannot hold. */
  readonly left: LeftFields;
}

/** Text fields of built-in doctypes that hold a doctype and the name of its document. */
const PAIRS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Comment: { reference_name: 'reference_doctype' },
  Version: { docname: 'ref_doctype' },
  'Deleted Document': { deleted_name: 'deleted_doctype' },
  File: { attached_to_name: 'attached_to_doctype' },
};

/** Password fields of User that are not secrets of the document: they come as credentials. */
const CREDENTIALS: ReadonlySet<string> = new Set(['new_password', 'api_secret', 'old_password']);

/** A document with the rows of its tables, as this server stores it. */
export function convertDocument(
  doctype: DocType,
  row: ScratchRow,
  conversion: Conversion,
  registry: DoctypeRegistry,
  rowsOf: (child: DocType, table: Pick<DocField, 'fieldname'>) => readonly ScratchRow[],
): SourceRecord {
  const key = String(row['name'] ?? doctype.name);
  const values = convertRow(doctype, row, conversion);
  const left = conversion.left.get(doctype.name);
  for (const { field: fieldname, reason, table } of left?.values() ?? []) {
    const child = table === null ? undefined : registry.find(table);
    if (child && rowsOf(child, { fieldname }).length > 0)
      conversion.tally.add(`rows left behind: ${reason}`, doctype.name, fieldname, key);
  }
  for (const table of doctype.tables) {
    if (left?.has(table.fieldname)) continue;
    const child = registry.find(table.options);
    const rows = child ? rowsOf(child, table).map((one) => convertRow(child, one, conversion)) : [];
    if (rows.length > 0) values[table.fieldname] = rows as unknown as FieldValue;
  }
  // Webhooks come disabled: their receivers still listen to the old site.
  if (doctype.name === 'Webhook') values['enabled'] = 0;
  return { doctype: doctype.name, key, values };
}

/** The values of a row as this server stores them, by column; unset ones are left out. */
function convertRow(doctype: DocType, row: ScratchRow, conversion: Conversion): Record<string, FieldValue> {
  const name = String(row['name'] ?? doctype.name);
  const values: Record<string, FieldValue> = {};
  const left = conversion.left.get(doctype.name);
  for (const { field, reason, table } of left?.values() ?? []) {
    if (table === null && !isUnset(row[field] ?? null))
      conversion.tally.add(`value left behind: ${reason}`, doctype.name, field, name);
  }
  for (const column of columnsOf(doctype)) {
    if (left?.has(column.fieldname)) continue;
    const cell = row[column.fieldname] ?? null;
    const value =
      column.field?.fieldtype === 'Password'
        ? secretOf(doctype, name, column.fieldname, conversion)
        : convertCell(doctype, name, column, cell, row, conversion);
    if (value !== null && value !== undefined) values[column.fieldname] = value;
  }
  if (!doctype.issingle) values['name'] = convertName(doctype, name, conversion);
  return values;
}

const columnsOf = memo((doctype: DocType): readonly DocColumn[] => [
  ...doctype.columns.filter(({ fieldname }) => !OWN.has(fieldname) && fieldname !== 'name'),
  ...sideColumnsOf(doctype),
]);

/** Columns that this server computes. */
const OWN: ReadonlySet<string> = new Set(['lft', 'rgt', 'old_parent', 'parent', 'parenttype', 'parentfield']);

/** Frappe stores 0 in numbers that nobody has entered. */
function isUnset(cell: Cell): boolean {
  return cell === null || cell.length === 0 || (typeof cell === 'string' && /^0(?:\.0*)?$/.test(cell));
}

function convertName(doctype: DocType, name: string, { tally }: Conversion): string {
  const short = shortName(name);
  if (short !== name.normalize('NFC')) tally.add('long name shortened', doctype.name, null, name);
  return short;
}

function secretOf(
  doctype: DocType,
  name: string,
  fieldname: string,
  { secrets, tally }: Conversion,
): string | null {
  if (doctype.name === 'User' && CREDENTIALS.has(fieldname)) return null;
  const secret = secrets.secret(doctype.name, name, fieldname);
  if (secret !== SEALED) return secret;
  tally.add('secret that the encryption key does not open', doctype.name, fieldname, name);
  return null;
}

function convertCell(
  doctype: DocType,
  name: string,
  { fieldname, kind, field }: DocColumn,
  cell: Cell,
  row: ScratchRow,
  { corrections, tally }: Conversion,
): FieldValue {
  if (cell === null) return null;
  const text = typeof cell === 'string' ? cell : cell.toString('utf8');
  if (kind !== 'text') {
    if (text === '') return null;
    if (isBeyondDouble(text)) tally.add('decimal beyond a double', doctype.name, fieldname, name);
    const value = kind === 'integer' || kind === 'real' ? Number(text) : text;
    if (isHeld(kind, field, value)) return value;
    const what = isZeroDate(text) ? 'date of zeros' : `value that the field cannot hold, left out`;
    tally.add(what, doctype.name, fieldname, name);
    return null;
  }
  // Unset values of a unique field must not be equal.
  if (text === '' && field?.unique) return null;
  const storable = text.includes('\0') ? text.replaceAll('\0', '') : text;
  if (storable !== text) tally.add('byte 0 taken out of a text', doctype.name, fieldname, name);
  const target = field && storable !== '' ? targetOf(doctype, fieldname, field, row) : null;
  if (target === null) return storable;
  const right = corrections.link(target, storable);
  if (right !== storable) tally.add('link mapped to the name of its document', doctype.name, fieldname, name);
  return right;
}

/** True when a number, date or time fits: MySQL has days without a month, and times of many days. */
function isHeld(kind: DocColumn['kind'], field: DocField | null, value: string | number): boolean {
  if (!field) return kind === 'datetime' ? datetimeText(String(value)) !== null : Number.isInteger(value);
  try {
    fieldtypeOf(field).coerce(value, field);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function targetOf(
  doctype: DocType,
  fieldname: string,
  { fieldtype, options }: { readonly fieldtype: string; readonly options: string },
  row: ScratchRow,
): string | null {
  const typeField = fieldtype === 'Dynamic Link' ? options : PAIRS[doctype.name]?.[fieldname];
  if (typeField !== undefined) return typeof row[typeField] === 'string' ? row[typeField] : null;
  return fieldtype === 'Link' ? options : null;
}
