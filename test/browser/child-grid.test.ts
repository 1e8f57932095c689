/** The grid of child tables in a browser: all from the keyboard, pasted from spreadsheets, a thousand rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { save } from './support/form-page.ts';
import { describeStory } from './support/story.ts';
import { HOSTILE } from './support/story-doctypes.ts';

const grid = (page: Page): Locator => page.getByRole('grid', { name: /Items/ });
/** Waits until the grid has so many rows. */
const hasRows = (page: Page, count: number): Promise<void> =>
  becomes(() => grid(page).getAttribute('aria-rowcount'), String(count + 1));
const cell = (page: Page, row: number, column: number): Locator =>
  grid(page).locator(`[data-row="${row - 1}"] [data-column="${column - 1}"]`);
/** Waits until a cell has this text. */
const shows = (page: Page, row: number, column: number, text: string): Promise<void> =>
  becomes(async () => (await cell(page, row, column).innerText()).trim(), text);

describeStory('child tables', (story) => {
  const bill = async (items: readonly object[]): Promise<string> => {
    const { site } = story;
    const buyers = await site.ask('GET', '/api/resource/Buyer?filters=[["name","=","Ann"]]');
    if (buyers.length === 0) await site.make('Buyer', { buyer_name: 'Ann', company: 'Ann & Sons' });
    const { name } = await site.make('Bill', { title: 'A bill', buyer: 'Ann', items });
    return name;
  };
  const stored = async (name: string) => (await story.site.ask('GET', `/api/resource/Bill/${name}`)).items;

  test('the keyboard adds, moves, duplicates and deletes rows, and undoes it', async () => {
    const name = await bill([{ item: 'Pen', qty: 2, rate: 3 }]);
    await story.on({}, async ({ page, open, axe }) => {
      await open(`/app/d/Bill/${name}`);
      await grid(page).focus();
      // Down from the last row by Enter: a row more.
      await page.keyboard.press('Enter');
      await page.keyboard.type('Fountain pen');
      await page.keyboard.press('Enter');
      await hasRows(page, 2);
      await page.keyboard.type('Ink');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.type('7');
      await page.keyboard.press('Tab');
      await page.keyboard.type('1.5');
      await page.keyboard.press('Escape');
      await shows(page, 2, 3, '7');
      // Escape puts back what was there.
      await shows(page, 2, 4, '');
      await axe();
      await page.keyboard.press('Alt+ArrowUp');
      await shows(page, 1, 1, 'Ink');
      await page.keyboard.press('Shift+ArrowDown');
      await page.getByRole('button', { name: 'Duplicate' }).click();
      await hasRows(page, 4);
      await page.locator('[role="grid"]:focus').waitFor();
      await page.keyboard.press('Control+Delete');
      await page.keyboard.press('Control+Delete');
      await hasRows(page, 2);
      await page.keyboard.press('Control+z');
      await hasRows(page, 3);
      await page.keyboard.press('Control+Shift+z');
      await hasRows(page, 2);
      await save(page);
    });
    const items = await stored(name);
    assert.deepEqual(
      items.map(({ item, qty }: { item: string; qty: number }) => [item, qty]),
      [
        ['Ink', 7],
        ['Fountain pen', 2],
      ],
    );
  });

  test('an empty row added by Enter is not saved', async () => {
    const name = await bill([{ item: 'Pen' }]);
    await story.on({}, async ({ page, open }) => {
      await open(`/app/d/Bill/${name}`);
      await grid(page).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type('Ink');
      await page.keyboard.press('Enter');
      await hasRows(page, 2);
      await save(page);
      await hasRows(page, 1);
      // The keys go on in the row above.
      await page.keyboard.press('Enter');
      await page.keyboard.type('Chalk');
      await page.keyboard.press('Enter');
      await save(page);
    });
    const items = await stored(name);
    assert.deepEqual(
      items.map(({ item }: { item: string }) => item),
      ['Chalk'],
    );
  });

  test('a thousand rows are pasted from a spreadsheet, and few are mounted', async () => {
    const name = await bill([{ item: 'First' }]);
    await story.on({}, async ({ page, open, domNodes }) => {
      await open(`/app/d/Bill/${name}`);
      const lines = Array.from({ length: 1_000 }, (_, at) => `Part ${at}\t\t${at % 7}\t2.5`);
      await page.evaluate((clip) => navigator.clipboard.writeText(clip), lines.join('\r\n'));
      await grid(page).focus();
      await page.keyboard.press('Control+End');
      await page.keyboard.press('Home');
      await page.keyboard.press('Control+v');
      await hasRows(page, 1_000);
      await page.keyboard.press('Control+End');
      await shows(page, 1_000, 1, 'Part 999');
      assert.ok((await domNodes()) < 2_500, String(await domNodes()));
      await save(page);
    });
    const items = await stored(name);
    assert.equal(items.length, 1_000);
    assert.deepEqual([items[999].item, items[999].qty, items[999].rate], ['Part 999', 999 % 7, 2.5]);
  });

  test('invalid text is marked in its cell, and cells are copied unchanged', async () => {
    const name = await bill([{ item: 'Pen' }, { item: 'Ink', qty: 4 }]);
    await story.on({}, async ({ page, open }) => {
      await open(`/app/d/Bill/${name}`);
      await page.evaluate(() => navigator.clipboard.writeText('Pen\t\tmany'));
      await grid(page).focus();
      await page.keyboard.press('Control+v');
      await becomes(() => cell(page, 1, 3).getAttribute('aria-invalid'), 'true');
      await cell(page, 1, 3).filter({ hasText: 'many' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Control+c');
      await becomes(() => page.evaluate(() => navigator.clipboard.readText()), '4');
    });
  });

  test('a row opens with all its fields, not only the columns', async () => {
    const name = await bill([{ item: 'Pen' }, { item: 'Ink' }]);
    await story.on({}, async ({ page, open, axe, screenshot }) => {
      await open(`/app/d/Bill/${name}`);
      await grid(page).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Shift+Enter');
      const drawer = page.getByRole('dialog');
      await drawer.getByLabel('Remark').fill('Blue, please');
      await axe();
      await screenshot('grid-row');
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await save(page);
    });
    assert.equal((await stored(name))[1].remark, 'Blue, please');
  });

  test('hostile values are shown as text', async () => {
    const name = await bill(HOSTILE.map((item) => ({ item })));
    await story.on({ theme: 'dark' }, async ({ page, open, screenshot }) => {
      await open(`/app/d/Bill/${name}`);
      const { item } = (await stored(name))[0];
      assert.match(item, /onerror/);
      await shows(page, 1, 1, item);
      await screenshot('grid-hostile');
    });
  });
});
