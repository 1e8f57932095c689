/** The frame around every screen: the sidebar, the palette, and what it says when something is missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.ts';
import { countDownloads } from './support/downloads.ts';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

describeStory('the sidebar', (story) => {
  test('keeps favourites and closed groups on this device', () =>
    story.on({}, async ({ page, open, axe, screenshot }) => {
      await open('/app/doctypes');
      const side = page.getByRole('navigation', { name: 'Screens' });
      const group = (name: string) => side.getByRole('button', { name, exact: true });
      const bills = side.getByRole('link', { name: 'Bill', exact: true });
      await bills.hover();
      await side.getByRole('button', { name: 'Favourite: Bill', exact: true }).click();
      await group('Favourites').waitFor();
      await becomes(() => bills.count(), 2);
      await group('System').click();
      await side.getByRole('link', { name: 'Users' }).waitFor({ state: 'detached' });
      await screenshot('sidebar-favourites');
      await axe();

      await page.reload();
      await group('Favourites').waitFor();
      await becomes(() => side.getByRole('link', { name: 'Users' }).count(), 0);
      await group('System').click();
      await side.getByRole('link', { name: 'Users' }).waitFor();
    }));

  test('finds one of many doctypes by its name', () =>
    story.on({}, async ({ page, open, axe, screenshot }) => {
      const fields = [{ fieldname: 'text', fieldtype: 'Data' }];
      for (let at = 1; at <= 20; at += 1)
        await story.site.make('DocType', { name: `Shelf ${at}`, module: 'Shelves', custom: 1, fields });
      await open('/app/d/Shelf%203');
      const side = page.getByRole('navigation', { name: 'Screens' });
      const shelves = side.getByRole('link', { name: /^Shelf/ });
      // The one that is open is among the last opened ones; its module is closed.
      await becomes(() => shelves.allInnerTexts(), ['Shelf 3']);
      await side.getByRole('searchbox', { name: 'Find a doctype or screen' }).fill('elf 1');
      await becomes(async () => (await shelves.allInnerTexts())[0], 'Shelf 1');
      await screenshot('sidebar-filter');
      await axe();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /^Shelf 1\b/ }).waitFor();
      await side.getByRole('button', { name: 'Shelves' }).click();
      await becomes(() => shelves.count(), 22);
    }));

  test('has no links to screens that the user may not open', () =>
    story.on({ user: USERS.reader }, async ({ page, open }) => {
      await open('/app/doctypes');
      const side = page.getByRole('navigation', { name: 'Screens' });
      await side.getByRole('link', { name: 'Bill', exact: true }).waitFor();
      for (const name of ['Webhooks', 'Users', 'Settings', 'Audit log', 'Roles'])
        await becomes(() => side.getByRole('link', { name, exact: true }).count(), 0);
    }));
});

describeStory('the palette', (story) => {
  test('takes every key from the one after Ctrl+K on, and none acts on the page', () =>
    story.on({}, async ({ page, open }) => {
      await open('/app/d/Buyer');
      const search = page.getByRole('combobox', { name: 'Search and commands' });
      for (const text of ['new bill', 'nnn jjj xxx', '? [ g h']) {
        await page.keyboard.press('Control+k');
        await page.keyboard.type(text);
        await becomes(() => search.inputValue(), text);
        assert.equal(new URL(page.url()).pathname, '/app/d/Buyer');
        await page.keyboard.press('Escape');
        await search.waitFor({ state: 'detached' });
      }
    }));

  test('finds records of all doctypes, and shows those opened last', () =>
    story.on({}, async ({ page, open, axe, screenshot }) => {
      await story.site.make('Buyer', { buyer_name: 'B-1', company: 'Walnut Mill', city: 'Lagos' });
      await story.site.make('Buyer', { buyer_name: 'B-2', company: 'Walnut Mill Outlet' });
      await open('/app');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('walnut mill');
      const records = page.getByRole('option', { name: /Walnut Mill.*Buyer/ });
      await becomes(() => records.count(), 2);
      await page.getByRole('option', { name: /^Walnut Mill B-1 Buyer/, selected: true }).waitFor();
      await screenshot('palette-records');
      await axe();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Walnut Mill' }).waitFor();

      // By a search field.
      await page.keyboard.press('Control+k');
      await page.keyboard.type('lagos');
      await page.getByRole('option', { name: /City: Lagos/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Home' }).click();
      await page.getByRole('heading', { level: 1, name: /^Welcome/ }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByText('Recent', { exact: true }).waitFor();
      await page.getByRole('option', { name: /^Walnut Mill B-1 Buyer/, selected: true }).waitFor();
      await axe();
      // Not on its own screen, where it would lead nowhere.
      await page.keyboard.press('Enter');
      await page.waitForURL('**/app/d/Buyer/B-1');
      await page.getByRole('button', { name: 'More actions' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Duplicate' }).waitFor();
      assert.equal(await page.getByRole('option', { name: /^Walnut Mill B-1 Buyer/ }).count(), 0);

      // The random name of a file says nothing beside its title.
      await story.site.make('File', { file_name: 'Quince prices.csv', content: 'x', is_private: 1 });
      await page.keyboard.type('quince');
      await page.getByRole('option', { name: 'Quince prices.csv File', exact: true }).waitFor();
    }));

  test('opens the first record found if Enter comes before the answer', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Buyer', { buyer_name: 'Quick One' });
      await open('/app');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('quick one');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/app/d/Buyer/Quick%20One');
    }));
});

