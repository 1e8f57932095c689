import { defineController, ServiceError } from 'chancery';
import type { SalesInvoice, SalesInvoiceItem } from '../doctypes.d.ts';
import { invoiceTotals, LARGEST_TOTAL, problemOf } from './invoice-totals.ts';

export const salesInvoice = defineController<SalesInvoice>({
  validate(doc) {
    checkLines(doc.items);
    const totals = invoiceTotals(doc.items, doc.tax_rate);
    if (totals.grand > LARGEST_TOTAL) {
      throw new ServiceError('ValidationError', `Grand Total cannot be more than ${LARGEST_TOTAL}`);
    }
    for (const [index, item] of doc.items.entries()) item.amount = totals.amounts[index] ?? 0;
    doc.net_total = totals.net;
    doc.tax_amount = totals.tax;
    doc.grand_total = totals.grand;
    doc.status = 'Draft';
  },
  beforeSubmit(doc) {
    doc.status = 'Unpaid';
  },
  beforeCancel(doc) {
    doc.status = 'Cancelled';
  },
});

// That there are lines at all is for the doctype to require, together with its other mandatory fields.
function checkLines(items: readonly SalesInvoiceItem[]): void {
  const messages = items.flatMap((item, index) => {
    const problem = problemOf(item);
    return problem ? [`Row #${index + 1}: ${problem}`] : [];
  });
  const [first] = messages;
  if (first !== undefined) throw new ServiceError('ValidationError', first, { messages });
}
