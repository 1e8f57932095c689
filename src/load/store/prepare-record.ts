import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { datetimeText } from '../../doctype/fieldtypes/date.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import { checkName } from '../../document/check/name.ts';
import type { Context } from '../../document/contract.ts';
import { newDocument, newRow } from '../../document/document.ts';
import { layoutOf } from '../../document/layout.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { memo } from '../../kernel/memo.ts';
import { type Fields, type FieldValue, isRecord } from '../../kernel/value.ts';
import type { LoadProblem } from '../problems.ts';
import type { KeyedRecord } from '../record.ts';

/** A record in the form of a document: what is absent in it is absent in `given`, and unset in `doc`. */
export interface PreparedRecord {
  readonly record: KeyedRecord;
  readonly doctype: DocType;
  readonly doc: Document;
  /** The columns and tables that the record states. */
  readonly given: ReadonlySet<string>;
}

/** What a record lacks gets these values. */
export interface RecordDefaults {
  readonly user: string;
  /** Now, in the stored form. */
  readonly now: string;
}

/**
 * The document of a record, with its values in the stored form. It is as the record says: no defaults of fields, no
 * mandatory fields, no options. Problems name every value that its column cannot hold.
 */
export function prepareRecord(
  ctx: Context,
  doctype: DocType,
  record: KeyedRecord,
  defaults: RecordDefaults,
): PreparedRecord | readonly LoadProblem[] {
  const reader = new Reader(ctx, record, defaults);
  const { values } = record;
  const doc = newDocument(doctype);
  const given = new Set(Object.keys(values));
  doc.name = reader.nameOf(doctype, values['name']);
  reader.putStandard(doc, values, '');
  if (doctype.istable) reader.putPlace(doc, values);
  reader.putFields(doctype, doc, values, '');
  for (const { fieldname } of sideColumnsOf(doctype)) {
    const value = values[fieldname];
    if (typeof value === 'string' && value !== '') doc[fieldname] = value;
  }
  let rows = 0;
  for (const table of doctype.tables) {
    const read = reader.rowsOf(doctype, doc, table, values[table.fieldname]);
    doc[table.fieldname] = read;
    rows += read.length;
  }
  if (rows > LIMITS.childRows)
    reader.fault('', null, `A document cannot have more than ${LIMITS.childRows} rows`);
  return reader.problems.length > 0 ? reader.problems : { record, doctype, doc, given };
}

class Reader {
  readonly problems: LoadProblem[] = [];
  readonly #ctx: Context;
  readonly #record: KeyedRecord;
  readonly #defaults: RecordDefaults;

  constructor(ctx: Context, record: KeyedRecord, defaults: RecordDefaults) {
    this.#ctx = ctx;
    this.#record = record;
    this.#defaults = defaults;
  }

