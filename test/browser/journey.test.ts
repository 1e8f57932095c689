/** A working day without a mouse: sign in, write a bill, submit it, and see that it was told. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { WebhookReceiver } from '../support/receiver.ts';
import { becomes } from './support/becomes.ts';
import { control, focused } from './support/form-page.ts';
import { describeStory } from './support/story.ts';
import { PASSWORD, USERS } from './support/story-site.ts';

/** Presses Tab until this has the focus, as somebody does who looks for it. */
async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.waitFor();
  for (let press = 0; press < 80; press += 1) {
    if (await what.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`no way by Tab to ${what}`);
}

describeStory('without a mouse', (story) => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.start();
    await story.site.make('Buyer', { buyer_name: 'maple', company: 'Maple Bakery', city: 'Lyon' });
    await story.site.make('Webhook', {
      name: 'Warehouse',
      webhook_doctype: 'Bill',
      webhook_docevent: 'on_submit',
      request_url: receiver.url,
    });
  });
  after(() => receiver?.close());

  test('an invoice is written and submitted, and its delivery is shown', { timeout: 300_000 }, () =>
    story.on({ user: null, patience: 60_000 }, async ({ page, open, context, axe }) => {
      await context.addInitScript(() => {
        const seen = globalThis as unknown as { pointed?: string };
        addEventListener('pointerdown', (event) => (seen.pointed = String(event.target)), true);
      });
      const { keyboard } = page;
      await open('/app');
      await tabTo(page, page.getByLabel('E-mail'));
      await keyboard.type(USERS.manager);
      await tabTo(page, page.getByRole('textbox', { name: 'Password', exact: true }));
      await keyboard.type(PASSWORD);
      await keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /^Welcome/ }).waitFor();

      await keyboard.press('Control+k');
      await keyboard.type('new bill');
      const search = page.getByRole('combobox', { name: 'Search and commands' });
      await search.and(page.locator(':focus')).waitFor();
      await page.getByRole('option', { name: 'New Bill', selected: true }).waitFor();
      await keyboard.press('Enter');

      await page.getByRole('heading', { level: 1, name: 'New Bill' }).waitFor();
      // The focus begins at the first field that a user fills in.
      await focused(page, 'title');
      await keyboard.type('Bread for the canteen');
      await tabTo(page, control(page, 'buyer'));
      await keyboard.type('maple');
      await page.getByRole('option', { name: /Maple Bakery/ }).waitFor();
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await becomes(() => control(page, 'buyer').inputValue(), 'Maple Bakery');

      const grid = page.getByRole('grid', { name: /Items/ });
      await tabTo(page, grid);
      // Typing begins a row. Tab goes on to the next cell, arrows past one.
      await keyboard.type('Rye bread');
      await keyboard.press('Tab');
      await keyboard.press('ArrowRight');
      await keyboard.type('12');
      await keyboard.press('Tab');
      await keyboard.type('3.5');
      // Enter would make a second row.
      await keyboard.press('Control+s');
      await page.waitForURL(/\/d\/Bill\/BILL-\d+$/);
      const name = page.url().split('/').at(-1) ?? '';
      const { items, total } = await story.site.ask('GET', `/api/resource/Bill/${name}`);
      assert.deepEqual(
        [items.length, items[0].item, items[0].qty, items[0].rate, total],
        [1, 'Rye bread', 12, 3.5, 42],
      );

      // The document's own screen has taken over from that of a new one.
      await page.locator('h1:focus').waitFor();
      await page.getByText('Draft').first().waitFor();
      await keyboard.press('Control+Enter');
      const question = page.getByRole('dialog');
      await tabTo(page, question.getByRole('button', { name: 'Submit' }));
      await keyboard.press('Enter');
      await question.waitFor({ state: 'detached' });
      await page.locator('header:has(h1)').getByText('Submitted', { exact: true }).waitFor();
      const [told] = await receiver.until((all) => all.length > 0);
      assert.equal(JSON.parse(String(told?.body)).name, name);

      // Within the second that a sequence of keys may take.
      await Promise.all([keyboard.press('g'), keyboard.press('l')]);
      await page.locator('h1:focus', { hasText: 'Deliveries' }).waitFor();
      await page
        .getByRole('row')
        .filter({ hasText: `Bill ${name}` })
        .filter({ hasText: 'Delivered' })
        .waitFor();
      await tabTo(page, page.locator('tbody button').first());
      await keyboard.press('Enter');
      const drawer = page.getByRole('dialog', { name: 'Delivery' });
      await drawer.getByText('HTTP 200').waitFor();
      await drawer.getByText('Rye bread').first().waitFor();
      await drawer.locator(':focus').waitFor();
      await axe();
      await tabTo(page, drawer.getByRole('link', { name: `Bill ${name}` }));
      await keyboard.press('Enter');
      await page.waitForURL(`**/app/d/Bill/${name}`);
      await page.getByRole('heading', { level: 1, name: 'Bread for the canteen' }).waitFor();
      assert.equal(await page.evaluate(() => (globalThis as { pointed?: string }).pointed ?? null), null);
    }),
  );
});
