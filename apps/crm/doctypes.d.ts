// Made by `chancery types` of the doctypes: change those, and run it again.
// Documents as hooks and verbs have them: every field is there, and one without a value is null, 0 or [].
import type { ChildFields, StandardFields } from 'chancery';

/** Appointment */
export interface Appointment extends StandardFields {
  doctype: 'Appointment';
  subject: string | null;
  kind: 'Meeting' | 'Call' | 'Visit' | 'Training' | '' | null;
  status: 'Planned' | 'Confirmed' | 'Done' | 'Cancelled' | '' | null;
  /** YYYY-MM-DD HH:MM:SS.ffffff */
  starts_on: string | null;
  /** YYYY-MM-DD HH:MM:SS.ffffff */
  ends_on: string | null;
  /** Name of a Customer. */
  customer: string | null;
  /** Name of a Contact. */
  contact: string | null;
  /** Name of a User. */
  assigned_to: string | null;
  notes: string | null;
}

/** Contact */
export interface Contact extends StandardFields {
  doctype: 'Contact';
  first_name: string | null;
  last_name: string | null;
  full_name: string | null;
  /** Name of a Customer. */
  customer: string | null;
  designation: string | null;
  is_primary_contact: 0 | 1;
  email_id: string | null;
  phone: string | null;
  mobile_no: string | null;
}

/** Customer */
export interface Customer extends StandardFields {
  doctype: 'Customer';
  customer_name: string | null;
  customer_type: 'Company' | 'Individual' | '' | null;
  industry: string | null;
  territory: string | null;
  image: string | null;
  email_id: string | null;
  phone: string | null;
  website: string | null;
  address: string | null;
  tax_id: string | null;
  currency: string | null;
  credit_limit: number;
  disabled: 0 | 1;
  notes: string | null;
}

/** Lead */
export interface Lead extends StandardFields {
  doctype: 'Lead';
  lead_name: string | null;
  company_name: string | null;
  status: 'Open' | 'Replied' | 'Qualified' | 'Converted' | 'Lost' | '' | null;
  source: 'Website' | 'Referral' | 'Event' | 'Campaign' | 'Cold Call' | '';
  expected_value: number;
  probability: number;
  email_id: string | null;
  phone: string | null;
  /** YYYY-MM-DD */
  next_contact_on: string | null;
  /** Name of a Customer. */
  customer: string | null;
  notes: string | null;
}

/** Sales Invoice */
export interface SalesInvoice extends StandardFields {
  doctype: 'Sales Invoice';
  naming_series: string | null;
  /** Name of a Customer. */
  customer: string | null;
  currency: string | null;
  /** YYYY-MM-DD */
  posting_date: string | null;
  /** YYYY-MM-DD */
  due_date: string | null;
  status: 'Draft' | 'Unpaid' | 'Cancelled' | '' | null;
  items: SalesInvoiceItem[];
  net_total: number;
  tax_rate: number;
  tax_amount: number;
  grand_total: number;
  remarks: string | null;
  /** Name of a Sales Invoice. */
  amended_from: string | null;
}

/** Sales Invoice Item */
export interface SalesInvoiceItem extends ChildFields {
  doctype: 'Sales Invoice Item';
  item_code: string | null;
  item_name: string | null;
  description: string | null;
  qty: number;
  rate: number;
  amount: number;
}

/** Ticket */
export interface Ticket extends StandardFields {
  doctype: 'Ticket';
  subject: string | null;
  status: 'Open' | 'Replied' | 'Resolved' | 'Closed' | '' | null;
  priority: 'Low' | 'Medium' | 'High' | 'Urgent' | '' | null;
  naming_series: string | null;
  description: string | null;
  raised_by: string | null;
  /** Name of a Customer. */
  customer: string | null;
  /** Name of a Contact. */
  contact: string | null;
  /** Name of a User. */
  assigned_to: string | null;
  resolution: string | null;
  /** YYYY-MM-DD HH:MM:SS.ffffff */
  resolved_on: string | null;
}

/** Documents by doctype, for `createClient<DocTypes>` of `chancery/client`. */
export interface DocTypes {
  Appointment: Appointment;
  Contact: Contact;
  Customer: Customer;
  Lead: Lead;
  'Sales Invoice': SalesInvoice;
  'Sales Invoice Item': SalesInvoiceItem;
  Ticket: Ticket;
}

/** Arguments by method, for `createClient<DocTypes, Methods>` of `chancery/client`. */
export interface Methods {
  'crm.escalate': { ticket: string };
}
