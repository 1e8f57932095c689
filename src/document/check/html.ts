import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { labelOf } from '../../doctype/fieldtypes/fieldtype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { memo } from '../../kernel/memo.ts';
import { type Change, noteProblem, touchedTables } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { rowsOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { type HtmlBudget, type HtmlKind, htmlBudget, sanitiseHtml } from './sanitise-html.ts';

/**
 * Makes the texts of a change safe to show as HTML. Fields that are never shown as HTML (code, JSON, files)
 * and those with `ignore_xss_filter` stay unchanged. Returns the texts that changed.
 */
export function cleanTexts(ctx: Context, change: Change): readonly CleanedText[] {
  const { doctype, doc, before } = change;
  const cleaning: Cleaning = { budget: htmlBudget(), cleaned: [] };
  cleanHolder(change, doctype, doc, () => before, cleaning);
  for (const table of touchedTables(change)) {
    const child = ctx.doctypes.get(table.options);
    if (textsOf(child).length === 0) continue;
    let stored: Map<string, ChildRow> | null = null;
    for (const row of rowsOf(doc, table.fieldname)) {
      const storedRow = () => {
        stored ??= storedRows(before, table.fieldname);
        return stored.get(row.name) ?? null;
      };
      cleanHolder(change, child, row, storedRow, cleaning);
    }
  }
  return cleaning.cleaned;
}

/** A text that was not safe to show as HTML. */
export interface CleanedText {
  readonly holder: Document | ChildRow;
  readonly fieldname: string;
  /** As it was. */
  readonly text: string;
}

interface Cleaning {
  readonly budget: HtmlBudget;
  readonly cleaned: CleanedText[];
}

function cleanHolder(
  change: Change,
  doctype: DocType,
  holder: Document | ChildRow,
  stored: () => Document | ChildRow | null,
  { budget, cleaned }: Cleaning,
): void {
  for (const { field, kind } of textsOf(doctype)) {
    const text = holder[field.fieldname];
    if (typeof text !== 'string' || !text.includes('<') || text === stored()?.[field.fieldname]) continue;
    try {
      const clean = sanitiseHtml(text, kind, budget);
      // Entities make a text longer, and it must still fit.
      if (clean === text) continue;
      holder[field.fieldname] = fieldtypeOf(field).coerce(clean, field);
      cleaned.push({ holder, fieldname: field.fieldname, text });
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

const textsOf = memo((doctype: DocType): readonly HtmlText[] => {
  return layoutOf(doctype).fields.flatMap(({ field }) => {
    const kind = KINDS.get(field.fieldtype);
    return kind && !field.ignore_xss_filter && !hasOwnRules(field) ? [{ field, kind }] : [];
  });
});

// True for fields whose format has its own check: addresses such as `Jane <jane@example.com>`, and a Select
// with options.
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
