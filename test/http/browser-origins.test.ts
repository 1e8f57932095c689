/** What pages of other origins can do with a signed-in user's browser: a real one, with its own rules about cookies. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import crm from '../../apps/crm/app.ts';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { addClientPage, PAGE, type PageHost, startPageHost } from '../support/page-host.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { PATIENCE } from '../support/until.ts';

interface Answer {
  /** 0: the browser showed nothing of it. */
  readonly status: number;
  readonly text: string;
  readonly requestId: string | null;
}

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly mode?: 'no-cors';
  readonly credentials?: 'omit';
}

describe('pages of other origins', { skip: NO_BROWSER }, () => {
  let browser: Browser;
  let host: PageHost;
  before(async () => {
    host = await startPageHost();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  async function signedIn(site: TestSite): Promise<BrowserContext> {
    const context = await browser.newContext();
    await addClientPage(context, site.url);
    const page = await context.newPage();
    await page.goto(site.url + PAGE);
    const options = { method: 'POST', body: JSON.stringify({ usr: 'Administrator', pwd: 'admin-password' }) };
    const login = await ask(page, `${site.url}/api/method/login`, {
      ...options,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(login.status, 200);
    await page.close();
    return context;
  }

  async function pageAt(context: BrowserContext, name: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`http://${name}:${host.port}${PAGE}`);
    return page;
  }

  function ask(page: Page, url: string, init: Asked): Promise<Answer> {
    return page.evaluate(
      async ([address, options]) => {
        try {
          const response = await fetch(address, options);
          const requestId = response.headers.get('x-request-id');
          return { status: response.status, text: await response.text(), requestId };
        } catch {
          return { status: 0, text: '', requestId: null };
        }
      },
      [url, { credentials: 'include', ...init }] as const,
    );
  }

  async function submitForm(page: Page, action: string, encoding: string): Promise<number> {
    const answered = page.waitForResponse((response) => response.url().startsWith(action), {
      timeout: PATIENCE,
    });
    // Into a frame of its own, and not while the page is still being asked: navigating would end that.
    await page.evaluate(
      `{ const form = document.createElement('form');
         form.method = 'post'; form.action = ${JSON.stringify(action)}; form.enctype = '${encoding}';
         const input = document.createElement('input');
         // As text/plain, a form can send JSON.
         const text = ${JSON.stringify(encoding)} === 'text/plain';
         input.name = text ? '{"customer_name":"Forged","rest":"' : 'customer_name';
         input.value = text ? '"}' : 'Forged';
         const frame = document.createElement('iframe');
         frame.name = form.target = 'answer' + Math.random();
         form.append(input); document.body.append(form, frame);
         setTimeout(() => form.submit(), 0); }`,
    );
    return (await answered).status();
  }

  const customers = async (site: TestSite) =>
    (await site.ok('GET', '/api/resource/Customer')).map(({ name }: { name: string }) => name);

  describe('without allowCors', () => {
    let site: TestSite;
    let context: BrowserContext;
    before(async () => {
      site = await startTestSite('sqlite', { apps: [crm] });
      context = await signedIn(site);
      await site.request('POST', '/api/resource/Customer', { body: { customer_name: 'Mine' } });
    });
    after(async () => {
      await context?.close();
      await site?.stop();
    });

    // Cookies know no ports: 127.0.0.1 with another port is the same site and gets them, localhost is another.
    for (const [name, why] of [
      ['127.0.0.1', 'of the same site'],
      ['localhost', 'of another site'],
    ] as const) {
      test(`forms of a page ${why} are refused`, async () => {
        const page = await pageAt(context, name);
        for (const encoding of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
          for (const path of [
            '/api/resource/Customer',
            '/api/method/frappe.client.insert',
            '/?cmd=frappe.client.insert',
          ]) {
            const status = await submitForm(page, site.url + path, encoding);
            assert.ok([400, 403].includes(status), `${encoding} ${path}: ${status}`);
          }
        }
        assert.deepEqual(await customers(site), ['Mine']);
      });

      test(`scripts of a page ${why} write nothing and read nothing`, async () => {
        const page = await pageAt(context, name);
        const url = `${site.url}/api/resource/Customer`;
        const body = JSON.stringify({ customer_name: 'Forged' });
        const plain = { 'content-type': 'text/plain' };
        const json = { 'content-type': 'application/json' };
        for (const init of [
          { method: 'POST', body, headers: plain, mode: 'no-cors' },
          { method: 'POST', body, headers: plain },
          { method: 'POST', body, headers: json },
          { method: 'PUT', body, headers: json },
          { method: 'DELETE' },
          { method: 'GET' },
        ] as const) {
          const to = init.method === 'PUT' || init.method === 'DELETE' ? `${url}/Mine` : url;
          assert.deepEqual(await ask(page, to, init), { status: 0, text: '', requestId: null });
        }
        assert.deepEqual(await customers(site), ['Mine']);
        await page.close();
      });
    }

    test('a link from elsewhere opens a page as the user who is signed in', async () => {
      const page = await pageAt(context, 'localhost');
      const path = '/api/method/frappe.auth.get_logged_user';
      await page.evaluate(`location.href = ${JSON.stringify(site.url + path)}`);
      await page.waitForURL(site.url + path);
      assert.match(await page.content(), /Administrator/);
      await page.close();
    });
  });

  test('allowCors lets a named origin work as the user, and no other', async () => {
    const site = await startTestSite('sqlite', {
      apps: [crm],
      config: { allowCors: [`http://127.0.0.1:${host.port}`] },
    });
    const context = await signedIn(site);
    const url = `${site.url}/api/resource/Customer`;
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'from-another-origin' };
    const body = JSON.stringify({ customer_name: 'Named' });
    const page = await pageAt(context, '127.0.0.1');
    const made = await ask(page, url, { method: 'POST', headers, body });
    assert.equal(made.status, 200, made.text);
    assert.match(made.requestId ?? '', /./);
    assert.match((await ask(page, url, {})).text, /Named/);
    const unknown = await ask(page, `${url}/Nobody`, {});
    assert.equal(unknown.status, 404, 'refusals can be read too');
    assert.equal((await ask(page, `${url}/Named`, { method: 'DELETE' })).status, 202);

    const other = await pageAt(context, 'localhost');
    assert.equal((await ask(other, url, {})).status, 0);
    assert.equal((await ask(other, url, { method: 'POST', headers, body })).status, 0);
    assert.deepEqual(await customers(site), []);
    await context.close();
    await site.stop();
  });

  test('allowCors of * lets every page work with a key, and none with the cookies of a user', async () => {
    const site = await startTestSite('sqlite', { apps: [crm], config: { allowCors: ['*'] } });
    const context = await signedIn(site);
    const url = `${site.url}/api/resource/Customer`;
    for (const name of ['127.0.0.1', 'localhost']) {
      const page = await pageAt(context, name);
      const who = await ask(page, `${site.url}/api/method/frappe.auth.get_logged_user`, {});
      assert.equal(who.status, 403, name);
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ customer_name: `By ${name}` });
      const forged = await ask(page, url, { method: 'POST', headers, body });
      assert.ok([400, 403].includes(forged.status), `${forged.status}`);
      const key = { ...headers, authorization: `token ${site.adminKey}` };
      const made = await ask(page, url, { method: 'POST', headers: key, body, credentials: 'omit' });
      assert.equal(made.status, 200);
      await page.close();
    }
    assert.deepEqual((await customers(site)).sort(), ['By 127.0.0.1', 'By localhost']);
    await context.close();
    await site.stop();
  });
});
