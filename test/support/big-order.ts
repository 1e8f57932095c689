import assert from 'node:assert/strict';
import { currentUser } from '../../src/access/user.ts';
import { render } from '../../src/db/sql.ts';
import { sqliteDialect } from '../../src/db/sqlite/dialect.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { compileCount } from '../../src/query/compile-count.ts';
import type { ListParameters, ListQuery } from '../../src/query/list-query.ts';
import { parseListQuery } from '../../src/query/parse-list-query.ts';
import type { QueryScope } from '../../src/query/query-scope.ts';

export const line = parseDoctype({
  name: 'Order Line',
  istable: 1,
  fields: [
    { fieldname: 'item', fieldtype: 'Data' },
    { fieldname: 'cost', fieldtype: 'Currency', permlevel: 1 },
    { fieldname: 'code', fieldtype: 'Password' },
  ],
});
const customer = parseDoctype({
  name: 'Customer',
  fields: [
    { fieldname: 'city', fieldtype: 'Data' },
    { fieldname: 'rating', fieldtype: 'Int', permlevel: 2 },
  ],
  permissions: [{ role: 'Sales', read: 1 }],
});
export const vault = parseDoctype({ name: 'Vault', fields: [{ fieldname: 'city', fieldtype: 'Data' }] });
export const order = parseDoctype({
  name: 'Big Order',
  sort_field: 'due',
  sort_order: 'ASC',
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'due', fieldtype: 'Date' },
    { fieldname: 'total', fieldtype: 'Currency' },
    { fieldname: 'paid', fieldtype: 'Check' },
    { fieldname: 'margin', fieldtype: 'Float', permlevel: 1 },
    { fieldname: 'pin', fieldtype: 'Password' },
    { fieldname: 'customer', fieldtype: 'Link', options: 'Customer' },
    { fieldname: 'vault', fieldtype: 'Link', options: 'Vault' },
    { fieldname: 'section', fieldtype: 'Section Break', label: 'Section' },
    { fieldname: 'lines', fieldtype: 'Table', options: 'Order Line' },
    { fieldname: 'hidden_lines', fieldtype: 'Table', options: 'Order Line', permlevel: 1 },
  ],
  permissions: [{ role: 'Sales', read: 1 }],
});
const registry = buildRegistry([order, line, customer, vault], 1);
/** Reads orders and customers, at level 0. */
export const seller = currentUser('seller@example.com', ['Sales']);
const now = () => '2026-03-15 12:34:56.000789';
export const scope: QueryScope = { registry, user: seller, now };

export function parse(parameters: ListParameters, user = seller): ListQuery {
  return parseListQuery(order, parameters, { ...scope, user });
}

/** `status type: message` of the refusal that must come. */
export function refusal(parameters: ListParameters, user = seller): string {
  try {
    parse(parameters, user);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return `${error.status} ${error.type}: ${error.message}`;
  }
  return assert.fail(`accepted ${JSON.stringify(parameters)}`);
}

/** The condition as SQLite gets it, with the values in place. */
export function where(parameters: ListParameters): string {
  const { text, values } = render(compileCount(parse(parameters), null, sqliteDialect), () => '?');
  let position = 0;
  const condition = text.split(' where ').slice(1).join(' where ').replaceAll(/\s+/g, ' ');
  return condition.replaceAll('?', () => JSON.stringify(values[position++]));
}
