/** `/docs` in a real browser: it renders, requests can be tried, and nothing breaks its policy. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import crm from '../../apps/crm/app.ts';
import { NO_BROWSER, startBrowser, type Watch, watch } from '../support/browser.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { PATIENCE } from '../support/until.ts';

describe('the reference page in a browser', { skip: NO_BROWSER }, () => {
  let site: TestSite;
  let browser: Browser;
  before(async () => {
    site = await startTestSite('sqlite', { apps: [crm] });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
  });

  // Sections are closed at first.
  async function openOperation(page: Page, section: string, kind: string, path: string): Promise<Locator> {
    await page.locator(`#operations-tag-${section}`).click();
    const summary = page.locator(`.opblock-summary-path[data-path="${path}"]`);
    const operation = page.locator(`.opblock-${kind}`).filter({ has: summary });
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.opblock-body').waitFor();
    return operation;
  }

  async function open(): Promise<{ page: Page; seen: Watch; downloads: string[] }> {
    const page = await browser.newPage();
    const seen = watch(page, site.url);
    const downloads: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/openapi.json'))
        downloads.push(request.headers()['authorization'] ?? 'nobody');
    });
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`${site.url}/docs`);
    await page.locator('.opblock-tag').first().waitFor();
    return { page, seen, downloads };
  }

  test('it shows what a guest may use, and breaks no rule of its policy', async () => {
    const { page, seen, downloads } = await open();
    const operation = await openOperation(page, 'Methods', 'post', '/api/method/login');
    await operation.filter({ hasText: 'Responses' }).waitFor();
    assert.equal(await page.locator('#operations-tag-Customer').count(), 0);
    assert.deepEqual(downloads, ['nobody']);
    assert.deepEqual(seen, { console: [], foreign: [] });
    await page.close();
  });

  test('with a key it shows what the user may use, and requests can be tried', async () => {
    const { page, seen, downloads } = await open();
    await page.locator('button.authorize').first().click();
    const dialog = page.locator('.dialog-ux');
    await dialog.locator('input').first().fill(site.adminKey);
    await dialog.locator('button.authorize').first().click();
    await dialog.locator('button.btn-done').first().click();
    await page.locator('#operations-tag-Customer').waitFor();
    assert.deepEqual(downloads, ['nobody', `token ${site.adminKey}`]);

    await site.request('POST', '/api/resource/Customer', { body: { customer_name: 'Seen by the viewer' } });
    const list = await openOperation(page, 'Customer', 'get', '/api/resource/Customer');
    await list.locator('button.try-out__btn').click();
    await list.locator('button.execute').click();
    const reply = list.locator('.live-responses-table');
    await reply.filter({ hasText: '200' }).filter({ hasText: 'Seen by the viewer' }).waitFor();
    assert.deepEqual(seen, { console: [], foreign: [] });

    // What was typed in is gone with the page.
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    assert.equal(kept, '[{},{},""]');
    await page.close();
  });
});
