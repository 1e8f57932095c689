import type { ChildRow, Document } from '../doctype/doctype.ts';
import type { Change } from '../document/change.ts';
import { rowsOf } from '../document/document.ts';
import { isRecord } from '../kernel/value.ts';

/**
 * Keeps `true` and `false` as defaults of JSON fields. A default is text, where they would become 1 and 0.
 */
export function keepJsonDefaults({ doc, input }: Change): void {
  keep(doc, input);
  const sent = input['fields'];
  if (!Array.isArray(sent)) return;
  for (const [index, row] of rowsOf(doc, 'fields').entries()) keep(row, sent[index]);
}

function keep(field: Document | ChildRow, sent: unknown): void {
  if (field['fieldtype'] !== 'JSON' || !isRecord(sent)) return;
  if (typeof sent['default'] === 'boolean') field['default'] = String(sent['default']);
}
