import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIELDTYPES } from './fieldtypes/fieldtypes.ts';
import { parseDoctype } from './parse-doctype.ts';
import { renderTypes } from './render-types.ts';

const field = (fieldname: string, fieldtype: string, more: object = {}) => ({
  fieldname,
  fieldtype,
  ...more,
});

function doctype(name: string, fields: object[], more: object = {}) {
  return parseDoctype({ name, module: 'Test', fields, ...more });
}

test('the name of a numbered doctype is the text of a number', () => {
  const text = renderTypes([
    doctype('Job', [], { autoname: 'autoincrement' }),
    doctype('Row', [], { istable: 1, autoname: 'autoincrement' }),
  ]);
  assert.match(text, /interface Job .*\n {2}doctype: 'Job';\n.*\n {2}name: `\$\{bigint\}`;\n/);
  assert.equal(text.split('name: `').length, 2);
});

test('a doctype becomes an interface with its data fields, without layout', () => {
  const order = doctype('Sales Order', [
    field('title', 'Data', { reqd: 1 }),
    field('section', 'Section Break', { label: 'S' }),
    field('paid', 'Check'),
    field('rate', 'Currency'),
    field('due', 'Date'),
    field('status', 'Select', { options: '\nOpen\nIt\'s "done"\nOpen' }),
    field('stage', 'Select', { options: 'New\nOld' }),
    field('took', 'Duration'),
    field('free', 'Select'),
    field('naming_series', 'Select', { options: 'SO-.####' }),
    field('customer', 'Link', { options: 'Customer' }),
    field('lines', 'Table', { options: 'Order Line' }),
    field('others', 'Table', { options: 'Elsewhere' }),
    field('margin', 'Float', { is_virtual: 1 }),
  ]);
  const line = doctype('Order Line', [field('qty', 'Int')], { istable: 1 });
  const text = renderTypes([order, line]);
  assert.ok(text.includes("import type { ChildFields, StandardFields } from 'chancery';"));
  assert.ok(text.indexOf('interface OrderLine') < text.indexOf('interface SalesOrder'), 'by name');
  assert.equal(
    text.slice(text.indexOf('/** Sales Order */')),
    `/** Sales Order */
export interface SalesOrder extends StandardFields {
  doctype: 'Sales Order';
  title: string | null;
  paid: 0 | 1;
  rate: number;
  /** YYYY-MM-DD */
  due: string | null;
  status: 'Open' | 'It\\'s "done"' | '';
  stage: 'New' | 'Old' | '' | null;
  took: number | null;
  free: string | null;
  naming_series: string | null;
  /** Name of a Customer. */
  customer: string | null;
  lines: OrderLine[];
  others: ChildFields[];
  margin?: number | null;
}

/** Documents by doctype, for \`createClient<DocTypes>\` of \`chancery/client\`. */
export interface DocTypes {
  'Order Line': OrderLine;
  'Sales Order': SalesOrder;
}
`,
  );
});

test('every fieldtype has a type or no value', () => {
  for (const fieldtype of FIELDTYPES.values()) {
    const options = { 'Dynamic Link': 'kind', Link: 'Thing', Table: 'Thing', 'Table MultiSelect': 'Thing' };
    const more = { options: Object.entries(options).find(([name]) => name === fieldtype.name)?.[1] ?? '' };
    const fields = [field('kind', 'Data'), field('a', fieldtype.name, { ...more, label: 'A' })];
    const text = renderTypes([doctype('Thing', fields)]);
    const shown = /\n {2}a: (.*);/.exec(text)?.[1];
    const isTable = fieldtype.name.startsWith('Table');
    if (isTable) assert.equal(shown, 'Thing[]');
    else if (fieldtype.column === null) assert.equal(shown, undefined, fieldtype.name);
    else assert.match(shown ?? '', /^(string \| null|number( \| null)?|0 \| 1)$/, fieldtype.name);
  }
});

test('names of interfaces are unique and differ from imports', () => {
  const names = ['Sales Order', 'Sales-Order', 'SalesOrder2', 'salesorder', 'Standard Fields', 'x'];
  const text = renderTypes(names.map((name) => doctype(name, [field('a', 'Data')])));
  const made = [...text.matchAll(/export interface (\w+)/g)].map(([, name]) => name);
  assert.deepEqual(made.slice(0, -1), [
    'SalesOrder',
    'SalesOrder2',
    'SalesOrder22',
    'StandardFields2',
    'Salesorder',
    'X',
  ]);
});

test('without doctypes the module is empty', () => {
  assert.match(renderTypes([]), /^export \{\};$/m);
});
