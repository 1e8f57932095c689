import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { WebhookReceiver } from '../support/receiver.ts';
import { becomes } from './support/becomes.ts';
import { describeStory } from './support/story.ts';

const API = '/api/resource/Webhook';
const HOSTILE = '<img src=x onerror=window.ran=1>';

describeStory('deliveries in the admin UI', (story) => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.start();
    for (const name of ['Ada', 'Grace'])
      await story.site.make('Buyer', { buyer_name: name, company: name, city: 'London' });
  });
  after(() => receiver?.close());
  beforeEach(async () => {
    receiver.mode = 'ok';
    receiver.decide = null;
    receiver.received.length = 0;
    for (const { name } of await story.site.ask('GET', `${API}?limit_page_length=0`))
      await story.site.ask('DELETE', `${API}/${encodeURIComponent(name)}`);
  });

  const hook = async (fields: object = {}): Promise<string> => {
    const made = await story.site.make('Webhook', {
      webhook_doctype: 'Buyer',
      webhook_docevent: 'on_update',
      request_url: receiver.url,
      max_retries: 0,
      ...fields,
    });
    return made.name;
  };
  const save = (name: string, fields: object) =>
    story.site.ask('PUT', `/api/resource/Buyer/${encodeURIComponent(name)}`, fields);

  test('the address holds the filters, and bulk actions affect exactly the shown deliveries', () =>
    story.on({}, async ({ page, open, axe }) => {
      const name = await hook();
      receiver.decide = ({ body }) => (body.toString().includes('Ada') ? 500 : 'ok');
      await save('Ada', { city: 'Paris' });
      await save('Grace', { city: 'Paris' });
      await save('Ada', { city: 'Rome' });
      await receiver.until((all) => all.length === 3);
      await open(`/app/deliveries?webhook=${encodeURIComponent(name)}`);
      const rows = page.locator('tbody tr');
      await page.getByText('Given up').nth(1).waitFor();
      await becomes(() => rows.count(), 3);
      await page.getByRole('button', { name: /^Status/ }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Given up' }).click();
      await page.getByText('1–2 of 2').waitFor();
      await page.waitForURL(/status=Exhausted/);
      await page.getByRole('searchbox', { name: 'Document' }).fill('Ada');
      await page.waitForURL(/document=Ada/);
      await page.reload();
      await page.getByText('1–2 of 2').waitFor();
      await becomes(() => page.getByRole('searchbox', { name: 'Document' }).inputValue(), 'Ada');
      await axe();

      receiver.decide = null;
      receiver.received.length = 0;
      // Where only failures are shown, the button tells how many it resends.
      await page.getByRole('button', { name: 'Resend 2' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resend deliveries' });
      await dialog.getByText('2 deliveries will be resent.').waitFor();
      await dialog.getByRole('button', { name: 'Resend 2 deliveries' }).click();
      await page.getByText('2 deliveries resent').first().waitFor();
      const sent = await receiver.until((all) => all.length === 2);
      assert.ok(sent.every(({ body }) => body.toString().includes('Ada')));
      // They are recovered, so nothing is left to resend.
      await page.getByText('No matching deliveries').waitFor();
      await page.getByRole('button', { name: 'Resend 2' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^Status/ }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Recovered' }).click();
      await page.getByText('1–2 of 2').waitFor();
      await page.keyboard.press('Escape');
      await rows.first().getByText('HTTP 500 Internal Server Error').waitFor();

      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.waitForURL((url) => url.search === '');
      await open('/app/deliveries?document=nobody&http=4xx');
      await page.getByText('No matching deliveries').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await page.waitForURL((url) => url.search === '');
    }));

  test('a delivery that was given up tells that its resend waits, in the list and in its panel', () =>
    story.on({}, async ({ page, open }) => {
      const name = await hook();
      receiver.mode = 500;
      await save('Ada', { city: 'Oslo' });
      await open(`/app/deliveries?webhook=${encodeURIComponent(name)}`);
      await page.getByText('Given up').waitFor();
      // The resend is tried again later.
      await story.site.ask('PUT', `${API}/${encodeURIComponent(name)}`, { max_retries: 5 });
      const query = new URLSearchParams({ filters: JSON.stringify({ webhook: name }) });
      const [log] = await story.site.ask('GET', `/api/resource/Webhook%20Request%20Log?${query}`);
      await story.site.ask('POST', '/api/method/chancery.webhook.resend', { name: log.name });
      const row = page.locator('tbody tr').filter({ hasText: 'Given up' });
      await row.getByText('Resend waits').waitFor();
      await row.getByRole('button').click();
      await page.getByRole('dialog').getByText('Resend waits').waitFor();
      assert.equal(await page.locator('tbody').getByText('Resend waits').count(), 1);
    }));

  test('the list can be paused and resumed', () =>
    story.on({}, async ({ page, open }) => {
      const name = await hook();
      await save('Ada', { city: 'Oslo' });
      await page.clock.install();
      await open(`/app/deliveries?webhook=${encodeURIComponent(name)}`);
      const rows = page.locator('tbody tr');
      await rows.first().waitFor();
      await page.keyboard.press('p');
      await page.getByText('Paused', { exact: true }).waitFor();
      let looks = 0;
      page.on('request', (request) => {
        if (request.url().includes('limit_page_length=50')) looks += 1;
      });
      await save('Grace', { city: 'Oslo' });
      await receiver.until((all) => all.length === 2);
      // A live list would ask again within this time.
      await page.clock.fastForward(60_000);
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      assert.equal(await rows.count(), 1);
      assert.equal(looks, 0);
      await page.keyboard.press('p');
      await page.getByText('Live', { exact: true }).waitFor();
      await rows.nth(1).waitFor();
    }));

  test('the keyboard moves between rows, opens one and returns to it', () =>
    story.on({}, async ({ page, open }) => {
      const name = await hook();
      await save('Ada', { city: 'Bern' });
      await save('Grace', { city: 'Bern' });
      await receiver.until((all) => all.length === 2);
      await open(`/app/deliveries?webhook=${encodeURIComponent(name)}`);
      await page.locator('tbody tr').nth(1).waitFor();
      await page.keyboard.press('p');
      await page.getByText('Paused', { exact: true }).waitFor();
      const openers = page.locator('tbody button');
      await openers.first().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('k');
      await page.keyboard.press('j');
      await becomes(() => openers.nth(1).evaluate((one) => one === document.activeElement), true);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Delivery' }).getByRole('link', { name: 'Buyer Ada' }).waitFor();
      await page.waitForURL(/delivery=dlv_/);
      await page.getByRole('dialog').locator(':focus').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.waitForURL((url) => !url.search.includes('delivery='));
    }));

  test('a resting receiver explains why its deliveries wait', () =>
    story.on({}, async ({ page, open, axe }) => {
      const name = await hook({ max_retries: 5 });
      receiver.mode = 500;
      for (const city of ['Rome', 'Oslo', 'Bern', 'Graz', 'Wien']) {
        await save('Ada', { city });
        await save('Grace', { city });
      }
      await open(`/app/deliveries?webhook=${encodeURIComponent(name)}`);
      await page.getByText(/^The receiver of .* next probe \d/).waitFor();
      await page
        .locator('tbody')
        .getByText(/next probe \d/)
        .first()
        .waitFor();
      await axe();
    }));

  test('waiting deliveries are cancelled, after their exact number was shown', () =>
    story.on({}, async ({ page, open, axe }) => {
      const name = await hook();
      // The receiver asks for an hour without requests.
      receiver.mode = 'retry-after';
      await save('Ada', { city: 'Graz' });
      await open(`/app/webhooks/${encodeURIComponent(name)}?tab=deliveries`);
      await page.getByText('Given up').first().waitFor();
      await save('Ada', { city: 'Wien' });
      await save('Grace', { city: 'Wien' });
      await page.getByText('Queued').nth(1).waitFor();
      await page.getByRole('button', { name: 'Many deliveries' }).click();
      await page.getByRole('menuitem', { name: 'Cancel all waiting…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Cancel waiting deliveries' });
      await dialog.getByText('2 waiting deliveries will be cancelled.').waitFor();
      await axe();
      await dialog.getByRole('button', { name: 'Cancel 2 deliveries' }).click();
      await page.getByText('Not sent').nth(1).waitFor();
      assert.equal(receiver.received.length, 1);
    }));

  test('hostile values are shown as text, also on a small dark screen', () =>
    story.on({ theme: 'dark', width: 320, height: 700 }, async ({ page, open, axe, domNodes }) => {
      const name = await hook({
        name: 'hook "onclick="window.ran=1',
        webhook_json: `{"company": "${HOSTILE}"}`,
      });
      await save('Ada', { city: 'Ulm' });
      await receiver.until((all) => all.length === 1);
      await open(`/app/deliveries?webhook=${encodeURIComponent(name)}`);
      // A phone shows the whole state of a delivery.
      const badge = page.locator('tbody tr').first().getByText('Delivered', { exact: true });
      await badge.waitFor();
      assert.equal(await badge.evaluate((one) => one.scrollWidth > one.clientWidth), false);
      await page.locator('tbody button').first().click();
      const drawer = page.getByRole('dialog', { name: 'Delivery' });
      await drawer.getByText(/"company": "<img/).waitFor();
      await axe();
      await becomes(
        () =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
        0,
      );
      assert.ok((await domNodes()) < 2_500);
    }));

  test('a user without permission on webhooks sees a message', () =>
    story.on({ user: 'clerk@example.com' }, async (admin) => {
      admin.expect(/status of 403/);
      await admin.open('/app/deliveries');
      await admin.page.getByRole('heading', { name: 'You have no access to this page' }).waitFor();
      await admin.axe();
    }));
});
