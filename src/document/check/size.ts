import type { Document } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import type { Change } from '../change.ts';
import { rowsOf } from '../document.ts';

/**
 * Limits the texts of a document and its rows, so that its JSON fits into a JavaScript string. A larger
 * stored document may still be saved if it does not grow.
 * @throws TooLarge
 */
export function checkSize(change: Change): void {
  const length = lengthOf(change, change.doc);
  if (length <= LIMITS.documentLength) return;
  if (change.before && length <= lengthOf(change, change.before)) return;
  throw new TooLarge(
    `The texts of a document and its rows may have at most ${LIMITS.documentLength} characters in total, not ${length}`,
  );
}

function lengthOf({ doctype }: Change, doc: Document): number {
  let length = textsOf(doc);
  for (const { fieldname } of doctype.tables) {
    for (const row of rowsOf(doc, fieldname)) length += textsOf(row);
  }
  return length;
}

function textsOf(holder: object): number {
  let length = 0;
  for (const value of Object.values(holder)) if (typeof value === 'string') length += value.length;
  return length;
}