describeStory('what is not there', (story) => {
  test('a screen without the right says so, and leads home', () =>
    story.on({ user: USERS.reader }, async ({ page, open, axe, screenshot }) => {
      for (const path of ['users', 'webhooks', 'new-webhook', 'deliveries']) {
        await open(`/app/${path}`);
        await page.getByRole('heading', { level: 1, name: 'You have no access to this page' }).waitFor();
      }
      await screenshot('not-permitted');
      await axe();
      await page.getByRole('link', { name: 'Go to Home' }).click();
      await page.getByRole('heading', { level: 1, name: /^Welcome/ }).waitFor();
    }));

  test('a list comes back by itself when the server does', () =>
    story.on({}, async ({ page, open, expect }) => {
      expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY/);
      await story.site.make('Buyer', { buyer_name: 'Back Again' });
      await open('/app');
      await page.getByRole('heading', { level: 1, name: /^Welcome/ }).waitFor();
      await story.site.stopServer();
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Buyer' }).click();
      await page.getByText('No connection').first().waitFor();
      await story.site.startServer();
      await page.getByRole('gridcell', { name: 'Back Again', exact: true }).first().waitFor();
    }));
});

describeStory('the first visit', (story) => {
  /** Of a list: the page, its scripts and styles, and what it asks of the API. */
  const MOST = { requests: 12, kilobytes: 250 };

  test('of a list takes few requests and little data', () =>
    // No other page has this width, so nothing is in the window's cache.
    story.on({ width: 1283 }, async ({ page, open }) => {
      await story.site.make('Buyer', { buyer_name: 'Ann' });
      const downloads = countDownloads(page);
      await open('/app/d/Buyer');
      await page.getByRole('gridcell', { name: 'Ann', exact: true }).first().waitFor();
      const { requests, bytes, urls } = await downloads();
      const told = urls.join('\n');
      assert.ok(requests <= MOST.requests, `${requests} requests\n${told}`);
      assert.ok(bytes <= MOST.kilobytes * 1_000, `${bytes} bytes\n${told}`);
    }));

  for (const theme of ['light', 'dark'] as const)
    test(`shows the frame of the UI before its program has loaded, in the ${theme} theme`, () =>
      // No other page has this height, so nothing is in the window's cache.
      story.on({ theme: theme === 'light' ? 'dark' : 'light', height: 801 }, async ({ page, screenshot }) => {
        // Chosen in the UI, against the system.
        await page.addInitScript((chosen) => {
          // The empty page of a new window stores nothing.
          if (origin !== 'null') localStorage.setItem('chancery.theme', chosen);
        }, theme);
        const mayLoad = Promise.withResolvers<void>();
        await page.route(/assets\/(?!theme-first)[^/]*\.js$/, async (route) => {
          await mayLoad.promise;
          await route.continue();
        });
        await page.goto('/app/d/Buyer', { waitUntil: 'commit' });
        const side = page.locator('.first-side');
        await side.waitFor();
        const surface = { light: 'rgb(255, 255, 255)', dark: 'rgb(26, 29, 33)' }[theme];
        await becomes(() => side.evaluate((one) => getComputedStyle(one).backgroundColor), surface);
        await screenshot(`first-paint-${theme}`);
        mayLoad.resolve();
        await page.getByRole('heading', { level: 1, name: /Buyer/ }).waitFor();
        await becomes(() => page.locator('.first').count(), 0);
        await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
      }));
});
