/** What the client's types refuse: each `@ts-expect-error` fails the type check when the line below it would pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocTypes, Methods } from '../../apps/crm/doctypes.d.ts';
import { type Client, createClient, type Received, type Row } from '../../src/client.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(value: T) => value;

interface Numbered {
  Job: { doctype: 'Job'; name: `${bigint}`; rank: '1' | '2' };
}

/** Never called, too: names of `autoincrement` documents are numbers. */
export async function numberedNames(client: Client<Numbered>): Promise<void> {
  const [row] = await client.list('Job', { fields: ['name', 'rank'], filters: [['name', '>', 7]] });
  holds<Equal<NonNullable<typeof row>, { name: number; rank: '1' | '2' }>>(true);
  const job = await client.read('Job', 7);
  holds<Equal<typeof job.name, number>>(true);
  await client.delete('Job', job.name);
}

/** Never called: the types are what is looked at. */
export async function typesOnly(client: Client<DocTypes, Methods>): Promise<void> {
  const rows = await client.list('Customer', { fields: ['name', 'phone', 'credit_limit'] });
  holds<Equal<(typeof rows)[number], { name: string; phone: string | null; credit_limit: number }>>(true);
  const named = await client.list('Customer');
  holds<Equal<(typeof named)[number], Row<DocTypes['Customer'], 'name'>>>(true);
  const invoice = await client.read('Sales Invoice', 'X');
  holds<Equal<typeof invoice.remarks, string | undefined>>(true);
  holds<Equal<typeof invoice.items, Received<DocTypes['Sales Invoice Item']>[]>>(true);

  // @ts-expect-error no such doctype
  await client.list('Custommer');
  // @ts-expect-error no such field
  await client.list('Customer', { fields: ['nam'] });
  // @ts-expect-error no such field in a filter
  await client.list('Customer', { filters: { nam: 'A' } });
  // @ts-expect-error a number is no customer type
  await client.list('Customer', { filters: { customer_type: 1 } });
  // @ts-expect-error not one of the options
  await client.list('Customer', { filters: [['customer_type', '=', 'Nobody']] });
  // @ts-expect-error no such operator
  await client.list('Customer', { filters: [['name', '~', 'A']] });
  // @ts-expect-error between has two bounds
  await client.list('Customer', { filters: [['credit_limit', 'between', [1]]] });
  await client.list('Sales Invoice', { filters: [['items.qty', '>', 1]] });
  // @ts-expect-error no such field of the rows
  await client.list('Sales Invoice', { filters: [['items.quantity', '>', 1]] });
  // @ts-expect-error a table has no order
  await client.list('Sales Invoice', { orderBy: 'items asc' });
  // @ts-expect-error text is no number
  await client.create('Customer', { credit_limit: 'much' });
  // @ts-expect-error the server's own
  await client.create('Customer', { owner: 'me' });
  // @ts-expect-error no such field of a row
  await client.update('Sales Invoice', 'X', { items: [{ quantity: 1 }] });
  const raised: { priority: string } = await client.call('crm.escalate', { ticket: 'X' });
  assert.ok(raised.priority);
  await client.call('frappe.auth.get_logged_user');
  await client.call<string>('frappe.client.get_count', { doctype: 'Ticket' });
  // @ts-expect-error an argument is missing
  await client.call('crm.escalate');
  // @ts-expect-error an argument is missing
  await client.call('crm.escalate', {});
  // @ts-expect-error a number is no name
  await client.call('crm.escalate', { ticket: 1 });
  // @ts-expect-error no such argument
  await client.call('crm.escalate', { ticket: 'X', by: 2 });
  // @ts-expect-error the row's field was not asked for
  for (const row of rows) assert.ok(row.email_id);
}

test('a client needs only an address', () => {
  assert.equal(typeof createClient<DocTypes>({ url: '' }).list, 'function');
});
