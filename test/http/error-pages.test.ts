/** A browser that opens an address outside the API sees a failure as a page; programs get it as data. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestSite, type TestSite } from '../support/site.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('failures in a browser', () => {
  let site: TestSite;
  before(async () => {
    site = await startTestSite('sqlite');
  });
  after(() => site?.stop());

  const open = (path: string, headers: Record<string, string> = BROWSER) =>
    site.request('GET', path, { as: null, headers });

  const pages: readonly [path: string, status: number, title: string, offersSignIn: boolean][] = [
    ['/nowhere', 404, 'Page not found', false],
    ['/private/files/secret.pdf', 403, 'You have no access to this page', true],
    ['/printview?doctype=User&name=Administrator', 403, 'You have no access to this page', true],
    ['/printview', 417, 'This address is not valid', false],
  ];
  for (const [path, status, title, offersSignIn] of pages)
    test(`${path} says “${title}”`, async () => {
      const reply = await open(path);
      assert.equal(reply.status, status);
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(reply.text, new RegExp(`<h1>${title}</h1>`));
      assert.equal(reply.text.includes('/login?redirect-to='), offersSignIn);
      assert.ok(reply.text.includes(reply.headers.get('x-request-id') ?? 'no id'));
      assert.match(
        reply.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; style-src 'sha256-/,
      );
    });

  test('texts of the address are escaped', async () => {
    const { status, text } = await open('/printview?doctype=%3Cscript%3Ealert(1)%3C/script%3E&name=x');
    assert.equal(status, 404);
    assert.ok(!text.includes('<script'), text);
  });

  const data: readonly [path: string, headers: Record<string, string>][] = [
    ['/nowhere', { accept: '*/*' }],
    ['/nowhere', { accept: 'application/json' }],
    ['/api/nowhere', BROWSER],
    ['/api/resource/Ticket/T-1', BROWSER],
  ];
  for (const [path, headers] of data)
    test(`${path} with ${headers['accept']} answers data`, async () => {
      const { headers: got, body } = await open(path, headers);
      assert.equal(got.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(typeof body.exc_type, 'string');
    });

  test('a program with a key gets data', async () => {
    const { headers } = await site.request('GET', '/nowhere', { headers: BROWSER });
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  });
});
