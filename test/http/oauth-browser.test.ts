/** Signing in, being asked, and coming back in a real browser, whose rules for forms, cookies and policies decide. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { CLIENT, IdentityProvider } from '../support/identity-provider.ts';
import { OAuthParty } from '../support/oauth.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { PATIENCE } from '../support/until.ts';

describe('OAuth in a browser', { skip: NO_BROWSER }, () => {
  let site: TestSite;
  let party: OAuthParty;
  let browser: Browser;
  let program: Server;
  let provider: IdentityProvider;
  let callback: string;
  before(async () => {
    site = await startTestSite('sqlite', { config: { signIn: { allow: ['127.0.0.0/8'] } } });
    party = new OAuthParty(site);
    await party.signedIn('ann@example.com');
    program = createServer((_request, response) => response.end('back at the program'));
    program.listen(0, '127.0.0.1');
    await once(program, 'listening');
    // Another site, not only another port.
    callback = `http://localhost:${(program.address() as AddressInfo).port}/callback`;
    provider = await IdentityProvider.start([`${site.url}/api/auth/elsewhere/callback`]);
    provider.people.set('sub-1', { email: 'ann@example.com', email_verified: true });
    const body = {
      provider_name: 'Elsewhere',
      base_url: provider.issuer,
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      enable_social_login: 1,
    };
    await site.make('Social Login Key', body);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
    await provider?.stop();
    program?.close();
  });

  async function open(fields: object): Promise<{ page: Page; problems: string[]; client: string }> {
    const options = { default_redirect_uri: callback, ...fields };
    const { name: client } = await party.client(options);
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE);
    const problems: string[] = [];
    page.on('console', (message) => {
      // The browser looks for an icon by itself.
      if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
        problems.push(message.text());
    });
    const asked = new URLSearchParams(party.ask(client, { redirect_uri: callback }));
    await page.goto(`${site.url}/api/method/frappe.integrations.oauth2.authorize?${asked}`);
    return { page, problems, client };
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Email').fill('ann@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function codeIn(page: Page): Promise<string> {
    await page.waitForURL(`${callback}**`);
    return new URL(page.url()).searchParams.get('code') ?? '';
  }

  test('password, question, and back with a code that holds', async () => {
    const { page, problems, client } = await open({ token_endpoint_auth_method: 'None' });
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    const reply = await party.redeem(client, await codeIn(page), { redirect_uri: callback });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('who refuses comes back, too', async () => {
    const { page, problems } = await open({ token_endpoint_auth_method: 'None' });
    await signIn(page);
    await page.getByRole('button', { name: 'Refuse' }).click();
    assert.equal(await codeIn(page), '');
    assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('where nobody is asked, the password alone leads back', async () => {
    const { page, problems } = await open({ skip_authorization: 1 });
    await signIn(page);
    assert.match(await codeIn(page), /^[\w-]{43}$/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('by way of a provider', async () => {
    const { page, problems } = await open({ token_endpoint_auth_method: 'None' });
    await page.getByRole('link', { name: 'Elsewhere' }).click();
    await page.getByText('You are ann@example.com').waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    assert.match(await codeIn(page), /^[\w-]{43}$/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
