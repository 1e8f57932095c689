import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { mandatoryCondition } from '../../doctype/field-rules.ts';
import { type ErrorPlace, ServiceError } from '../../kernel/errors.ts';
import { type Expression, holds } from '../../kernel/expression/expression.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { memo } from '../../kernel/memo.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import type { Context } from '../contract.ts';
import { rowsOf } from '../document.ts';
import { placeOf } from './place.ts';

interface Missing {
  readonly fieldname: string;
  readonly message: string;
  readonly place: ErrorPlace;
}

/**
 * Checks that every required field has a value, `mandatory_depends_on` included; the error names all missing
 * ones.
 * @throws ServiceError MandatoryError, ValidationError when a condition takes too much work
 */
export function checkMandatory(ctx: Context, change: Change): void {
  const { doctype, doc } = change;
  const missing: Missing[] = [];
  const isNew = change.before === null;
  for (const { field, condition } of requiredFields(doctype)) {
    if (!isMissing(doc[field.fieldname], field, change.input, isNew && !change.isCopy)) continue;
    if (isProblem(change, doc, field) || (condition && !holds(condition, { doc, isNew }))) continue;
    const message = doctype.tables.includes(field)
      ? `Error: Data missing in table: ${field.label}`
      : `Error: Value missing for ${doctype.name}: ${field.label}`;
    missing.push({ fieldname: field.fieldname, message, place: placeOf(doc, field.fieldname) });
  }
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    const required = requiredFields(child, table);
    if (required.length === 0) continue;
    const inputs = rowInputs(change, table);
    for (const [index, row] of rowsOf(doc, table.fieldname).entries()) {
      for (const { field, condition } of required) {
        if (!isMissing(row[field.fieldname], field, inputs[index] ?? {}, index < inputs.length)) continue;
        if (isProblem(change, row, field)) continue;
        if (condition && !holds(condition, { doc: row, parent: doc, isNew })) continue;
        const message = `Error: ${child.name} Row #${row.idx}: Value missing for: ${field.label}`;
        missing.push({ fieldname: field.fieldname, message, place: placeOf(row, field.fieldname) });
      }
      if (missing.length >= LIMITS.problemsNamed) break;
    }
  }
  if (missing.length === 0) return;
  const named = missing.slice(0, LIMITS.problemsNamed);
  throw new ServiceError(
    'MandatoryError',
    `[${doctype.name}, ${doc.name}]: ${named.map((one) => one.fieldname).join(', ')}`,
    {
      messages: named.map((one) => one.message),
      places: named.map((one) => one.place),
      title: 'Missing Fields',
    },
  );
}

interface Required {
  readonly field: DocField;
  /** Null: always. */
  readonly condition: Expression | null;
}

/** The required fields of a doctype, or of the rows in a table. */
function requiredFields(doctype: DocType, table?: DocField): readonly Required[] {
  return table?.fieldtype === 'Table MultiSelect' ? requiredOfSelection(doctype) : requiredOf(doctype);
}

const requiredOf = memo((doctype: DocType) => findRequired(doctype, undefined));
// A row of a Table MultiSelect represents the document that it selects.
const requiredOfSelection = memo((doctype: DocType) => findRequired(doctype, doctype.links[0]));

function findRequired(doctype: DocType, selected: DocField | undefined): readonly Required[] {
  return doctype.fields.flatMap((field) => {
    if (!doctype.columnByName.has(field.fieldname) && !doctype.tables.includes(field)) return [];
    const isAlways = field.reqd || field === selected;
    const condition = isAlways ? null : mandatoryCondition(field);
    return isAlways || condition ? [{ field, condition }] : [];
  });
}

// An invalid value is not a missing one.
function isProblem(change: Change, holder: Document | ChildRow, field: DocField): boolean {
  return change.problems.some(
    (problem) => problem.holder === holder && problem.fieldname === field.fieldname,
  );
}

/** The sent rows of a table; none when the table was not sent, or when hooks added or removed rows. */
function rowInputs(change: Change, table: DocField): readonly Fields[] {
  const sent = change.input[table.fieldname];
  if (!Array.isArray(sent) || sent.length !== rowsOf(change.doc, table.fieldname).length) return [];
  return sent.map((row) => (isRecord(row) ? row : {}));
}

// A number is never empty, so it counts as given when it was sent or when the server sets it.
function isMissing(value: unknown, field: DocField, input: Fields, isNew: boolean): boolean {
  if (Array.isArray(value)) return value.length === 0;
  const isNumber = value === 0 && field.fieldtype !== 'Check';
  const isGiven = field.read_only || field.fetch_from !== '' || (field.default ?? '') !== '';
  if (!isNumber || isGiven) return isEmpty(value);
  const sent = Object.hasOwn(input, field.fieldname) ? input[field.fieldname] : undefined;
  return sent === undefined ? isNew : isEmpty(sent);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'string' && !showsSomething(value);
}

/**
 * True when the text shows anything on a page: text other than white space outside tags, or an image. A
 * single pass, so that a megabyte of `<` costs no more than a megabyte of text.
 */
function showsSomething(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('<', at);
    const close = open < 0 ? -1 : text.indexOf('>', open);
    if (close < 0) return text.slice(at).trim() !== '';
    if (text.slice(at, open).trim() !== '') return true;
    if (/^<(?:img|video|audio|iframe)\b/i.test(text.slice(open, open + 8))) return true;
    at = close + 1;
  }
  return false;
}
