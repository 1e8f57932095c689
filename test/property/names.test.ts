/** Whatever a document may be called, it can be reached, changed, renamed and deleted by that name in an address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeEither } from '../support/describe-site.ts';

const CARD = {
  name: 'Card',
  module: 'Test',
  custom: 1,
  autoname: 'Prompt',
  allow_rename: 1,
  fields: [
    { fieldname: 'note', label: 'Note', fieldtype: 'Data' },
    { fieldname: 'friend', label: 'Friend', fieldtype: 'Link', options: 'Card' },
  ],
};

/** Characters that mean something in addresses, headers, patterns, SQL, or on a screen. */
const AWKWARD = [
  ...'%/#?&+=;:@!$()*,\'"`\\|^~[]{}_-. ',
  ...['%2F', '%2f', '%00', '%', '..', '...', '. ', '//', '/.a', 'é', 'e\u0301', 'ﬁ', 'İ', 'ß', 'ı'],
  ...[
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    '👍🏽',
    'שלום',
    'مرحبا',
    '\u200f',
    '漢字',
    'क्षि',
    '\u0301',
    '\u00a0',
    '\u200b',
    '\ufeff',
    '𝒳',
    '\u{10ffff}',
  ],
];
const FORBIDDEN = /[<>\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|(?:^|\/)\.{1,2}(?:\/|$)/u;

/** Names as they are stored: what no document may be called is tested elsewhere. */
const name = fc
  .array(fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: 'binary', maxLength: 3 })), {
    minLength: 1,
    maxLength: 50,
  })
  .map((parts) => [...parts.join('').trim()].slice(0, 130).join('').trim())
  .filter((text) => text.normalize('NFC').trim() !== '' && !FORBIDDEN.test(text.normalize('NFC').trim()));

describeEither('names', { doctypes: [CARD] }, (site) => {
  const path = (text: string) => `/api/resource/Card/${encodeURIComponent(text)}`;

  async function lives(given: string, next: string): Promise<void> {
    const made = await site.make('Card', { name: given, note: 'a' });
    const stored: string = made.name;
    assert.equal(stored, given.trim().normalize('NFC'));
    for (const spelling of new Set([stored, stored.normalize('NFD')])) {
      const read = await site.request('GET', path(spelling));
      assert.deepEqual([read.status, read.body.data?.name], [200, stored]);
    }
    const changed = await site.request('PUT', path(stored), { body: { note: 'b', friend: given.trim() } });
    assert.deepEqual([changed.status, changed.body.data?.friend], [200, stored], changed.text);
    const listed = await site.request(
      'GET',
      `/api/resource/Card?filters=${encodeURIComponent(JSON.stringify({ name: stored }))}`,
    );
    assert.deepEqual(listed.body.data, [{ name: stored }]);
    const again = await site.request('POST', '/api/resource/Card', { body: { name: given } });
    assert.equal(again.status, 409, again.text);

    const now: string = await site.call('frappe.client.rename_doc', {
      doctype: 'Card',
      old_name: stored,
      new_name: next,
    });
    const moved = await site.request('GET', path(now));
    assert.deepEqual([moved.status, moved.body.data?.friend, moved.body.data?.note], [200, now, 'b']);
    assert.equal((await site.request('GET', path(stored))).status, 404);
    await site.ok('DELETE', path(now));
    assert.equal((await site.request('GET', path(now))).status, 404);
  }

  test('any name lives its whole life through addresses', async () => {
    await fc.assert(
      fc.asyncProperty(name, name, async (given, next) => {
        fc.pre(given.normalize('NFC') !== next.normalize('NFC'));
        await lives(given, next);
      }),
      { numRuns: 60 },
    );
  });

  test('140 code points of any width', async () => {
    await lives('😀'.repeat(140), '\u{10ffff}'.repeat(140));
    await lives('/'.repeat(140), '%'.repeat(140));
    await lives('漢'.repeat(140), '\u05d0'.repeat(140));
  });
});
