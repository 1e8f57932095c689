import { defineController } from 'chancery';
import { type Resolution, resolvedOn } from './resolved-on.ts';

export const ticket = defineController<Resolution>({
  validate(doc, _ctx, { before }) {
    const stored = before && { status: textOf(before['status']), resolved_on: textOf(before['resolved_on']) };
    // `modified` is the moment of this change.
    doc.resolved_on = resolvedOn(doc.status, stored, doc.modified);
  },
});

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
