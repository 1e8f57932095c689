import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebhookReceiver } from '../support/receiver.ts';
import { becomes } from './support/becomes.ts';
import { settled } from './support/screens.ts';
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
      await failing.getByText('HTTP 500 Internal Server Error').waitFor();
      // Every attempt failed, and the tile says so.
      await page.getByRole('region', { name: 'Figures' }).getByText('0 of 1 attempts').waitFor();
      receiver.mode = 'ok';
      await failing.getByRole('button', { name: 'Resend failed' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resend deliveries' });
      await dialog.getByText('1 delivery will be resent.').waitFor();
      await dialog.getByRole('button', { name: 'Resend 1' }).click();
      await receiver.until((all) => all.length === 2);
      await failing.getByRole('link', { name: 'Deliveries' }).click();
      await page.waitForURL(/deliveries\?.*webhook=crm/);
      // What the resend has delivered is recovered: nothing is left to resend, and Home names no failure.
      await page.getByText('No matching deliveries').waitFor();
      await open('/app/deliveries?webhook=crm');
      await page.getByText('Recovered').waitFor();
      await open('/app');
      await page.getByRole('region', { name: 'Figures' }).getByText('1 recovered').waitFor();
      await page.getByRole('region', { name: 'Recently changed' }).waitFor();
      assert.equal(await failing.count(), 0);
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
      // Ada was changed by somebody else.
      await recent.getByRole('region', { name: 'By others' }).waitFor();
      await page
        .getByRole('region', { name: 'Doctypes' })
        .getByRole('link', { name: 'Buyer', exact: true })
        .waitFor();
      await axe();
    }));

  test('the first steps lead to a doctype, a key and a webhook, and go away', () =>
    story.on({}, async ({ page, open, axe }) => {
      const steps = page.getByRole('region', { name: 'First steps' });
      await open('/app');
      await steps.getByText('3 of 4 done').waitFor();
      await axe();
      await steps.getByRole('button', { name: 'New API key' }).click();
      const form = page.getByRole('dialog', { name: 'New API key' });
      await form.getByRole('textbox', { name: 'Label' }).fill('Till');
      await form.getByRole('button', { name: 'Create key' }).click();
      // The key is the last step: the steps go, and the secret stays until it is closed.
      const secret = page.getByRole('dialog', { name: 'The key and its secret' });
      const command = await secret.getByText(/^curl -H/).textContent();
      const header = /'Authorization: (token [^']+)'/.exec(command ?? '')?.[1];
      assert.equal(
        await story.site.ask('GET', '/api/method/frappe.auth.get_logged_user', undefined, header),
        'Administrator',
      );
      await steps.waitFor({ state: 'detached' });
      await axe();
      await secret.getByRole('checkbox').click();
      await secret.getByRole('button', { name: 'Done' }).click();
      await secret.waitFor({ state: 'detached' });
    }));

  test('the first steps suggest a receiver, and can be dismissed', () =>
    story.on({}, async ({ page, open, axe }) => {
      for (const { name } of await story.site.ask('GET', '/api/resource/Webhook'))
        await story.site.ask('DELETE', `/api/resource/Webhook/${name}`);
      await open('/app');
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.getByRole('button', { name: 'A receiver to try' }).click();
      await axe();
      await steps.getByRole('button', { name: 'New webhook for this receiver' }).click();
      await page.waitForURL(/new-webhook/);
      await becomes(
        () => page.getByRole('textbox', { name: 'URL' }).inputValue(),
        'http://127.0.0.1:9000/hook',
      );
      await page.goBack();
      await steps.getByRole('button', { name: 'Dismiss' }).click();
      await steps.waitFor({ state: 'detached' });
      // It stays away.
      await page.reload();
      await page.getByRole('region', { name: 'Recently changed' }).waitFor();
      await settled(page);
      assert.equal(await steps.count(), 0);
    }));
});
