import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Change } from '../change.ts';
import type { Context } from '../context.ts';
import { rowsOf } from '../document.ts';

interface Missing {
  readonly fieldname: string;
  readonly message: string;
}

/**
 * Every required field has a value; all that miss one are named together.
 * @throws ServiceError MandatoryError
 */
export function checkMandatory(ctx: Context, change: Change): void {
  const { doctype, doc } = change;
  const missing: Missing[] = [];
  for (const field of requiredFields(doctype)) {
    if (isProblem(change, doc, field)) continue;
    const value = doc[field.fieldname];
    if (Array.isArray(value) ? value.length > 0 : !isEmpty(value)) continue;
    const message = doctype.tables.includes(field)
      ? `Error: Data missing in table: ${field.label}`
      : `Error: Value missing for ${doctype.name}: ${field.label}`;
    missing.push({ fieldname: field.fieldname, message });
  }
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    const required = requiredFields(child);
    if (required.length === 0) continue;
    for (const row of rowsOf(doc, table.fieldname)) {
      for (const field of required) {
        if (!isEmpty(row[field.fieldname]) || isProblem(change, row, field)) continue;
        const message = `Error: ${child.name} Row #${row.idx}: Value missing for: ${field.label}`;
        missing.push({ fieldname: field.fieldname, message });
      }
      if (missing.length >= LIMITS.problemsNamed) break;
    }
  }
  if (missing.length === 0) return;
  const named = missing.slice(0, LIMITS.problemsNamed);
  throw new ServiceError(
    'MandatoryError',
    `[${doctype.name}, ${doc.name}]: ${named.map((one) => one.fieldname).join(', ')}`,
    { messages: named.map((one) => one.message), title: 'Missing Fields' },
  );
}

const required = new WeakMap<DocType, readonly DocField[]>();

function requiredFields(doctype: DocType): readonly DocField[] {
  let fields = required.get(doctype);
  if (!fields) {
    const stored = (field: DocField) =>
      doctype.columnByName.has(field.fieldname) || doctype.tables.includes(field);
    fields = doctype.fields.filter((field) => field.reqd && stored(field));
    required.set(doctype, fields);
  }
  return fields;
}

// A value that could not be read is wrong, not missing.
function isProblem(change: Change, holder: Document | ChildRow, field: DocField): boolean {
  return change.problems.some(
    (problem) => problem.holder === holder && problem.fieldname === field.fieldname,
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'string' && !showsSomething(value);
}

/**
 * True when text would show on a page: something other than whitespace outside tags, or an image. One pass, so that a
 * megabyte of `<` costs no more than a megabyte of text.
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
