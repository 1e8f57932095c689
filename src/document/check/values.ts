import { mayLearn } from '../../access/field-level.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change, Problem } from '../change.ts';
import { noteProblem } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { hasEarlyHooks } from '../controller.ts';
import { rowsOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { cleanTexts } from './html.ts';
import { placeOf } from './place.ts';
import { checkSize } from './size.ts';

/**
 * Checks that every value fits its field, and that text is safe to show as HTML. Converts values set by hooks
 * to their stored form, so that the reply, the events and the row agree. The error names all problems; the
 * first decides its type.
 */
export function checkValues(ctx: Context, change: Change): void {
  const { doctype, doc } = change;
  // A copy holds values that nobody sent and that were valid once.
  if (change.isCopy || hasEarlyHooks(ctx, doctype)) {
    coerceChanged(change, doctype, doc, change.before);
    for (const table of doctype.tables) {
      const child = ctx.doctypes.get(table.options);
      const stored = storedRows(change.before, table.fieldname);
      for (const row of rowsOf(doc, table.fieldname)) {
        coerceChanged(change, child, row, stored.get(row.name) ?? null);
      }
    }
  }
  cleanTexts(ctx, change);
  const [first] = change.problems;
  if (!first) {
    checkSize(change);
    return;
  }
  const messages = change.problems.map((problem) => messageOf(ctx, change, problem));
  const places = change.problems.map(({ holder, fieldname }) => placeOf(holder, fieldname));
  throw new ServiceError(first.error.type, messages[0] ?? first.error.message, { messages, places });
}

// Stored values that did not change are not checked: a field's rules may have become stricter since.
function coerceChanged(
  change: Change,
  doctype: DocType,
  holder: Document | ChildRow,
  stored: Document | ChildRow | null,
): void {
  for (const { fieldname, field } of layoutOf(doctype).fields) {
    if (stored && holder[fieldname] === stored[fieldname]) continue;
    try {
      holder[fieldname] = fieldtypeOf(field).coerce(holder[fieldname], field);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      noteProblem(change, { holder, fieldname, error, isSent: false });
    }
  }
}

function messageOf(ctx: Context, { doctype }: Change, { holder, fieldname, error, isSent }: Problem): string {
  const isRow = 'parentfield' in holder;
  const holding = ctx.doctypes.get(holder.doctype);
  const rowsOf = isRow ? { parent: doctype, table: String(holder.parentfield) } : undefined;
  // The user may not be allowed to see a value that a hook, a fetch or a copy set.
  const message =
    isSent || mayLearn(ctx.user, holding, fieldname, rowsOf)
      ? error.message
      : `The value of ${holding.fieldByName.get(fieldname)?.label ?? fieldname} does not fit its field`;
  return isRow ? `Row #${holder.idx}: ${message}` : message;
}
