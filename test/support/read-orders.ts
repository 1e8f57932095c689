import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { type FormChoices, readHead, readRecords } from '../../src/exchange/file-form.ts';
import { Matcher } from '../../src/exchange/match-columns.ts';
import { targetsOf } from '../../src/exchange/targets.ts';

const data = (fieldname: string, label: string, more: object = {}) => ({
  fieldname,
  label,
  fieldtype: 'Data',
  ...more,
});
const typed = (fieldname: string, fieldtype: string, more: object = {}) => ({
  fieldname,
  label: fieldname,
  fieldtype,
  ...more,
});
const row = parseDoctype({
  name: 'Order Item',
  istable: 1,
  fields: [
    data('item_code', 'Item Code'),
    typed('qty', 'Float', { label: 'Quantity' }),
    typed('note', 'Data'),
  ],
});
const order = parseDoctype({
  name: 'Order',
  is_submittable: 1,
  fields: [
    data('customer', 'Customer Name'),
    data('email', 'E-mail', { options: 'Email' }),
    typed('day', 'Date', { label: 'Day' }),
    typed('at', 'Datetime', { label: 'At' }),
    typed('total', 'Currency', { label: 'Total' }),
    typed('count', 'Int', { label: 'Count' }),
    typed('paid', 'Check', { label: 'Paid' }),
    typed('naming_series', 'Select', { label: 'Series', options: 'ORD-.#' }),
    typed('state', 'Select', { label: 'State', options: 'Open\nDone' }),
    typed('span', 'Duration', { label: 'Span' }),
    typed('items', 'Table', { label: 'Items', options: 'Order Item' }),
    data('note', 'Note'),
    data('fixed', 'Fixed', { read_only: 1, enforce_on_server: 1 }),
  ],
});

/** The head of a file of orders, its documents and its bad cells. */
export async function readOrders(
  content: string | Buffer,
  {
    name = 'orders.csv',
    mapping = {},
    key = undefined as string | undefined,
    ...choices
  }: FormChoices & Extra = {},
) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  async function* open() {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
  }
  const targets = targetsOf(order, () => row);
  const matcher = new Matcher(targets, mapping);
  const head = await readHead(open, name, targets, matcher, choices);
  const records = [];
  for await (const one of readRecords(open, head.form, head.columns, matcher, key)) records.push(one);
  return {
    ...head,
    filled: head.columns.map(({ target }) => target?.key ?? null),
    records,
    values: records.map(({ values }) => values),
    bad: records.flatMap(({ bad }) => bad),
  };
}

interface Extra {
  readonly name?: string;
  readonly mapping?: Readonly<Record<string, unknown>>;
  readonly key?: string | undefined;
}
