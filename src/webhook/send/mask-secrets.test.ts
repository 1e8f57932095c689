import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maskSecrets } from './mask-secrets.ts';

const SECRET = `Bearer s3cr3t/"<&'+x`;
const MASK = '**********';

const code = (character: string, digits: number) =>
  character.charCodeAt(0).toString(16).padStart(digits, '0');
const unicode = (character: string) => `\\u${code(character, 4)}`;
const quoted = (character: string) => `=${code(character, 2).toUpperCase()}`;
const percent = (character: string) => `%${code(character, 2)}`;

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
    ['escaped for HTML by numbers', SECRET.replaceAll(/\W/g, (character) => `&#${character.charCodeAt(0)};`)],
    ['escaped for JSON by numbers', SECRET.replaceAll(/\W/g, unicode)],
    ['escaped for JSON, all of it', SECRET.replaceAll(/./g, unicode)],
    ['escaped for JSON twice', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['escaped for a URL, all of it', SECRET.replaceAll(/./g, percent)],
    ['escaped for a URL, the apostrophe too', encodeURIComponent(SECRET).replaceAll("'", '%27')],
    ['escaped for a URL twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['in quoted-printable', SECRET.replaceAll(/[^\w/'"<+&]/g, quoted)],
    ['in quoted-printable, all of it', SECRET.replaceAll(/./g, quoted)],
    ['in quoted-printable, broken into lines', SECRET.replaceAll(/.{5}/g, '$&=\r\n')],
    ['escaped for a URL, in quoted-printable', encodeURIComponent(SECRET).replaceAll('%', '=25')],
    ['behind a =', `token=${'ab'.repeat(4)}${SECRET.toUpperCase()}`],
    ['in hexadecimal, behind a =', `token=${Buffer.from(SECRET).toString('hex')}`],
    ['in upper case', SECRET.toUpperCase()],
    ['in lower case', SECRET.toLowerCase()],
    ['broken into lines', SECRET.replaceAll(/.{5}/g, '$&\r\n ')],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64url', Buffer.from(SECRET).toString('base64url')],
    ...[0, 1, 2].map((before) => {
      const text = `${'x'.repeat(before)}${JSON.stringify({ authorization: SECRET })}`;
      return [`in base64 of JSON, at ${before}`, Buffer.from(text).toString('base64')] as const;
    }),
  ] as const) {
    test(how, () => {
      const masked = maskSecrets(`<${form}|${form}>`, [SECRET]);
      assert.ok(!masked.toLowerCase().includes('s3cr3t'), masked);
      assert.ok(!masked.includes(form), masked);
      assert.match(masked, /^<.*\*{10}.*\|.*\*{10}.*>$/s);
    });
  }

  test('decoded, when it is Basic', () => {
    const basic = `Basic ${Buffer.from('ann:hunter22').toString('base64')}`;
    assert.equal(maskSecrets('user ann:hunter22', [basic]), `user ${MASK}`);
    assert.equal(maskSecrets('password hunter22', [basic]), `password ${MASK}`);
    assert.equal(maskSecrets(basic, [basic]), MASK);
  });

  test('when the text is cut within it', () => {
    assert.equal(maskSecrets('it was Bearer s3cr', [SECRET], true), `it was ${MASK}`);
    assert.equal(maskSecrets('it was Bearer s3cr', [SECRET], false), 'it was Bearer s3cr');
    for (const broken of ['%', '%2', '\\', '\\u', '\\u002', '&', '&#4', '&quo', '=', '=2']) {
      assert.equal(maskSecrets(`it was Bearer s3cr3t${broken}`, [SECRET], true), `it was ${MASK}${broken}`);
    }
  });

  test('when it is a signing secret, with and without its prefix', () => {
    assert.equal(maskSecrets('key whsec_aBcD1234=', ['whsec_aBcD1234=']), `key ${MASK}`);
    assert.equal(maskSecrets('key aBcD1234=', ['whsec_aBcD1234=']), `key ${MASK}`);
  });
});

test('a text is masked or not as the first time, whole and cut', () => {
  const secrets = [SECRET];
  for (let time = 0; time < 3; time += 1) {
    assert.equal(maskSecrets('it was Bearer s3cr', secrets), 'it was Bearer s3cr');
    assert.equal(maskSecrets('it was Bearer s3cr', secrets, true), `it was ${MASK}`);
    assert.equal(maskSecrets('text/plain', secrets, true), 'text/plain');
    assert.equal(maskSecrets(`it was ${SECRET}`, secrets), `it was ${MASK}`);
    assert.equal(maskSecrets('it was Bearer s3cr', ['s3cr']), `it was Bearer ${MASK}`);
    for (let index = 0; index < 100; index += 1) maskSecrets(`text ${index}`, secrets, index % 2 === 0);
  }
});

test('other texts are unchanged', () => {
  for (const text of ['', 'ok', '{"done": true}', 'Bearer of news']) {
    assert.equal(maskSecrets(text, [SECRET, 'ok', '', 'x']), text);
  }
});
