/** `frappe.utils.global_search.search`: documents of every doctype, best matches first, and only what is readable. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';

interface Found {
  readonly doctype: string;
  readonly name: string | number;
  readonly title: string;
  readonly content: string;
  readonly rank: number;
}

const READ = { read: 1, write: 1, create: 1 };
const permissions = [
  { role: 'System Manager', ...READ },
  { role: 'System Manager', permlevel: 1, ...READ },
  { role: 'Librarian', ...READ },
];

describeEither('a search over all doctypes', {}, (site) => {
  before(async () => {
    await site.make('Role', { role_name: 'Librarian' });
    await site.make('DocType', {
      name: 'Novel',
      module: 'Library',
      custom: 1,
      autoname: 'hash',
      title_field: 'title',
      search_fields: 'author, shelf',
      permissions,
      fields: [
        { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
        { fieldname: 'author', label: 'Author', fieldtype: 'Data' },
        { fieldname: 'shelf', label: 'Shelf', fieldtype: 'Data', permlevel: 1 },
        { fieldname: 'plot', label: 'Plot', fieldtype: 'Text', in_global_search: 1 },
        { fieldname: 'notes', label: 'Notes', fieldtype: 'Text' },
      ],
    });
    await site.make('DocType', {
      name: 'Reader Card',
      module: 'Library',
      custom: 1,
      autoname: 'prompt',
      permissions: [{ role: 'System Manager', ...READ }],
      fields: [{ fieldname: 'holder', label: 'Holder', fieldtype: 'Data' }],
    });
    await site.make('DocType', {
      name: 'Loan',
      module: 'Library',
      custom: 1,
      autoname: 'autoincrement',
      title_field: 'borrower',
      permissions,
      fields: [{ fieldname: 'borrower', label: 'Borrower', fieldtype: 'Data' }],
    });
    const novels = [
      { title: 'Under the lighthouse', author: 'Ann Smith' },
      { title: 'Lighthouse', author: 'Bob Jones', shelf: 'Upstairs 7' },
      { title: 'Lighthouse keepers', author: 'Cy Fox', plot: 'A storm at 100% strength' },
      { title: 'Delighthouses', author: 'Dee' },
      { title: 'Storms', author: 'Ann Fox', notes: 'lighthouse' },
    ];
    for (const novel of novels) await site.make('Novel', novel);
    await site.make('Reader Card', { name: 'CARD-Lighthouse', holder: 'Lighthouse' });
    await site.make('Loan', { borrower: 'Müller Straße' });
  });

  const search = async (text: string, more: object = {}, as?: string): Promise<readonly Found[]> => {
    const reply = await site.request('POST', '/api/method/frappe.utils.global_search.search', {
      body: { text, ...more },
      ...(as === undefined ? {} : { as }),
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.message;
  };
  const titles = async (text: string, more: object = {}, as?: string) =>
    (await search(text, more, as)).map(({ title }) => title);

  test('ranks equal, beginning, word and contained values, and the last changed first', async () => {
    const found = await search('LIGHTHOUSE', { doctype: 'Novel' });
    assert.deepEqual(
      found.map(({ title, rank }) => [title, rank]),
      [
        ['Lighthouse', 4],
        ['Lighthouse keepers', 3],
        ['Under the lighthouse', 2],
        ['Delighthouses', 1],
      ],
    );
    assert.equal(found[0]?.content, 'Title : Lighthouse ||| Author : Bob Jones ||| Shelf : Upstairs 7');
    const fox = await titles('fox');
    assert.deepEqual(fox, ['Storms', 'Lighthouse keepers']);
  });

  test('finds every doctype by name, title, search fields and marked fields, and by no other field', async () => {
    const found = await search('lighthouse');
    assert.deepEqual(found.map(({ doctype }) => doctype).toSorted(), [
      ...Array(4).fill('Novel'),
      'Reader Card',
    ]);
    assert.ok(found.some(({ name }) => name === 'CARD-Lighthouse'));
    assert.deepEqual(await titles('100% str'), ['Lighthouse keepers']);
    assert.deepEqual(await titles('100%str'), []);
    assert.deepEqual(await titles('müller STRASSE'), ['Müller Straße']);
    assert.ok((await titles('administrator')).includes('Administrator'));
  });

  test('wants every word, in whichever field', async () => {
    assert.deepEqual(await titles('fox lighthouse'), ['Lighthouse keepers']);
    assert.deepEqual(await titles('fox upstairs'), []);
    assert.deepEqual(await titles('  '), []);
  });

  test('finds and shows nothing that the user may not read', async () => {
    const token = await site.createUser('librarian@example.com', ['Librarian']);
    assert.deepEqual(await titles('upstairs', {}, token), []);
    assert.deepEqual(await titles('upstairs'), ['Lighthouse']);
    const [first] = await search('lighthouse', { doctype: 'Novel' }, token);
    assert.equal(first?.content, 'Title : Lighthouse ||| Author : Bob Jones');
    assert.ok(!(await search('lighthouse', {}, token)).some(({ doctype }) => doctype === 'Reader Card'));
    assert.deepEqual(await titles('lighthouse', { doctype: 'Reader Card' }, token), []);
    await site.make('User Permission', {
      user: 'librarian@example.com',
      allow: 'Loan',
      for_value: String((await site.make('Loan', { borrower: 'Ann Müller' })).name),
    });
    assert.deepEqual(await titles('müller', {}, token), ['Ann Müller']);
  });

  test('pages through the results, and refuses too many', async () => {
    const all = await titles('lighthouse');
    assert.deepEqual(await titles('lighthouse', { start: 1, limit: 2 }), all.slice(1, 3));
    const reply = await site.request('POST', '/api/method/frappe.utils.global_search.search', {
      body: { text: 'x', limit: LIMITS.globalSearchResults + 1 },
    });
    assert.equal(reply.status, 417);
  });

  const NAMES = [
    'A/B-1 (x), y',
    '50%_off\\x',
    "it's #7",
    'Ünï·7 Σ',
    'one two three four five six',
    '--',
    '17',
  ];

  test('puts the document of exactly this name first, whatever its characters and the newer matches', async () => {
    await site.make('DocType', {
      name: 'Spare Part',
      module: 'Library',
      custom: 1,
      autoname: 'prompt',
      title_field: 'label',
      permissions,
      fields: [{ fieldname: 'label', label: 'Label', fieldtype: 'Data' }],
    });
    for (const name of NAMES) await site.make('Spare Part', { name, label: 'old' });
    // Newer ones of the same title, of names that begin with it, and more than are ranked.
    for (const name of NAMES) await site.make('Spare Part', { name: `${name} z`, label: name });
    for (let count = 0; count <= LIMITS.globalSearchCandidates; count += 1) {
      await site.make('Spare Part', { name: `17-${count}`, label: 'new' });
    }
    for (const name of NAMES) {
      for (const text of [name, `  ${name} `]) {
        const [first] = await search(text, { limit: 1 });
        assert.deepEqual([first?.doctype, first?.name, first?.rank], ['Spare Part', name, 4], text);
      }
      const path = '/api/method/frappe.desk.search.search_link?page_length=1&doctype=Spare Part&txt=';
      const picked = await site.ok('GET', `${path}${encodeURIComponent(name)}`);
      assert.deepEqual(
        picked.map(({ value }: { value: string }) => value),
        [name],
      );
    }
    const [lower] = await search('ÜNÏ·7 σ', { limit: 1 });
    assert.equal(lower?.name, 'Ünï·7 Σ');
  });

  test('puts documents whose name begins so before those whose title does', async () => {
    await site.make('Spare Part', { name: 'Lamp of brass', label: 'x' });
    await site.make('Loan', { borrower: 'Lamp of brass' });
    const found = await search('lamp of');
    assert.deepEqual(
      found.map(({ doctype, rank }) => [doctype, rank]),
      [
        ['Spare Part', 3],
        ['Loan', 3],
      ],
    );
  });

  test('knows where a word begins, whatever characters the text has', async () => {
    await site.make('Spare Part', { name: 'box AB-12/7', label: 'x' });
    await site.make('Spare Part', { name: 'box xAB-12/7', label: 'x' });
    for (const text of ['AB-12', 'ab-12/7', '-12/7']) {
      const found = await search(text, { doctype: 'Spare Part' });
      const ranks = Object.fromEntries(found.map(({ name, rank }) => [name, rank]));
      const within = text.startsWith('-') ? 1 : 2;
      assert.deepEqual([ranks['box AB-12/7'], ranks['box xAB-12/7']], [within, 1], text);
    }
  });
});
