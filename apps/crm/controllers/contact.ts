import { defineController } from 'chancery';
import type { Contact } from '../doctypes.d.ts';

export const contact = defineController<Contact>({
  validate(doc) {
    doc.full_name = [doc.first_name, doc.last_name].filter(Boolean).join(' ').slice(0, 140).trim();
  },
});
