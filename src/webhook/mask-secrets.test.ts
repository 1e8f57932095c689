import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maskSecrets } from './mask-secrets.ts';

const SECRET = `Bearer s3cr3t/"<&'+x`;
const MASK = '**********';

describe('a secret is masked in a text', () => {
  for (const [how, form] of [
    ['as it was sent', SECRET],
    ['without its scheme', `s3cr3t/"<&'+x`],
    ['escaped for JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['escaped for JSON as PHP does', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    ['escaped for a URL', encodeURIComponent(SECRET)],
    ['escaped for a form', encodeURIComponent(SECRET).replaceAll('%20', '+')],
    [
      'escaped for a URL in lower case',
      encodeURIComponent(SECRET).replaceAll('%2F', '%2f').replaceAll('%3C', '%3c').replaceAll('%2B', '%2b'),
    ],
    ['escaped for HTML', `Bearer s3cr3t/"&lt;&amp;'+x`],
    ['escaped for an HTML attribute', 'Bearer s3cr3t/&quot;&lt;&amp;&#39;+x'],
    ['in base64', Buffer.from(SECRET).toString('base64')],
  ] as const) {
    test(how, () => {
      const masked = maskSecrets(`<${form}|${form}>`, [SECRET]);
      assert.ok(!masked.includes('s3cr3t'), masked);
      assert.ok(!masked.includes(form), masked);
      assert.match(masked, /^<.*\*{10}.*\|.*\*{10}.*>$/);
    });
  }

  test('decoded, when it is Basic', () => {
    const basic = `Basic ${Buffer.from('ann:hunter22').toString('base64')}`;
    assert.equal(maskSecrets('user ann:hunter22', [basic]), `user ${MASK}`);
    assert.equal(maskSecrets('password hunter22', [basic]), `password ${MASK}`);
    assert.equal(maskSecrets(basic, [basic]), MASK);
  });

  test('where the text breaks off within it', () => {
    assert.equal(maskSecrets('it was Bearer s3cr', [SECRET], true), `it was ${MASK}`);
    assert.equal(maskSecrets('it was Bearer s3cr', [SECRET], false), 'it was Bearer s3cr');
  });
});

test('other texts stay as they are', () => {
  for (const text of ['', 'ok', '{"done": true}', 'Bearer of news']) {
    assert.equal(maskSecrets(text, [SECRET, 'ok', '', 'x']), text);
  }
});
