/** Notifications and following: what one user does, and what another is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ });
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });

describeStory('two users who work together', (story) => {
  let made = 0;
  const buyer = async (): Promise<string> => {
    made += 1;
    return (await story.site.make('Buyer', { buyer_name: `B${made}`, company: `Company ${made}` })).name;
  };
  const say = (name: string, content: string) =>
    story.site.make('Comment', { reference_doctype: 'Buyer', reference_name: name, content });
  const mention = (user: string) => `<span class="mention" data-id="${user}">@x</span>`;
  /** Opens an address, and waits until the page hears of notifications. */
  const listening = async (page: Page, open: (path: string) => Promise<void>, path: string) => {
    const stream = page.waitForResponse(
      (one) => one.url().includes('/api/events') && one.url().includes('Notification'),
    );
    await open(path);
    await stream;
  };

  test('the bell counts live, lists, opens the record, and marks as read', async () => {
    const [first, second] = [await buyer(), await buyer()];
    await story.on({ user: USERS.manager, patience: 15_000 }, async ({ page, open, axe, screenshot }) => {
      await listening(page, open, '/app/d/Buyer');
      assert.equal(await bell(page).getAttribute('aria-label'), 'Notifications');
      await say(first, mention(USERS.manager));
      await becomes(() => bell(page).getAttribute('aria-label'), 'Notifications: 1 unread');
      const assign = { doctype: 'Buyer', name: second, assign_to: [USERS.manager] };
      await story.site.ask('POST', '/api/method/frappe.desk.form.assign_to.add', assign);
      await becomes(() => bell(page).getAttribute('aria-label'), 'Notifications: 2 unread');
      await bell(page).press('Enter');
      const items = panel(page).getByRole('listitem');
      await items.first().waitFor();
      await becomes(
        () =>
          items
            .getByRole('link')
            .allInnerTexts()
            .then((texts) => texts.map((text) => text.split('\n')[1])),
        ['Administrator assigned Company 2 to you', 'Administrator mentioned you in Company 1'],
      );
      await axe();
      await screenshot('notifications');
      await items.nth(1).getByRole('button', { name: 'Mark as read' }).click();
      await becomes(() => bell(page).getAttribute('aria-label'), 'Notifications: 1 unread');
      await items.first().getByRole('link').click();
      await page.getByRole('heading', { level: 1, name: 'Company 2' }).waitFor();
      await panel(page).waitFor({ state: 'detached' });
      await becomes(() => bell(page).getAttribute('aria-label'), 'Notifications');
      await say(first, mention(USERS.manager));
      await becomes(() => bell(page).getAttribute('aria-label'), 'Notifications: 1 unread');
      // The tooltip goes, because it would cover the list.
      await bell(page).hover();
      await page.getByRole('tooltip').waitFor();
      await bell(page).click();
      await panel(page).getByRole('button', { name: 'Mark all as read' }).waitFor();
      await becomes(() => page.getByRole('tooltip').count(), 0);
      await panel(page).getByRole('button', { name: 'Mark all as read' }).click();
      await becomes(() => bell(page).getAttribute('aria-label'), 'Notifications');
      await page.keyboard.press('Escape');
      await panel(page).waitFor({ state: 'detached' });
    });
  });

  test('a user without notifications reads what they will be, on a phone, right to left, in the dark', () =>
    story.on(
      { user: USERS.reader, width: 320, height: 640, theme: 'dark', locale: 'ar' },
      async ({ page, open, axe }) => {
        await open('/app/d/Buyer');
        await page.getByRole('button', { name: 'الإشعارات' }).click();
        await page.getByRole('heading', { name: 'لا توجد إشعارات' }).waitFor();
        await axe();
        const box = await page.getByRole('dialog').boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= 320, JSON.stringify(box));
      },
    ));

  test('a user follows a document, is told of a change, and follows it no longer', async () => {
    const name = await buyer();
    const change = (city: string) => story.site.ask('PUT', `/api/resource/Buyer/${name}`, { city });
    await story.on({ user: USERS.clerk }, async ({ page, open, axe }) => {
      await listening(page, open, `/app/d/Buyer/${name}`);
      await page.getByRole('button', { name: 'Follow', exact: true }).click();
      const following = page.getByRole('button', { name: 'Following' });
      await following.waitFor();
      assert.equal(await following.getAttribute('aria-pressed'), 'true');
      await axe();
      await change('Rome');
      await becomes(() => bell(page).getAttribute('aria-label'), 'Notifications: 1 unread');
      await bell(page).click();
      await panel(page).getByText(`Administrator changed Company ${made}`).waitFor();
      await page.keyboard.press('Escape');
      await following.click();
      await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
    });
  });

  test('a mention is chosen by keyboard, shown as a name, and notifies its user', async () => {
    const name = await buyer();
    await story.site.make('User', {
      email: 'ann@example.com',
      first_name: 'Ann',
      last_name: 'Reader',
      roles: [{ role: 'Reader' }],
    });
    await story.site.make('User', { email: 'anton@example.com', first_name: 'Anton' });
    await story.on({}, async ({ page, open, axe }) => {
      await open(`/app/d/Buyer/${name}`);
      const box = page.getByRole('textbox', { name: 'Comment' });
      const list = page.getByRole('listbox', { name: 'Users to mention' });
      await box.evaluate((element) => element.scrollIntoView({ block: 'end' }));
      await box.pressSequentially('Hi @');
      await list.getByRole('option', { name: /manager/ }).waitFor();
      await becomes(
        () => list.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight),
        true,
      );
      await page.keyboard.press('Escape');
      await list.waitFor({ state: 'detached' });
      // One who may not read the document is not offered.
      await box.pressSequentially('an');
      await becomes(
        () => list.getByRole('option').allInnerTexts(),
        ['Ann Reader\nann@example.com', 'manager\nmanager@example.com'],
      );
      await axe();
      await page.keyboard.press('Enter');
      assert.equal(await box.inputValue(), 'Hi @Ann Reader ');
      await box.pressSequentially('and @mana');
      await becomes(() => list.getByRole('option').count(), 1);
      await page.keyboard.press('Tab');
      assert.equal(await box.inputValue(), 'Hi @Ann Reader and @manager ');
      await box.press('Control+Enter');
      const said = page
        .getByRole('region', { name: 'Activity' })
        .getByRole('listitem')
        .filter({ hasText: 'Hi' });
      await said.locator('bdi', { hasText: '@Ann Reader' }).waitFor();
      await axe();
    });
    await story.on({ user: USERS.manager }, async ({ page, open }) => {
      await open('/app/d/Buyer');
      await bell(page).click();
      await panel(page).getByText(`Administrator mentioned you in Company ${made}`).waitFor();
    });
  });

  test('two users in one form see each other, until one goes', async () => {
    const name = await buyer();
    const other = await buyer();
    const viewers = (page: Page) => page.getByRole('img', { name: /^Also viewing/ });
    await story.on({ user: USERS.manager }, async ({ page, open, axe }) => {
      await open(`/app/d/Buyer/${name}`);
      await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
      await story.on({ user: USERS.clerk }, async (second) => {
        await second.open(`/app/d/Buyer/${name}`);
        await viewers(second.page).waitFor();
        assert.equal(await viewers(second.page).getAttribute('aria-label'), 'Also viewing: manager');
        await viewers(page).waitFor();
        assert.equal(await viewers(page).getAttribute('aria-label'), 'Also viewing: clerk');
        assert.equal(await viewers(page).innerText(), 'C');
        await axe();
        await second.open(`/app/d/Buyer/${other}`);
        await viewers(page).waitFor({ state: 'detached' });
        await viewers(second.page).waitFor({ state: 'detached' });
      });
    });
  });
});
