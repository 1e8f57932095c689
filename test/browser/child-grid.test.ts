/** The grid of child tables in a browser: all from the keyboard, pasted from spreadsheets, a thousand rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { control, focused, save } from './support/form-page.ts';
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

  test('on a phone each row is a card, which opens its form', async () => {
    const name = await bill([
      { item: 'Pen', qty: 2, rate: 3 },
      { item: 'Ink', qty: 1, rate: 5 },
    ]);
    await story.on({ width: 390, height: 844 }, async ({ page, open, axe }) => {
      await open(`/app/d/Bill/${name}`);
      await page.getByRole('button', { name: /Pen/ }).waitFor();
      await axe();
      await page.getByRole('button', { name: /Ink/ }).click();
      const row = page.getByRole('dialog', { name: 'Items: row 2 of 2' });
      await row.locator('[data-path="items[1].qty"] input').fill('4');
      await row.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Add row' }).click();
      const fresh = page.getByRole('dialog', { name: 'Items: row 3 of 3' });
      await fresh.locator('[data-path="items[2].item"] input').fill('Paper');
      await fresh.getByRole('button', { name: 'Close' }).click();
      await save(page);
    });
    const rows = (await stored(name)).map((row: { item: string; qty: number }) => [row.item, row.qty]);
    assert.deepEqual(rows.slice(0, 2), [
      ['Pen', 2],
      ['Ink', 4],
    ]);
    assert.equal(rows[2]?.[0], 'Paper');
  });

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

  test('text that is typed into cells runs no shortcut', async () => {
    const name = await bill([{ item: 'Pen' }]);
    await story.on({}, async ({ page, open }) => {
      await open(`/app/d/Bill/${name}`);
      await grid(page).focus();
      // By itself, this key opens the list of shortcuts.
      await page.keyboard.type('?');
      await page.keyboard.press('Tab');
      await shows(page, 1, 1, '?');
      assert.equal(await page.getByRole('dialog').count(), 0);
      // "g p" leads to the permissions, unless these are the end of one text and the begin of the next.
      await control(page, 'title').focus();
      await page.evaluate(() => {
        const press = (element: Element | null, key: string) =>
          element?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        const [title, table] = [document.activeElement, document.querySelector<HTMLElement>('[role="grid"]')];
        press(title, 'g');
        title?.addEventListener('keydown', (event) => event.preventDefault(), { once: true });
        press(title, 'Enter');
        table?.focus();
        press(table, 'p');
      });
      await page.locator('[role="grid"] input:focus').waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0);
      assert.equal(new URL(page.url()).pathname, `/app/d/Bill/${name}`);
    });
  });

  test('an invoice with ten lines costs at most 35 keys that are not text', async () => {
    const line = (fieldname: string, label: string, fieldtype: string, more: object = {}) => ({
      ...{ fieldname, label, fieldtype, in_list_view: 1 },
      ...more,
    });
    await story.site.make('DocType', {
      name: 'Slip Line',
      custom: 1,
      istable: 1,
      fields: [
        line('goods', 'Goods', 'Data', { reqd: 1 }),
        line('qty', 'Quantity', 'Float'),
        line('rate', 'Rate', 'Currency'),
        line('amount', 'Amount', 'Currency', { read_only: 1 }),
      ],
    });
    await story.site.make('DocType', {
      name: 'Slip',
      custom: 1,
      autoname: 'SLIP-.###',
      fields: [
        { fieldname: 'series', label: 'Series', fieldtype: 'Select', options: 'SLIP-.###' },
        { fieldname: 'buyer', label: 'Buyer', fieldtype: 'Link', options: 'Buyer', reqd: 1 },
        { fieldname: 'day', label: 'Day', fieldtype: 'Date' },
        { fieldname: 'due', label: 'Due', fieldtype: 'Date' },
        { fieldname: 'lines', label: 'Lines', fieldtype: 'Table', options: 'Slip Line' },
      ],
    });
    await story.site.make('Buyer', { buyer_name: 'orchard', company: 'Orchard Dairy' });
    await story.on({}, async ({ page, open }) => {
      let keys = 0;
      const press = async (key: string) => {
        keys += 1;
        await page.keyboard.press(key);
      };
      await open('/app/new/Slip');
      await focused(page, 'buyer');
      await page.keyboard.type('orch');
      await press('Tab');
      await page.keyboard.type('5/1/2026');
      await press('Tab');
      await page.keyboard.type('20/1/2026');
      await press('Tab');
      await page.locator('[role="grid"]:focus').waitFor();
      for (let row = 1; row <= 10; row += 1) {
        for (const text of [`Paper ${row}`, String(row), '4.5']) {
          if (row + text !== '1Paper 1') await press('Tab');
          await page.keyboard.type(text);
        }
      }
      await press('Control+s');
      await page.waitForURL(/SLIP-\d+$/);
      assert.ok(keys <= 35, `${keys} keys`);
      const slip = await story.site.ask('GET', `/api/resource/Slip/${page.url().split('/').at(-1)}`);
      assert.deepEqual([slip.buyer, slip.day, slip.due], ['orchard', '2026-01-05', '2026-01-20']);
      assert.deepEqual(
        slip.lines.map(({ goods, qty, rate }: Record<string, unknown>) => [goods, qty, rate]),
        Array.from({ length: 10 }, (_, at) => [`Paper ${at + 1}`, at + 1, 4.5]),
      );
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
