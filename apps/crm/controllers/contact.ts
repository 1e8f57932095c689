import { defineController } from 'chancery';

interface Contact {
  first_name: string | null;
  last_name: string | null;
  full_name: string | null;
}

export const contact = defineController<Contact>({
  validate(doc) {
    doc.full_name = [doc.first_name, doc.last_name].filter(Boolean).join(' ').slice(0, 140).trim();
  },
});
