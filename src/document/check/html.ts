import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { labelOf } from '../../doctype/fieldtypes/fieldtype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../context.ts';
import { rowsOf } from '../document.ts';
import { noteProblem } from '../input.ts';
import { layoutOf } from '../layout.ts';
import { type HtmlBudget, type HtmlKind, htmlBudget, sanitiseHtml } from '../sanitise-html.ts';

/**
 * Texts that this change sets are safe to show as HTML. What a field is not for HTML at all (code, JSON, files), or says
 * `ignore_xss_filter`, is left alone.
 */
export function cleanTexts(ctx: Context, change: Change): void {
  const { doctype, doc, before } = change;
  const budget = htmlBudget();
  cleanHolder(change, doctype, doc, () => before, budget);
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    if (textsOf(child).length === 0) continue;
    let stored: Map<string, ChildRow> | null = null;
    for (const row of rowsOf(doc, table.fieldname)) {
      const storedRow = () => {
        stored ??= storedRows(before, table.fieldname);
        return stored.get(row.name) ?? null;
      };
      cleanHolder(change, child, row, storedRow, budget);
    }
  }
}

function cleanHolder(
  change: Change,
  doctype: DocType,
  holder: Document | ChildRow,
  stored: () => Document | ChildRow | null,
  budget: HtmlBudget,
): void {
  for (const { field, kind } of textsOf(doctype)) {
    const text = holder[field.fieldname];
    if (typeof text !== 'string' || !text.includes('<') || text === stored()?.[field.fieldname]) continue;
    try {
      const clean = sanitiseHtml(text, kind, budget);
      // Entities make a text longer, which must fit too.
      if (clean !== text) holder[field.fieldname] = fieldtypeOf(field).coerce(clean, field);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { fieldname } = field;
      noteProblem(change, { holder, fieldname, error: labelled(field, error), isSent: false });
    }
  }
}

function labelled(field: DocField, error: ServiceError): ServiceError {
  const label = labelOf(field);
  return error.message.startsWith(label) ? error : new ServiceError(error.type, `${label} ${error.message}`);
}

interface HtmlText {
  readonly field: DocField;
  readonly kind: HtmlKind;
}

const texts = new WeakMap<DocType, readonly HtmlText[]>();

function textsOf(doctype: DocType): readonly HtmlText[] {
  let found = texts.get(doctype);
  if (!found) {
    found = layoutOf(doctype).fields.flatMap(({ field }) => {
      const kind = KINDS.get(field.fieldtype);
      return kind && !field.ignore_xss_filter && !hasOwnRules(field) ? [{ field, kind }] : [];
    });
    texts.set(doctype, found);
  }
  return found;
}

// `Jane <jane@example.com>` is checked to be just that; a Select with options is one of them.
function hasOwnRules({ fieldtype, options }: DocField): boolean {
  return (fieldtype === 'Data' && options === 'Email') || (fieldtype === 'Select' && options.trim() !== '');
}

const KINDS: ReadonlyMap<string, HtmlKind> = new Map<string, HtmlKind>([
  ['Text Editor', 'rich'],
  ['HTML Editor', 'rich'],
  ['Markdown Editor', 'rich'],
  ['Data', 'plain'],
  ['Small Text', 'plain'],
  ['Text', 'plain'],
  ['Long Text', 'plain'],
  ['Read Only', 'plain'],
  ['Select', 'plain'],
  ['Autocomplete', 'plain'],
  ['Color', 'plain'],
  ['Icon', 'plain'],
  ['Signature', 'plain'],
]);
