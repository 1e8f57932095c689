import { after, before } from 'node:test';
import { WebhookReceiver } from '../../support/receiver.ts';
import { describeStory, type Story } from './story.ts';
import type { StorySite } from './story-site.ts';

const COMPANIES = [
  ['Harbour Logistics', 'Rotterdam'],
  ['Maple Bakery', 'Lyon'],
  ['Northgate Printing', 'Leeds'],
  ['Orchard Dairy', 'Bern'],
  ['Summit Optics', 'Jena'],
  ['Willow & Daughters Furniture Restoration Partnership', 'Aberystwyth'],
] as const;
const GOODS = [
  ['Copy paper, 500 sheets', 12, 4.95],
  ['Label roll 62 mm', 4, 11.4],
  ['Hand scanner H2', 2, 189],
  ['Toner, black', 3, 62.99],
] as const;

/** `describeStory` at every commit, of a site that is filled with the sample, whose deliveries have been sent. */
export function describeSample(name: string, tell: (story: Story) => void): void {
  describeStory(
    name,
    (story) => {
      let receiver: WebhookReceiver;
      before(async () => {
        receiver = await WebhookReceiver.start();
        await fillWithSample(story.site, receiver);
        // Eight bills were submitted, each told to the warehouse, and those above 100 to the books.
        await receiver.until((all) => all.length >= 14);
      });
      after(() => receiver?.close());
      tell(story);
    },
    1,
  );
}

/** Fills a site with what a small firm would have: buyers, bills, files, webhooks of which one fails, and a key. */
async function fillWithSample({ make, ask }: StorySite, receiver: WebhookReceiver): Promise<void> {
  for (const [company, city] of COMPANIES) {
    const buyer_name = company.split(' ')[0]?.toLowerCase();
    await make('Buyer', { buyer_name, company, city, email: `office@${buyer_name}.example` });
  }
  receiver.decide = ({ path }) => (path.includes('books') ? 500 : 'ok');
  const hook = { webhook_doctype: 'Bill', max_retries: 0, webhook_docevent: 'on_submit' };
  await make('Webhook', { ...hook, name: 'Warehouse', request_url: receiver.url });
  await make('Webhook', {
    ...hook,
    name: 'Bookkeeping',
    request_url: receiver.url.replace('/hook', '/books'),
    condition: 'doc.total > 100',
    webhook_headers: [{ key: 'Authorization', value: 'Bearer example' }],
    webhook_data: [
      { fieldname: 'name', key: 'number' },
      { fieldname: 'total', key: 'amount' },
    ],
  });
  for (let index = 0; index < 24; index += 1) {
    const [company] = COMPANIES[(index * 5) % COMPANIES.length] ?? COMPANIES[0];
    await make('Bill', {
      title: `${['Office supplies', 'Repair of the label printer', 'Consulting'][index % 3]} for ${company}`,
      buyer: company.split(' ')[0]?.toLowerCase(),
      status: index % 4 === 0 ? 'Paid' : 'Open',
      posting_date: `2026-0${1 + (index % 9)}-1${index % 10}`,
      items: GOODS.slice(0, 1 + (index % GOODS.length)).map(([item, qty, rate]) => ({ item, qty, rate })),
      docstatus: index % 3 === 0 ? 1 : 0,
    });
  }
  await markABill(ask);
  await make('Everything', {
    name: 'All of it',
    data: 'A line of text',
    datetime: '2026-03-18 10:30:00',
    text_editor: '<p>Made <b>bold</b></p>',
    link: 'maple',
    table: [{ item: 'Paper', qty: 1, rate: 2 }],
  });
  await ask('POST', '/api/method/frappe.core.api.file.create_new_folder', {
    file_name: 'Contracts',
    folder: 'Home',
  });
  for (const file_name of ['Price list 2026.csv', 'Terms of delivery.txt', 'Opening hours.md'])
    await make('File', { file_name, content: `${file_name}\n`, is_private: 1 });
  await fillDashboard(make);
  await ask('POST', '/api/method/chancery.api_key.create', {
    user: 'clerk@example.com',
    label: 'Cash desk',
    read_only: 1,
  });
}

/** An assigned, tagged, liked and shared bill. */
async function markABill(ask: StorySite['ask']): Promise<void> {
  const bill = { doctype: 'Bill', name: 'BILL-00002' };
  const call = (method: string, args: object) => ask('POST', `/api/method/frappe.${method}`, args);
  await call('desk.form.assign_to.add', { ...bill, assign_to: ['clerk@example.com', 'Administrator'] });
  for (const tag of ['urgent', 'a tag with the many words of somebody who writes tags like sentences'])
    await call('desk.doctype.tag.tag.add_tag', { tag, dt: bill.doctype, dn: bill.name });
  await call('desk.like.toggle_like', { ...bill, add: 'Yes' });
  await call('share.add', { ...bill, user: 'reader@example.com', write: 1, submit: 1, share: 1 });
  await call('share.add', { ...bill, everyone: 1 });
}

/** A dashboard with a card of each type. */
async function fillDashboard(make: StorySite['make']): Promise<void> {
  const bills = { reference_doctype: 'Bill', is_shared: 1 };
  const total = { of: 'sum', field: 'total' };
  const report = (label: string, settings: object) =>
    make('Saved View', { ...bills, label, type: 'Report', settings });
  const sum = await report('Billed', { measures: [total] });
  const states = await report('Bills by status', {
    groups: [{ field: 'status' }],
    measures: [{ of: 'count' }],
    chart: 'donut',
  });
  const months = await report('Billed by month', {
    groups: [{ field: 'posting_date', by: 'month' }],
    measures: [total],
    chart: 'bar',
  });
  const open = await make('Saved View', {
    ...bills,
    label: 'Open bills',
    filters: [['status', '=', 'Open']],
  });
  await make('Dashboard', {
    name: 'bills',
    label: 'Bills',
    roles: [{ role: 'System Manager' }],
    cards: [
      { view: sum.name, type: 'Number', width: 'Third' },
      { view: states.name, type: 'Chart', width: 'Third' },
      { view: open.name, type: 'List', width: 'Third' },
      { view: months.name, type: 'Chart', width: 'Full' },
    ],
  });
}
