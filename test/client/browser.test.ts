/** `chancery/client` in a real browser, as modules without a bundler, signed in by cookie. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import crm from '../../apps/crm/app.ts';
import type { DocTypes } from '../../apps/crm/doctypes.d.ts';
import type * as chancery from '../../src/client.ts';
import { NO_BROWSER, startBrowser, type Watch, watch } from '../support/browser.ts';
import { addClientPage, PAGE } from '../support/page-host.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

type Module = typeof chancery;

describe('the client in a browser', { skip: NO_BROWSER }, () => {
  let site: TestSite;
  let browser: Browser;
  let page: Page;
  let seen: Watch;
  before(async () => {
    site = await startTestSite('sqlite', { apps: [crm] });
    browser = await startBrowser();
    const context = await browser.newContext();
    await addClientPage(context, site.url);
    page = await context.newPage();
    seen = watch(page, site.url);
    await page.goto(site.url + PAGE);
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
  });

  test('signing in sets a session cookie that scripts cannot read', async () => {
    const answer = await page.evaluate(async () => {
      const { createClient }: Module = await import(String('/client.ts'));
      const client = createClient<DocTypes>({ url: '' });
      const refused = await client.list('Customer').catch((error: unknown) => error);
      const status = refused instanceof Error && 'status' in refused ? refused.status : 0;
      await client.call('login', { usr: 'Administrator', pwd: 'admin-password' });
      const who = await client.call('frappe.auth.get_logged_user', {}, { method: 'GET' });
      return { status, who };
    });
    const readable = await page.evaluate<string>('document.cookie');
    assert.equal(answer.status, 403);
    assert.equal(answer.who, 'Administrator');
    assert.match(readable, /user_id=Administrator/);
    assert.doesNotMatch(readable, /sid=/);
    const cookies = await page.context().cookies();
    const sid = cookies.find(({ name }) => name === 'sid');
    assert.equal(sid?.httpOnly, true);
    assert.equal(sid?.sameSite, 'Lax');
    assert.ok(cookies.every((cookie) => cookie.sameSite === 'Lax' && cookie.path === '/'));
  });

  test('documents can be created, read, changed, listed completely and deleted', async () => {
    const answer = await page.evaluate(async () => {
      const { createClient }: Module = await import(String('/client.ts'));
      const client = createClient<DocTypes>({ url: '' });
      for (const name of ['B 1', 'B 2', 'B 3', 'B 4', "B / 'ü'"])
        await client.create('Customer', { customer_name: name, industry: 'Browser' });
      const { doc, revision } = await client.readWithRevision('Customer', "B / 'ü'");
      const changed = await client.update('Customer', doc.name, { phone: '123' }, { revision });
      const late = await client
        .update('Customer', doc.name, { phone: '4' }, { revision })
        .catch((error: unknown) => String(Reflect.get(Object(error), 'type')));
      await client.delete('Customer', doc.name);
      const names: string[] = [];
      const list = { filters: { industry: 'Browser' }, orderBy: 'name desc', limit: 3 } as const;
      for await (const row of client.each('Customer', list)) names.push(row.name);
      return {
        phone: changed.phone,
        late,
        names,
        count: await client.count('Customer', { filters: list.filters }),
      };
    });
    assert.deepEqual(answer, {
      phone: '123',
      late: 'PreconditionFailedError',
      names: ['B 4', 'B 3', 'B 2', 'B 1'],
      count: 4,
    });
  });

  test('an upload reports its progress and can be aborted', async () => {
    const answer = await page.evaluate(async () => {
      const { createClient }: Module = await import(String('/client.ts'));
      const client = createClient<DocTypes>({ url: '' });
      const bytes = new Uint8Array(3_000_000).fill(65);
      const steps: { sent: number; total: number }[] = [];
      const upload = await client.upload(new File([bytes], 'large ü.bin'), {
        isPrivate: true,
        onProgress: (step) => steps.push(step),
      });
      const back = await (await fetch(upload.file_url)).arrayBuffer();
      const stop = new AbortController();
      const givenUp = client.upload(new Blob([bytes]), {
        name: 'given-up.bin',
        signal: stop.signal,
        onProgress: () => stop.abort(),
      });
      const abort = await givenUp.catch((error: unknown) => String(Reflect.get(Object(error), 'name')));
      const read = client.list('Customer', { signal: AbortSignal.abort() });
      const reading = await read.catch((error: unknown) => String(Reflect.get(Object(error), 'name')));
      return { name: upload.file_name, steps, length: back.byteLength, abort, reading };
    });
    assert.equal(answer.name, 'large ü.bin');
    assert.equal(answer.length, 3_000_000);
    assert.ok(answer.steps.length > 0);
    assert.deepEqual(answer.steps.at(-1), { sent: 3_000_000, total: 3_000_000 });
    assert.ok(answer.steps.every((step, index) => step.sent >= (answer.steps[index - 1]?.sent ?? 0)));
    assert.equal(answer.reading, 'AbortError');
    assert.equal(answer.abort, 'AbortError');
  });

  test('signing out ends the session, and no request went to another origin', async () => {
    const status = await page.evaluate(async () => {
      const { createClient }: Module = await import(String('/client.ts'));
      const client = createClient<DocTypes>({ url: '' });
      await client.call('logout');
      const refused = await client.list('Customer').catch((error: unknown) => error);
      return Reflect.get(Object(refused), 'status');
    });
    assert.equal(status, 403);
    assert.deepEqual(seen.foreign, []);
    // A browser notes every refusal and what was given up; nothing else is wrong.
    assert.deepEqual(
      seen.console.filter((line) => !/Failed to load resource/.test(line)),
      [],
    );
  });
});
