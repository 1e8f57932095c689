/** Printed documents: what a page shows to whom, Print Formats, letter heads, and the sandbox of the page. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';

const ALL = { read: 1, write: 1, create: 1, submit: 1, cancel: 1, print: 1 };
const ATTACK = '<script>alert(1)</script><img src=x onerror=alert(1)><img src="/api/method/logout">';

describeEither('printed documents', {}, (site) => {
  let clerk = '';
  let guard = '';
  let order = '';

  const page = async (query: Readonly<Record<string, string>>, as?: string) => {
    const reply = await site.request('GET', `/printview?${new URLSearchParams(query)}`, as ? { as } : {});
    return { ...reply, shown: reply.text.replace(/<style>.*<\/style>/s, '') };
  };
  const text = (html: string) =>
    html
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();

  before(async () => {
    for (const role_name of ['Seller', 'Watcher']) await site.make('Role', { role_name });
    const permissions = [
      { role: 'System Manager', ...ALL },
      { role: 'System Manager', permlevel: 1, ...ALL },
      { role: 'Seller', ...ALL },
      { role: 'Watcher', read: 1 },
    ];
    const doctype = (name: string, more: object) =>
      site.make('DocType', { name, module: 'Shop', custom: 1, permissions, ...more });
    await doctype('Buyer', {
      autoname: 'prompt',
      title_field: 'full_name',
      permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, print: 1 }],
      fields: [{ fieldname: 'full_name', label: 'Full Name', fieldtype: 'Data' }],
    });
    await doctype('Order Line', {
      istable: 1,
      permissions: [],
      fields: [
        { fieldname: 'part', label: 'Part', fieldtype: 'Data', in_list_view: 1 },
        { fieldname: 'qty', label: 'Qty', fieldtype: 'Int', in_list_view: 1 },
        { fieldname: 'rate', label: 'Rate', fieldtype: 'Currency', options: 'currency', in_list_view: 1 },
        { fieldname: 'margin', label: 'Margin', fieldtype: 'Float', permlevel: 1, in_list_view: 1 },
      ],
    });
    await doctype('Order', {
      autoname: 'ORD-.###',
      title_field: 'subject',
      is_submittable: 1,
      fields: [
        { fieldname: 'subject', label: 'Subject', fieldtype: 'Data' },
        { fieldname: 'buyer', label: 'Buyer', fieldtype: 'Link', options: 'Buyer' },
        { fieldname: 'due', label: 'Due', fieldtype: 'Date' },
        { fieldname: 'middle', fieldtype: 'Column Break' },
        { fieldname: 'total', label: 'Total', fieldtype: 'Currency', options: 'currency' },
        { fieldname: 'currency', label: 'Currency', fieldtype: 'Data', print_hide: 1 },
        { fieldname: 'secret_note', label: 'Secret Note', fieldtype: 'Data', permlevel: 1 },
        { fieldname: 'pin', label: 'Pin', fieldtype: 'Password' },
        { fieldname: 'unset', label: 'Unset', fieldtype: 'Data' },
        { fieldname: 'more', label: 'Lines', fieldtype: 'Section Break' },
        { fieldname: 'lines', label: 'Order Lines', fieldtype: 'Table', options: 'Order Line' },
        { fieldname: 'empty', label: 'Empty Section', fieldtype: 'Section Break' },
        { fieldname: 'terms', label: 'Terms', fieldtype: 'Text Editor', ignore_xss_filter: 1 },
        { fieldname: 'raw', label: 'Raw', fieldtype: 'Long Text', ignore_xss_filter: 1 },
      ],
    });
    clerk = await site.createUser('clerk@example.com', ['Seller']);
    guard = await site.createUser('guard@example.com', ['Watcher']);
    await site.make('Buyer', { name: 'B-1', full_name: 'Ann Lee' });
    const made = await site.make('Order', {
      ...{ subject: 'Desks & "chairs"', buyer: 'B-1', due: '2026-03-04', total: 1234.5, currency: 'EUR' },
      ...{ secret_note: 'hush', pin: '4711' },
      lines: [
        { part: 'Desk', qty: 1000, rate: 12, margin: 3.25 },
        { part: '<b>Chair</b>', qty: 2, rate: 7 },
      ],
    });
    order = made.name;
  });

  test('a page shows labels and values as people read them, and no empty field or section', async () => {
    const { status, shown, headers } = await page({ doctype: 'Order', name: order, _lang: 'de' });
    assert.equal(status, 200);
    assert.match(String(headers.get('content-type')), /^text\/html/);
    assert.match(shown, /<html lang="de" dir="ltr">/);
    const words = text(shown);
    for (const part of [
      'Buyer Ann Lee',
      'Due 04.03.2026',
      'Total 1.234,50 €',
      'Draft',
      'hush',
      '1 Desk 1.000 12,00 €',
    ]) {
      assert.ok(words.includes(part), `${part} in ${words}`);
    }
    for (const part of ['4711', 'Pin', 'Unset', 'Empty Section', 'Currency EUR']) {
      assert.ok(!words.includes(part), `no ${part} in ${words}`);
    }
  });

  test('a page shows only what its reader may read', async () => {
    const { status, shown } = await page({ doctype: 'Order', name: order, _lang: 'en' }, clerk);
    assert.equal(status, 200);
    assert.doesNotMatch(shown, /hush|Secret Note|Margin|3\.25/);
    // The buyer's title belongs to a doctype that the clerk may not read.
    assert.match(shown, /B-1/);
    assert.doesNotMatch(shown, /Ann Lee/);
  });

  test('a title above the reader’s level is not shown, and the name is', async () => {
    await site.make('DocType', {
      ...{ name: 'Depot', module: 'Shop', custom: 1, autoname: 'prompt', title_field: 'code_word' },
      permissions: [{ role: 'Seller', read: 1, write: 1, create: 1, print: 1 }],
      fields: [{ fieldname: 'code_word', label: 'Code Word', fieldtype: 'Data', permlevel: 1 }],
    });
    await site.make('Custom Field', {
      ...{ dt: 'Order', fieldname: 'depot', label: 'Depot', fieldtype: 'Link', options: 'Depot' },
    });
    await site.make('Depot', { name: 'D-1', code_word: 'Swordfish' });
    const { name } = await site.make('Order', { subject: 'Stored', depot: 'D-1' });
    const { status, shown } = await page({ doctype: 'Order', name }, clerk);
    assert.equal(status, 200, shown);
    assert.match(text(shown), /Depot D-1/);
    assert.doesNotMatch(shown, /Swordfish/);
  });

  test('printing requires the right to print, at both addresses', async () => {
    assert.equal((await page({ doctype: 'Order', name: order }, guard)).status, 403);
    const args = { doc: 'Order', name: order };
    const method = 'frappe.www.printview.get_html_and_style';
    assert.equal((await site.rpc(method, args, guard)).status, 403);
    assert.equal((await site.rpc(method, args, clerk)).status, 200);
    assert.equal((await page({ doctype: 'Order', name: 'ORD-999' })).status, 404);
    assert.equal((await page({ name: order })).status, 417);
    assert.equal((await page({ doctype: 'Order', name: order, _lang: '%' })).status, 417);
  });

  test('a page runs no scripts, whatever its document contains', async () => {
    const { name } = await site.make('Order', { subject: ATTACK, terms: ATTACK, raw: ATTACK });
    await site.make('Letter Head', { letter_head_name: 'Bad', content: ATTACK });
    const { shown, headers } = await page({ doctype: 'Order', name, letterhead: 'Bad' });
    assert.doesNotMatch(shown, /<script|<[^>]*onerror|<img/i);
    const policy = String(headers.get('content-security-policy'));
    assert.match(policy, /^sandbox allow-same-origin allow-modals; default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(policy, /script|unsafe/);
    assert.match(policy, /frame-ancestors 'self'/);
    assert.equal(headers.get('cache-control'), 'private, no-store');
  });

  test('a Print Format chooses fields, labels, columns and texts, and refuses unknown ones', async () => {
    const format = (name: string, parts: readonly object[]) =>
      site.request('POST', '/api/resource/Print Format', { body: { name, doc_type: 'Order', parts } });
    const made = await format('Short', [
      { type: 'Section', label: 'Your order' },
      { type: 'Field', fieldname: 'total', label: 'To pay' },
      { type: 'Field', fieldname: 'secret_note' },
      { type: 'Column' },
      { type: 'Text', content: '<p>Thank <b>you</b></p>' },
      { type: 'Field', fieldname: 'lines', columns: 'rate, part, margin' },
    ]);
    assert.equal(made.status, 200, made.text);
    const { shown } = await page({ doctype: 'Order', name: order, format: 'Short', _lang: 'en' }, clerk);
    const words = text(shown);
    assert.match(words, /Your order To pay €1,234\.50 Thank you Order Lines # Rate Part 1 €12\.00 Desk/);
    assert.match(shown, /<p>Thank <b>you<\/b><\/p>/);
    assert.doesNotMatch(words, /Buyer|hush|Margin/);

    for (const part of [
      { fieldname: 'nothing' },
      { fieldname: 'pin' },
      { fieldname: 'lines', columns: 'nothing' },
    ]) {
      assert.equal((await format('Wrong', [{ type: 'Field', ...part }])).status, 417, JSON.stringify(part));
    }
    assert.equal((await page({ doctype: 'Buyer', name: 'B-1', format: 'Short' })).status, 417);
    assert.equal((await page({ doctype: 'Order', name: order, format: 'Missing' })).status, 404);

    await site.make('Property Setter', {
      ...{ doctype_or_field: 'DocType', doc_type: 'Order', property: 'default_print_format' },
      ...{ property_type: 'Data', value: 'Short' },
    });
    assert.match((await page({ doctype: 'Order', name: order })).shown, /Your order/);
    assert.doesNotMatch(
      (await page({ doctype: 'Order', name: order, format: 'Standard' })).shown,
      /Your order/,
    );
  });

  test('one letter head is the default, and a page can go without', async () => {
    const head = (letter_head_name: string) =>
      site.make('Letter Head', {
        ...{
          letter_head_name,
          is_default: 1,
          content: `<p>${letter_head_name} Ltd</p>`,
          footer: '<p>Bank</p>',
        },
      });
    await head('First');
    await head('Second');
    const { shown } = await page({ doctype: 'Order', name: order });
    assert.match(shown, /<header>.*Second Ltd.*<\/header>/s);
    assert.match(shown, /<footer>.*Bank.*<\/footer>/s);
    assert.match((await page({ doctype: 'Order', name: order, letterhead: 'First' })).shown, /First Ltd/);
    assert.doesNotMatch(
      (await page({ doctype: 'Order', name: order, no_letterhead: '1' })).shown,
      /<header>/,
    );
    const defaults = await site.ok('GET', '/api/resource/Letter Head?filters=[["is_default","=",1]]');
    assert.deepEqual(defaults, [{ name: 'Second' }]);
  });
});
