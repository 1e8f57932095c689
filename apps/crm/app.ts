import { defineApp } from 'chancery';
import { contact } from './controllers/contact.ts';
import { salesInvoice } from './controllers/sales-invoice.ts';
import { ticket } from './controllers/ticket.ts';
import { escalate } from './methods/escalate.ts';

export default defineApp({
  name: 'crm',
  doctypes: new URL('./doctypes/', import.meta.url),
  controllers: {
    Contact: contact,
    'Sales Invoice': salesInvoice,
    Ticket: ticket,
  },
  methods: {
    'crm.escalate': escalate,
  },
});
