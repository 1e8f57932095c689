import type { FieldUse } from '../../src/query/field-path.ts';
import type { Asked } from './oracle-site.ts';

/** Ways to a field that Ann may not see, each with one to a field that there is not. */
export const FIELDS: Readonly<Record<string, readonly [hidden: string, unknown: string]>> = {
  'above the permlevel': ['salary', 'nonsuch'],
  'of rows, above the permlevel': ['rows.bonus', 'rows.nonsuch'],
  'of rows, by their doctype': ['`tabPerson Row`.`bonus`', '`tabPerson Row`.`nonsuch`'],
  'of a hidden table': ['hidden_rows.note', 'nonsuch_rows.note'],
  'of a linked doctype without a right': ['account.number', 'account.nonsuch'],
  'of a linked doctype, above the permlevel': ['region.budget', 'region.nonsuch'],
  'of what a row links to': ['rows.account.number', 'rows.account.nonsuch'],
  'of another doctype': ['`tabAccount`.`number`', '`tabNowhere`.`number`'],
};

/** A Password: its mask is shown, and nothing else is done with it. */
export const PASSWORD = ['pin', 'nonsuch'] as const;

type Parameters = Readonly<Record<string, unknown>>;

/** What lists do with a field, by the parameter that says so. One that names fields and is not here fails the test. */
export const LIST_USES: Readonly<Record<string, readonly ((path: string) => Parameters)[]>> = {
  fields: [
    (path) => ({ fields: [path] }),
    (path) => ({ fields: ['name', `${path} as shown`] }),
    (path) => ({ fields: ['*', path] }),
    (path) => ({ fields: path }),
    ...['sum', 'min', 'max', 'avg', 'count'].map((call) => (path: string) => ({
      fields: [`${call}(${path}) as total`],
    })),
    ...['SUM', 'MAX', 'COUNT'].map((call) => (path: string) => ({ fields: [{ [call]: path, as: 'total' }] })),
    (path) => ({ fields: [`count(distinct ${path}) as total`] }),
  ],
  filters: [
    (path) => ({ filters: { [path]: 1 } }),
    (path) => ({ filters: [[path, '=', 1]] }),
    (path) => ({ filters: [['Person', path, '>', 0]] }),
    (path) => ({ filters: [['Person Row', path.split('.').at(-1), '>', 0]] }),
    (path) => ({ filters: [['Account', path.split('.').at(-1), '>', 0]] }),
    (path) => ({ filters: [[path, 'is', 'set']] }),
    (path) => ({ filters: [[path, 'like', '%1%']] }),
    (path) => ({ filters: [[path, 'in', [1, 2]]] }),
    (path) => ({ filters: [['name', '=', 'p-north'], 'or', [path, '=', 1]] }),
  ],
  or_filters: [
    (path) => ({ or_filters: { [path]: 1 } }),
    (path) => ({
      or_filters: [
        ['name', '=', 'p-north'],
        [path, '>', 0],
      ],
    }),
  ],
  order_by: [
    (path) => ({ order_by: path }),
    (path) => ({ order_by: `name asc, ${path} desc` }),
    (path) => ({ fields: ['count(name) as n'], group_by: 'region', order_by: `max(${path})` }),
  ],
  group_by: [
    (path) => ({ fields: ['count(name) as n'], group_by: path }),
    (path) => ({ fields: ['count(name) as n'], group_by: `${path}:month` }),
  ],
  distinct: [(path) => ({ distinct: 1, fields: [path] })],
  expand: [(path) => ({ fields: ['*'], expand: [path] })],
};

/** Parameters that name no field. */
export const NO_FIELD: ReadonlySet<string> = new Set([
  'parent',
  'parent_doctype',
  'limit_start',
  'start',
  'limit_page_length',
  'limit',
  'as_dict',
  'after',
  'include',
  'count',
]);

/** Every kind of use that the query compiler tells apart, and the parameter that tries it. */
export const USE_OF: Readonly<Record<FieldUse, keyof typeof LIST_USES>> = {
  select: 'fields',
  filter: 'filters',
  order: 'order_by',
  aggregate: 'fields',
  group: 'group_by',
};

const query = (args: Parameters): string =>
  new URLSearchParams(
    Object.entries(args).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();
const get = (path: string, args: Parameters): Asked => ({ verb: 'GET', path: `${path}?${query(args)}` });
const post = (method: string, args: Parameters): Asked => ({
  verb: 'POST',
  path: `/api/method/${method}`,
  body: { doctype: 'Person', ...args },
});

/** Every door that takes list parameters. */
export const LIST_DOORS: Readonly<Record<string, (args: Parameters) => Asked>> = {
  '/api/resource/:doctype': (args) => get('/api/resource/Person', args),
  '/api/resource/:doctype, a page': (args) => get('/api/resource/Person', { ...args, include: 'count' }),
  '/api/v2/document/:doctype': (args) => get('/api/v2/document/Person', args),
  '/api/v2/doctype/:doctype/count': (args) => get('/api/v2/doctype/Person/count', args),
  'frappe.client.get_list': (args) => post('frappe.client.get_list', args),
  'frappe.client.get_count': (args) => post('frappe.client.get_count', args),
  'frappe.client.get': (args) => post('frappe.client.get', { filters: { name: 'p-north' }, ...args }),
  'frappe.client.get_value': (args) => post('frappe.client.get_value', { fieldname: 'name', ...args }),
  'frappe.desk.search.search_link': (args) => post('frappe.desk.search.search_link', { txt: 'p', ...args }),
  'frappe.desk.search.search_widget': (args) =>
    post('frappe.desk.search.search_widget', { txt: 'p', ...args }),
};

const placed = { doctype: 'Person', name: 'p-north', docname: 'p-north' };

/** Arguments of methods that name a field beside the parameters of lists. */
export const FIELD_ARGUMENTS: Readonly<Record<string, (path: string) => Asked>> = {
  'frappe.client.get_value': (path) => post('frappe.client.get_value', { ...placed, fieldname: path }),
  'frappe.client.get_value, several': (path) =>
    post('frappe.client.get_value', { fieldname: ['name', path], filters: 'p-north' }),
  'frappe.client.get_single_value': (path) =>
    post('frappe.client.get_single_value', { doctype: 'System Settings', field: path }),
  'frappe.client.get_password': (path) => post('frappe.client.get_password', { ...placed, fieldname: path }),
  'frappe.client.validate_link': (path) => post('frappe.client.validate_link', { ...placed, fields: [path] }),
  'frappe.desk.search.search_link': (path) =>
    post('frappe.desk.search.search_link', { txt: '1', searchfield: path }),
  'frappe.desk.search.search_widget': (path) =>
    post('frappe.desk.search.search_widget', { txt: '1', searchfield: path }),
  'frappe.client.set_value': (path) =>
    post('frappe.client.set_value', { ...placed, fieldname: path, value: 5 }),
  'frappe.client.set_value, several': (path) =>
    post('frappe.client.set_value', { ...placed, fieldname: { [path]: 5 } }),
  'frappe.client.save': (path) => post('frappe.client.save', { doc: { ...placed, [path]: 5 } }),
  'PUT /api/resource': (path) => ({ verb: 'PUT', path: '/api/resource/Person/p-north', body: { [path]: 5 } }),
  'PUT /api/resource, a wrong value': (path) => ({
    verb: 'PUT',
    path: '/api/resource/Person/p-north',
    body: { [path]: 'no number' },
  }),
};
