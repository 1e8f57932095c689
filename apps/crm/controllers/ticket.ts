import { defineController } from 'chancery';
import type { Ticket } from '../doctypes.d.ts';
import { resolvedOn } from './resolved-on.ts';

export const ticket = defineController<Ticket>({
  validate(doc, _ctx, { before }) {
    // `modified` is the moment of this change.
    doc.resolved_on = resolvedOn(doc.status, before, doc.modified);
  },
});
