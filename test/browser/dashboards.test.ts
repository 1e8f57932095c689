import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { describeStory } from './support/story.ts';
import { PASSWORD } from './support/story-site.ts';

describeStory('dashboards in the admin UI', (story) => {
  let count: string;
  before(async () => {
    for (const [name, city] of [
      ['Ada', 'London'],
      ['Grace', 'New York'],
      ['Alan', 'London'],
    ])
      await story.site.make('Buyer', { buyer_name: name, company: `${name} Ltd`, city });
    const view = async (fields: object): Promise<string> =>
      (await story.site.make('Saved View', { reference_doctype: 'Buyer', is_shared: 1, ...fields })).name;
    const settings = (more: object) => ({ measures: [{ of: 'count' }], ...more });
    count = await view({ label: 'Number of buyers', type: 'Report', settings: settings({}) });
    await view({
      label: 'Buyers by city',
      type: 'Report',
      settings: settings({ groups: [{ field: 'city' }], chart: 'bar' }),
    });
    await view({ label: 'Latest buyers', type: 'Table', order_by: 'creation desc' });
  });

  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const titles = (page: Page) =>
    page.locator('[data-card]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  const add = async (page: Page, view: string, width: string, as?: string) => {
    await page.getByRole('button', { name: 'Add card' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a card' });
    await dialog.getByLabel('View').first().click();
    await page.getByRole('option', { name: view }).click();
    if (as !== undefined) {
      await dialog.getByLabel('Show as').first().click();
      await page.getByRole('option', { name: as, exact: true }).click();
    }
    await dialog.getByLabel('Width').first().click();
    await page.getByRole('option', { name: width }).click();
    await dialog.getByRole('button', { name: 'Add card' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  test('one is made, arranged by keyboard and pointer, and is what its users see at home', async () => {
    await story.on({ user: 'manager@example.com' }, async ({ page, open, axe, domNodes }) => {
      await open('/app/dashboards');
      await page.getByText('No dashboards yet').waitFor();
      await axe();
      await page.getByRole('button', { name: 'New dashboard' }).click();
      const dialog = page.getByRole('dialog', { name: 'New dashboard' });
      await dialog.getByLabel('Name').fill('Shop');
      await dialog.getByLabel('Roles').first().fill('Cle');
      await page.getByRole('option', { name: 'Clerk' }).click();
      await page.keyboard.press('Tab');
      await axe();
      await dialog.getByRole('button', { name: 'Create dashboard' }).click();
      await page.getByText('No cards yet').waitFor();
      await add(page, 'Buyer · Number of buyers', 'A quarter', 'Number');
      await add(page, 'Buyer · Buyers by city', 'Half');
      await add(page, 'Buyer · Latest buyers', 'Full width');
      await becomes(() => titles(page), ['Number of buyers', 'Buyers by city', 'Latest buyers']);
      await axe();

      // The keyboard: a card moves with the arrows, and its handle keeps the focus.
      const handle = page.getByRole('button', { name: /^Move Latest buyers/ });
      await handle.focus();
      await page.keyboard.press('ArrowLeft');
      await becomes(() => titles(page), ['Number of buyers', 'Latest buyers', 'Buyers by city']);
      await becomes(() => handle.evaluate((one) => one === document.activeElement), true);
      await page.keyboard.press('ArrowUp');
      await becomes(() => titles(page), ['Latest buyers', 'Number of buyers', 'Buyers by city']);

      // The pointer: the dragged card takes the place of the one below it.
      const from = await page.getByRole('button', { name: /^Move Latest buyers/ }).boundingBox();
      const to = await card(page, 'Buyers by city').boundingBox();
      assert.ok(from && to);
      await page.mouse.move(from.x + 6, from.y + 6);
      await page.mouse.down();
      await page.mouse.move(from.x + 40, from.y + 40, { steps: 4 });
      await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
      await page.locator('[data-card][data-over]').waitFor();
      await page.mouse.up();
      await becomes(() => titles(page), ['Number of buyers', 'Buyers by city', 'Latest buyers']);

      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
      await card(page, 'Number of buyers').getByText('3', { exact: true }).waitFor();
      await card(page, 'Latest buyers').getByRole('link', { name: 'Alan Ltd' }).waitFor();
      await card(page, 'Buyers by city').getByRole('link', { name: 'London' }).waitFor();
      await axe();
      assert.ok((await domNodes()) < 2_500);
      // The manager has no role of it, so their home begins without it.
      await open('/app');
      await page.getByRole('region', { name: 'Recently changed' }).waitFor();
      assert.equal(await page.getByRole('region', { name: 'Shop' }).count(), 0);
    });
    await story.on({ user: 'clerk@example.com' }, async ({ page, open, axe }) => {
      await open('/app');
      const shop = page.getByRole('region', { name: 'Shop' });
      await shop.getByText('3', { exact: true }).waitFor();
      await axe();
      // Figures follow the records.
      await story.site.make('Buyer', { buyer_name: 'Edsger', company: 'Edsger Ltd', city: 'Nuenen' });
      await shop.getByText('4', { exact: true }).waitFor();
      // A group leads to its records.
      await shop.getByRole('link', { name: 'London' }).click();
      await page.waitForURL(/\/d\/Buyer\?.*London/);
      assert.equal(await page.getByRole('link', { name: 'Edit dashboard' }).count(), 0);
    });
  });

  test('a card shows nothing of a report to those who may not list its documents', async () => {
    const { name } = await story.site.make('Saved View', {
      label: 'Regions',
      reference_doctype: 'Region',
      type: 'Report',
      is_shared: 1,
      settings: { measures: [{ of: 'count' }] },
    });
    await story.site.make('Dashboard', {
      label: 'For all',
      position: -1,
      cards: [
        { view: count, type: 'Number', width: 'Quarter' },
        { view: name, type: 'Number', width: 'Quarter' },
      ],
    });
    await story.site.make('User', {
      email: 'nobody@example.com',
      first_name: 'Nobody',
      new_password: PASSWORD,
    });
    await story.on({ user: 'nobody@example.com', width: 320, height: 700 }, async ({ page, open, axe }) => {
      await open('/app');
      await page.getByText('You are not permitted to see this.').nth(1).waitFor();
      await axe();
    });
  });

  test('changes of two administrators do not overwrite each other', () =>
    story.on({}, async ({ page, open, expect }) => {
      expect(/status of 412/);
      const { name } = await story.site.make('Dashboard', {
        label: 'Shared',
        cards: [{ view: count, type: 'Number' }],
      });
      const followed = page.waitForResponse((reply) => /api\/events.*Dashboard/.test(reply.url()));
      await open(`/app/dashboards/${name}?edit=1`);
      await page.getByRole('button', { name: /^Remove Number of buyers/ }).click();
      await followed;
      await story.site.ask('PUT', `/api/resource/Dashboard/${name}`, { label: 'Renamed' });
      // The page has seen the change, and still knows where the arrangement began.
      await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('main').getByRole('alert').waitFor();
      const { cards } = await story.site.ask('GET', `/api/resource/Dashboard/${name}`);
      assert.equal(cards.length, 1);
    }));
});
