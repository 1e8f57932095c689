import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebhookReceiver } from '../support/receiver.ts';
import { describeStory } from './support/story.ts';

describeStory('home of the admin UI', (story) => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.start();
    receiver.mode = 500;
    await story.site.make('Buyer', { buyer_name: 'Ada', company: 'Analytical Engines' });
    await story.site.make('Webhook', {
      name: 'crm',
      webhook_doctype: 'Buyer',
      webhook_docevent: 'on_update',
      request_url: receiver.url,
      max_retries: 0,
    });
    await story.site.ask('PUT', '/api/resource/Buyer/Ada', { city: 'Paris' });
    await receiver.until((all) => all.length === 1);
  });
  after(() => receiver?.close());

  for (const theme of ['light', 'dark'] as const)
    test(`figures, charts and failing webhooks, in ${theme}`, () =>
      story.on({ theme, user: 'manager@example.com' }, async ({ page, open, axe, domNodes }) => {
        await open('/app');
        const figures = page.getByRole('region', { name: 'Figures' });
        await figures.getByText('Given up').waitFor();
        const charts = page.locator('canvas');
        await charts.nth(1).waitFor();
        await axe();
        // The same numbers for whoever does not see the picture.
        await page.getByText('Table', { exact: true }).first().click();
        await page.getByRole('region', { name: 'Deliveries as a table' }).getByRole('row').nth(1).waitFor();
        await axe();
        await page.getByText('7 d', { exact: true }).click();
        await page.waitForURL(/range=7d/);
        await figures.getByText('Deliveries, 7 d').waitFor();
        assert.ok((await domNodes()) < 2_500);
      }));

  test('failed deliveries are sent again, after their number was shown', () =>
    story.on({ user: 'manager@example.com' }, async ({ page, open }) => {
      await open('/app');
      const failing = page.getByRole('region', { name: 'Failing webhooks' });
      await failing.getByText(/http_status/).waitFor();
      receiver.mode = 'ok';
      await failing.getByRole('button', { name: 'Resend failed' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resend deliveries' });
      await dialog.getByText('1 delivery will be resent.').waitFor();
      await dialog.getByRole('button', { name: 'Resend 1' }).click();
      await receiver.until((all) => all.length === 2);
      await failing.getByRole('link', { name: 'Deliveries' }).click();
      await page.waitForURL(/deliveries\?.*webhook=crm/);
    }));

  test('a user without permission on webhooks sees recent changes, but no deliveries', () =>
    story.on({ user: 'clerk@example.com', width: 320, height: 700 }, async ({ page, open, axe }) => {
      const asked: string[] = [];
      page.on('request', (request) => void asked.push(request.url()));
      await open('/app');
      const recent = page.getByRole('region', { name: 'Recently changed' });
      await recent.getByRole('link', { name: 'Analytical Engines' }).waitFor();
      assert.equal(await page.getByRole('region', { name: 'Figures' }).count(), 0);
      assert.deepEqual(
        asked.filter((url) => url.includes('chancery.webhook')),
        [],
      );
      await page.getByText('By me').click();
      await recent.getByText('No records yet').waitFor();
      await page
        .getByRole('region', { name: 'Doctypes' })
        .getByRole('link', { name: 'Buyer', exact: true })
        .waitFor();
      await axe();
    }));
});
