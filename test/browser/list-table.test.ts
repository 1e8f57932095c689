import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { until } from '../support/until.ts';
import { becomes } from './support/becomes.ts';
import { drag } from './support/drag.ts';
import { describeStory } from './support/story.ts';

describeStory('the table of a list', (story) => {
  before(async () => {
    for (let at = 1; at <= 30; at += 1) {
      const number = String(at).padStart(2, '0');
      await story.site.make('Buyer', {
        buyer_name: `Buyer ${number}`,
        company: `Company ${number}`,
        city: at % 2 ? 'Oslo' : 'Rome',
      });
    }
  });

  test('a click on a row opens it, with Ctrl in a new tab, and the arrow down leads from the search to it', async () => {
    await story.on({}, async ({ page, context, open }) => {
      await open('/app/d/Buyer?order=buyer_name asc');
      const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
      // A click that ends the marking of a text opens nothing.
      await cell('Buyer 05').waitFor();
      const box = await cell('Buyer 05').boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + 14, box.y + 18);
      await page.mouse.down();
      await page.mouse.move(box.x + 70, box.y + 18, { steps: 4 });
      await page.mouse.up();
      await becomes(() => page.evaluate(() => (getSelection()?.toString().length ?? 0) > 2), true);
      assert.match(page.url(), /\/app\/d\/Buyer\?/);
      await cell('Buyer 03').click();
      await page.waitForURL(/\/app\/d\/Buyer\/Buyer%2003$/);
      await page.goBack();
      await cell('Buyer 04').waitFor();
      const presses: Parameters<Locator['click']>[0][] = [{ modifiers: ['Control'] }, { button: 'middle' }];
      for (const press of presses) {
        const [tab] = await Promise.all([context.waitForEvent('page'), cell('Buyer 04').click(press)]);
        await tab.waitForURL(/\/app\/d\/Buyer\/Buyer%2004$/);
        await tab.close();
      }
      await page.bringToFront();
      assert.match(page.url(), /\/app\/d\/Buyer\?/);
      await page.getByRole('searchbox', { name: 'Search these records' }).press('ArrowDown');
      await page.getByRole('grid').and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/app\/d\/Buyer\/Buyer%2001$/);
    });
  });

  test('the first column takes the free width, and the rows end at the edge', async () => {
    await story.on({ width: 1440 }, async ({ page, open }) => {
      await open('/app/d/Buyer?cols=buyer_name,city');
      const grid = page.getByRole('grid');
      const edges = async () => {
        const ends = async (of: string) => {
          const box = await grid.locator(of).last().boundingBox();
          return Math.round((box?.x ?? 0) + (box?.width ?? 0));
        };
        const own = await grid.boundingBox();
        const edge = Math.round((own?.x ?? 0) + (own?.width ?? 0));
        return [(await ends('[role=columnheader]')) === edge, (await ends('[role=row]')) === edge];
      };
      await becomes(edges, [true, true]);
      await page.setViewportSize({ width: 1100, height: 800 });
      await becomes(edges, [true, true]);
    });
  });

  test('sixty columns mount few cells, and are moved, resized, pinned and hidden', async () => {
    await story.site.make('Wide', { field_1: 'first', field_2: 2, field_60: 1 });
    await story.on({}, async ({ page, open, domNodes, axe }) => {
      await open('/app/d/Wide');
      await page.getByRole('button', { name: 'Columns', exact: true }).click();
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.keyboard.press('Escape');
      const grid = page.getByRole('grid', { name: 'Wide' });
      await grid.and(page.locator('[aria-colcount="69"]')).waitFor();
      assert.ok((await domNodes()) < 2_500);
      await until(
        () => page.getByRole('columnheader').count(),
        (count) => count < 16,
      );
      await grid.evaluate((one) => one.scrollTo(one.scrollWidth, 0));
      await page.getByRole('columnheader', { name: 'Last changed' }).waitFor();
      // The first column stays.
      await page.getByRole('columnheader', { name: 'Field 1', exact: false }).first().waitFor();
      await grid.evaluate((one) => one.scrollTo(0, 0));
      const head = (name: string) => page.locator(`[role=columnheader][data-fieldname="${name}"]`);
      const menu = async (name: string, item: string) => {
        await head(name).hover();
        await head(name)
          .getByRole('button', { name: /^Column / })
          .click();
        await page.getByRole('menuitem', { name: item, exact: true }).click();
      };
      await menu('field_3', 'Hide this column');
      await head('field_3').waitFor({ state: 'detached' });
      await menu('field_5', 'Pin');
      await becomes(() => head('field_5').getAttribute('aria-colindex'), '3');
      const width = async () => Math.round((await head('field_5').boundingBox())?.width ?? 0);
      const before = await width();
      await menu('field_5', 'Wider');
      await becomes(width, before + 40);
      const edge = await head('field_5').locator('[data-edge]').boundingBox();
      assert.ok(edge);
      await page.mouse.move(edge.x + 3, edge.y + 5);
      await page.mouse.down();
      await page.mouse.move(edge.x + 103, edge.y + 5, { steps: 4 });
      await page.mouse.up();
      await becomes(width, before + 140);
      await drag(head('field_4'), head('field_2'));
      await page.waitForURL((url) => (url.searchParams.get('cols') ?? '').includes('field_4,field_2'));
      // Widths and pins are there the next time.
      await page.reload();
      await becomes(width, before + 140);
      await axe();
    });
  });

  test('on a narrow screen rows are cards', async () => {
    await story.on({ width: 320, height: 640 }, async ({ page, open, axe, screenshot }) => {
      await open('/app/d/Buyer?order=buyer_name asc');
      await page.getByText('Company 06').waitFor();
      await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= 320), true);
      await page.getByRole('button', { name: 'Sort' }).click();
      await page
        .getByRole('menu')
        .locator(':focus')
        .or(page.getByRole('menu').and(page.locator(':focus')))
        .waitFor();
      await axe();
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await screenshot('list-narrow');
      await page.getByText('Company 06').click();
      await page.waitForURL(/\/app\/d\/Buyer\/Buyer%20/);
    });
  });
});
