import { t } from '../base/i18n.ts';
import type { ApiError, Problem } from '../data/api-error.ts';
import { isTable } from '../meta/fieldtypes.ts';
import type { Field, Meta, MetaBundle } from '../meta/meta.ts';
import type { FieldError } from './doc-errors.ts';
import { cellPath } from './doc-path.ts';

/** Errors from the server, split into field errors and errors of the whole document. */
export interface Bound {
  readonly fields: readonly FieldError[];
  readonly rest: readonly string[];
}

/**
 * Finds the field of each error: the field that the server names, or else the field whose label starts the
 * message.
 */
export function bindErrors(error: ApiError, bundle: MetaBundle): Bound {
  const fields: FieldError[] = [];
  const rest: string[] = [];
  for (const problem of error.problems) {
    const path = namedPath(problem, bundle) ?? readPath(problem.message, bundle);
    if (path === null) rest.push(problem.message);
    else fields.push({ path, message: shorter(problem.message) });
  }
  return { fields, rest };
}

// Beside the field, the message need not repeat its label.
function shorter(message: string): string {
  if (/^Error: .*Value missing for/.test(message)) return t('Enter a value');
  return message.startsWith('Error: Data missing in table') ? t('Add at least one row') : message;
}

function namedPath({ fieldname, table, row }: Problem, { meta }: MetaBundle): string | null {
  if (table !== undefined && row !== undefined) {
    if (!meta.fieldByName.has(table)) return null;
    return fieldname === undefined ? table : cellPath(table, row - 1, fieldname);
  }
  return fieldname !== undefined && (meta.fieldByName.has(fieldname) || fieldname === 'name')
    ? fieldname
    : null;
}

// "Error: Value missing for Task: Subject", "Row #2: Quantity must be …", "Error: Task Item Row #2: Value
// missing for: Item"
function readPath(message: string, { meta, children }: MetaBundle): string | null {
  const row = /(?:^|\s)Row #(\d+): (.*)$/s.exec(message);
  if (!row) return fieldIn(meta, message)?.fieldname ?? null;
  const [, number, text = ''] = row;
  for (const table of meta.fields.filter((field) => isTable(field.fieldtype))) {
    const child = children.get(table.options);
    const field = child && fieldIn(child, text);
    const isNamed = message.includes(`${table.options} Row #`) || !message.startsWith('Error: ');
    if (field && isNamed) return cellPath(table.fieldname, Number(number) - 1, field.fieldname);
  }
  return null;
}

function fieldIn(meta: Meta, text: string): Field | undefined {
  const missing = missingIn(text);
  const rest = (missing ?? text).trim();
  // The longest matching label wins: "Due Date" before "Due".
  return meta.fields
    .filter((field) => field.label !== '' && (missing === field.label || startsWithWord(rest, field.label)))
    .toSorted((one, other) => other.label.length - one.label.length)[0];
}

// The text after the colon: "Subject" in "Error: Value missing for Task: Subject".
function missingIn(text: string): string | undefined {
  const start = text.search(/Value missing for|Data missing in table: |Could not find: /);
  const colon = start < 0 ? -1 : text.indexOf(': ', start);
  return colon < 0 ? undefined : text.slice(colon + ': '.length);
}

function startsWithWord(text: string, word: string): boolean {
  return text.startsWith(word) && /^(?:[\s:,]|$)/.test(text.slice(word.length));
}