  fault(field: string, value: unknown, reason: string): void {
    this.problems.push(problemOf(this.#record, 'error', field, value, reason));
  }

  nameOf(doctype: DocType, value: unknown): string {
    if (doctype.issingle) return doctype.name;
    if (typeof value !== 'string' && typeof value !== 'number') {
      this.fault('name', value, 'The record has no name');
      return '';
    }
    if (doctype.istable) return this.rowName(value, 'name');
    try {
      return checkName(doctype, String(value));
    } catch (error) {
      this.fault('name', value, messageOf(error));
      return '';
    }
  }

  /** The name of a row of a child table: a new one if it has none. */
  rowName(value: unknown, field: string): string {
    if (value === undefined || value === null || value === '') return this.#ctx.site.random.hash(10);
    const name = String(value).normalize('NFC');
    if (isStorable(name) && name.length <= LIMITS.nameLength) return name;
    this.fault(field, value, `A name has at most ${LIMITS.nameLength} characters`);
    return '';
  }

  putStandard(holder: Document | ChildRow, values: Fields, place: string): void {
    const { now, user } = this.#defaults;
    holder.creation = this.#time(values['creation'], `${place}creation`) ?? now;
    holder.modified = this.#time(values['modified'], `${place}modified`) ?? holder.creation;
    holder.owner = this.#person(values['owner'], `${place}owner`) ?? user;
    holder.modified_by = this.#person(values['modified_by'], `${place}modified_by`) ?? holder.owner;
    holder.docstatus = this.#whole(values['docstatus'], `${place}docstatus`, 2);
    holder.idx = this.#whole(values['idx'], `${place}idx`, 2 ** 31 - 1);
  }

  putPlace(row: Document, values: Fields): void {
    for (const column of ['parent', 'parenttype', 'parentfield']) {
      const value = values[column];
      const text = typeof value === 'number' ? String(value) : value;
      if (typeof text === 'string' && text !== '') row[column] = text.normalize('NFC');
      else this.fault(column, value, `A row of ${row.doctype} needs ${column}`);
    }
  }

  putFields(doctype: DocType, holder: Document | ChildRow, values: Fields, place: string): void {
    for (const { fieldname, field } of layoutOf(doctype).fields) {
      // Only own properties: a field may be called `constructor`.
      const value = Object.hasOwn(values, fieldname) ? values[fieldname] : null;
      if (value === undefined || value === null) continue;
      try {
        holder[fieldname] = coerceLeniently(field, value);
      } catch (error) {
        this.fault(place + fieldname, value, messageOf(error));
      }
    }
  }

  rowsOf(doctype: DocType, doc: Document, table: DocField, value: unknown): ChildRow[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) {
      this.fault(table.fieldname, value, `Value for ${table.label} must be a list of rows`);
      return [];
    }
    const child = this.#ctx.doctypes.get(table.options);
    return value.flatMap((values: unknown, index) => {
      if (!isRecord(values)) {
        this.fault(table.fieldname, values, `${table.label} Row #${index + 1} must be an object`);
        return [];
      }
      return [this.#rowOf(doctype, doc, table, child, values, index)];
    });
  }

  #rowOf(
    doctype: DocType,
    doc: Document,
    table: DocField,
    child: DocType,
    values: Fields,
    index: number,
  ): ChildRow {
    const place = `${table.fieldname}.`;
    const row = newRow(child);
    row.name = this.rowName(values['name'], `${place}name`);
    this.putStandard(
      row,
      {
        creation: doc.creation,
        modified: doc.modified,
        owner: doc.owner,
        modified_by: doc.modified_by,
        docstatus: doc.docstatus,
        ...values,
      },
      place,
    );
    if (row.idx === 0) row.idx = index + 1;
    row.parent = doc.name;
    row.parenttype = doctype.name;
    row.parentfield = table.fieldname;
    this.putFields(child, row, values, place);
    return row;
  }

  #time(value: unknown, field: string): string | null {
    if (value === undefined || value === null || value === '') return null;
    const time = typeof value === 'string' ? datetimeText(value.trim()) : null;
    if (time === null) this.fault(field, value, 'It must be a date and time as YYYY-MM-DD HH:MM:SS');
    return time;
  }

  #person(value: unknown, field: string): string | null {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string' && isStorable(value) && value.length <= LIMITS.nameLength) {
      return value.normalize('NFC');
    }
    this.fault(field, value, 'It must be the name of a user');
    return null;
  }

  #whole(value: unknown, field: string, most: number): number {
    if (value === undefined || value === null || value === '') return 0;
    const number = Number(value);
    if (Number.isInteger(number) && number >= 0 && number <= most) return number;
    this.fault(field, value, `It must be a whole number from 0 to ${most}`);
    return 0;
  }
}

/** A problem of a record. */
export function problemOf(
  { doctype, key, row = 0 }: Pick<KeyedRecord, 'doctype' | 'key' | 'row'>,
  kind: LoadProblem['kind'],
  field: string,
  value: unknown,
  reason: string,
): LoadProblem {
  const shown =
    value === null || value === undefined
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  return { kind, doctype, key, row, field, value: shown, reason };
}

/** The message of an error that the record causes. @throws any other error */
function messageOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  throw error;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * The stored form of a value. Options and signs do not apply, because they may have changed since the document was
 * stored; but such a value must not look like HTML, which is cleaned only in fields without options.
 */
function coerceLeniently(field: DocField, value: unknown): FieldValue {
  const { lenient } = lenientField(field);
  if (lenient === null) return fieldtypeOf(field).coerce(value, field);
  try {
    return fieldtypeOf(field).coerce(value, field);
  } catch (error) {
    if (typeof value === 'string' && value.includes('<')) throw error;
    return fieldtypeOf(field).coerce(value, lenient);
  }
}

const lenientField = memo((field: DocField): { readonly lenient: DocField | null } => {
  const isFormat = field.fieldtype === 'Data' && !['', 'URL'].includes(field.options);
  const isLenient = field.fieldtype === 'Select' || isFormat || field.non_negative;
  const options = field.fieldtype === 'Select' || isFormat ? '' : field.options;
  return { lenient: isLenient ? Object.freeze({ ...field, options, non_negative: false }) : null };
});
