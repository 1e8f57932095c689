/** Doctypes that between them have every feature the verbs care about. */
export const CUSTOMER = {
  name: 'Customer',
  autoname: 'field:customer_name',
  allow_rename: 1,
  fields: [
    { fieldname: 'customer_name', label: 'Customer Name', fieldtype: 'Data', reqd: 1 },
    { fieldname: 'email', label: 'Email', fieldtype: 'Data', unique: 1 },
    { fieldname: 'disabled', label: 'Disabled', fieldtype: 'Check' },
  ],
};

export const INVOICE_ITEM = {
  name: 'Invoice Item',
  istable: 1,
  fields: [
    { fieldname: 'item', label: 'Item', fieldtype: 'Data', reqd: 1 },
    { fieldname: 'qty', label: 'Quantity', fieldtype: 'Int', default: '1', non_negative: 1 },
    { fieldname: 'rate', label: 'Rate', fieldtype: 'Currency' },
    { fieldname: 'ship_to', label: 'Ship To', fieldtype: 'Link', options: 'Customer' },
    { fieldname: 'remark', label: 'Remark', fieldtype: 'Data', allow_on_submit: 1 },
  ],
};

export const INVOICE = {
  name: 'Invoice',
  autoname: 'naming_series:',
  is_submittable: 1,
  fields: [
    { fieldname: 'naming_series', label: 'Series', fieldtype: 'Select', options: 'INV-\nOLD-.YYYY.-' },
    { fieldname: 'customer', label: 'Customer', fieldtype: 'Link', options: 'Customer', reqd: 1 },
    { fieldname: 'status', label: 'Status', fieldtype: 'Select', options: 'Open\nPaid' },
    { fieldname: 'due', label: 'Due Date', fieldtype: 'Date', default: 'Today' },
    { fieldname: 'paid_at', label: 'Paid At', fieldtype: 'Datetime' },
    { fieldname: 'total', label: 'Total', fieldtype: 'Currency' },
    { fieldname: 'code', label: 'Code', fieldtype: 'Data', set_only_once: 1 },
    { fieldname: 'note', label: 'Note', fieldtype: 'Text', allow_on_submit: 1 },
    { fieldname: 'margin', label: 'Margin', fieldtype: 'Float', permlevel: 1 },
    { fieldname: 'items', label: 'Items', fieldtype: 'Table', options: 'Invoice Item', reqd: 1 },
  ],
};

export const PAYMENT = {
  name: 'Payment',
  is_submittable: 1,
  fields: [{ fieldname: 'invoice', label: 'Invoice', fieldtype: 'Link', options: 'Invoice' }],
};

export const MEMO = {
  name: 'Memo',
  autoname: 'Prompt',
  allow_rename: 1,
  fields: [
    { fieldname: 'about_type', label: 'About Type', fieldtype: 'Data' },
    { fieldname: 'about', label: 'About', fieldtype: 'Dynamic Link', options: 'about_type' },
    { fieldname: 'token', label: 'Token', fieldtype: 'Password' },
    { fieldname: 'author', label: 'Author', fieldtype: 'Data', default: '__user' },
  ],
};

export const PREFERENCES = {
  name: 'Preferences',
  issingle: 1,
  fields: [{ fieldname: 'color', label: 'Color', fieldtype: 'Data', default: 'blue' }],
};

export const DOCTYPES = [CUSTOMER, INVOICE_ITEM, INVOICE, PAYMENT, MEMO, PREFERENCES];
