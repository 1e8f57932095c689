import { defineController, ServiceError } from 'chancery';
import { invoiceTotals, LARGEST_TOTAL, problemOf } from './invoice-totals.ts';

interface Item {
  qty: number;
  rate: number;
  amount: number;
}

interface SalesInvoice {
  status: string | null;
  items: Item[];
  net_total: number;
  tax_rate: number;
  tax_amount: number;
  grand_total: number;
}

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
function checkLines(items: readonly Item[]): void {
  const messages = items.flatMap((item, index) => {
    const problem = problemOf(item);
    return problem ? [`Row #${index + 1}: ${problem}`] : [];
  });
  const [first] = messages;
  if (first !== undefined) throw new ServiceError('ValidationError', first, { messages });
}
