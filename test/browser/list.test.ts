import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { becomes } from './support/becomes.ts';
import { COPIES, describeBills, gridOf, openBuilder, rowAt, title } from './support/bills.ts';

describeBills('a list of 100,000 records', (story) => {
  test('is scrolled to its end, counted on request, and entered by row number', async () => {
    await story.on({}, async ({ page, open, domNodes }) => {
      await open('/app/d/Bill');
      await rowAt(page, 1).getByText('Bill number 100000').waitFor();
      await title(page).getByText('(about 100,000)').waitFor();
      await page.getByText(/^1–\d+ of 10,000\+$/).waitFor();
      await becomes(() => gridOf(page).getAttribute('aria-rowcount'), '-1');
      await page.getByRole('button', { name: 'Exact count' }).click();
      await page.getByText(/^1–\d+ of 100,001$/).waitFor();
      await becomes(() => gridOf(page).getAttribute('aria-rowcount'), '100002');

      await page.getByLabel('Go to row').fill('70000');
      await page.getByLabel('Go to row').press('Enter');
      await rowAt(page, 70_000).getByText('Bill number 30001', { exact: true }).waitFor();

      await gridOf(page).evaluate((grid) => grid.scrollTo(0, grid.scrollHeight));
      await rowAt(page, COPIES + 1)
        .getByText('First', { exact: true })
        .waitFor();
      await page.getByText(/–100,001 of 100,001$/).waitFor();
      // What is mounted is what is seen.
      assert.ok((await domNodes()) < 2_500);
      await until(
        () => page.locator('[role="row"]').count(),
        (count) => count < 60,
      );
    });
  });

  test('continues beyond the capped count', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      await page.getByText(/of 10,000\+$/).waitFor();
      const grid = gridOf(page);
      await grid.evaluate((one) => one.scrollTo(0, one.scrollHeight));
      await page.getByText(/of 20,000\+$/).waitFor();
      await rowAt(page, 10_000).getByText('Bill number 90001', { exact: true }).waitFor();
      // To a row that nobody counted to.
      await page.getByLabel('Go to row').fill('50000');
      await page.getByLabel('Go to row').press('Enter');
      await rowAt(page, 50_000).getByText('Bill number 50001', { exact: true }).waitFor();
    });
  });

  test('is sorted by column headers, by several with Shift', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      const head = (name: string) => page.getByRole('columnheader', { name });
      const sort = (name: string) => head(name).getByRole('button', { name, exact: true });
      await sort('Total').click();
      await rowAt(page, 1).getByText('Bill number 1', { exact: true }).waitFor();
      await becomes(() => head('Total').getAttribute('aria-sort'), 'ascending');
      await page.waitForURL((url) => url.searchParams.get('order') === 'total asc');
      await sort('Total').click();
      await rowAt(page, 1).getByText('Bill number 100000').waitFor();
      await becomes(() => head('Total').getAttribute('aria-sort'), 'descending');
      await sort('Status').click();
      await becomes(() => head('Status').getAttribute('aria-sort'), 'ascending');
      await sort('Title').click({ modifiers: ['Shift'] });
      await rowAt(page, 1)
        .getByText('Bill number 100001')
        .or(rowAt(page, 1).getByText('Bill number 10001', { exact: true }))
        .waitFor();
      await page.waitForURL((url) => url.searchParams.get('order') === 'status asc, title asc');
      await rowAt(page, 1).getByText('Disputed').waitFor();
    });
  });

  test('is filtered by each of the twelve operators', async () => {
    const bill = (number: number) => `Bill number ${number}`;
    // [in the builder, the operator, what is typed, what the server must have been asked]
    const cases: readonly (readonly [string, string, readonly string[], unknown])[] = [
      ['is equal to', '=', [bill(7)], bill(7)],
      ['is not equal to', '!=', [bill(7)], bill(7)],
      ['is greater than', '>', [bill(99_998)], bill(99_998)],
      ['is less than', '<', [bill(10_002)], bill(10_002)],
      ['is at least', '>=', [bill(99_998)], bill(99_998)],
      ['is at most', '<=', [bill(10_002)], bill(10_002)],
      ['contains', 'like', ['number 777'], '%number 777%'],
      ['does not contain', 'not like', ['number 1'], '%number 1%'],
      ['is one of', 'in', [bill(3), bill(4)], [bill(3), bill(4)]],
      ['is not one of', 'not in', [bill(3), bill(4)], [bill(3), bill(4)]],
      ['is between', 'between', [bill(5), bill(50)], [bill(5), bill(50)]],
      ['is set or not', 'is', [], 'set'],
    ];
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      for (const [word, operator, typed, value] of cases) {
        await page
          .getByRole('button', { name: /^Filter/ })
          .first()
          .click();
        const builder = await openBuilder(page);
        await builder.getByRole('button', { name: 'Remove all' }).click();
        await builder.getByRole('button', { name: 'Add a condition' }).first().click();
        await choose(page, 'Field', 'Title');
        await choose(page, 'Operator', word);
        if (operator === 'in' || operator === 'not in') {
          for (const one of typed) {
            await builder.getByLabel('Title', { exact: true }).fill(one);
            await builder.getByLabel('Title', { exact: true }).press('Enter');
          }
        } else if (operator === 'between') {
          await builder.getByLabel('Title from').fill(typed[0] ?? '');
          await builder.getByLabel('Title to').fill(typed[1] ?? '');
        } else if (operator !== 'is') await builder.getByLabel('Title', { exact: true }).fill(typed[0] ?? '');
        await builder.getByRole('button', { name: 'Apply' }).click();
        await builder.waitFor({ state: 'detached' });

        const filters = [['title', operator, value]];
        await becomes(async () => JSON.parse(searchOf(page).get('filters') ?? 'null'), filters);
        const asked = `/api/resource/Bill?limit_page_length=1&include=count&filters=${encodeURIComponent(JSON.stringify(filters))}`;
        const reply = await fetch(story.site.url + asked, {
          headers: { authorization: `token ${story.site.key}` },
        });
        const { count, count_capped: capped } = (await reply.json()) as {
          count: number;
          count_capped: boolean;
        };
        await title(page)
          .getByText(`(${count.toLocaleString('en')}${capped ? '+' : ''})`, { exact: true })
          .waitFor();
        await becomes(() => page.getByRole('list', { name: 'Filters' }).getByText('Title').count(), 1);
      }
    });
  });

  test('is filtered by links, dates, numbers, choices, fields of child rows, and an "or" block', async () => {
    await story.on({}, async ({ page, open, axe }) => {
      await open('/app/d/Bill');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      const builder = await openBuilder(page);
      const condition = (at: number) => builder.locator('[data-condition]').nth(at);
      const add = (block: number) =>
        builder.getByRole('button', { name: 'Add a condition' }).nth(block).click();
      await choose(page, 'Field', 'Buyer');
      await builder.getByRole('combobox', { name: 'Buyer' }).fill('ada');
      await page.getByRole('option', { name: /Ada Ltd/ }).click();
      await add(0);
      await choose(page, 'Field', 'Posting Date', 1);
      await choose(page, 'Operator', 'is at least', 1);
      await condition(1).getByLabel('Posting Date').fill('2026-02-01');
      await add(0);
      await choose(page, 'Field', 'Items › Quantity', 2);
      await condition(2).getByLabel('Items › Quantity').fill('2');
      await add(1);
      await choose(page, 'Field', 'Total', 3);
      await choose(page, 'Operator', 'is less than', 3);
      await condition(3).getByLabel('Total').fill('100');
      await add(1);
      await choose(page, 'Field', 'Status', 4);
      await choose(page, 'Status', 'Open');
      await axe();
      await builder.getByRole('button', { name: 'Apply' }).click();
      await title(page).getByText('(1)').waitFor();
      const search = searchOf(page);
      assert.deepEqual(JSON.parse(search.get('filters') ?? ''), [
        ['buyer', '=', 'Ada'],
        ['posting_date', '>=', '2026-02-01'],
        ['Bill Item', 'qty', '=', 2],
      ]);
      assert.deepEqual(JSON.parse(search.get('or') ?? ''), [
        ['total', '<', 100],
        ['status', '=', 'Open'],
      ]);
      const chips = page.getByRole('list', { name: 'Filters' });
      await chips.getByText('Buyer = Ada').waitFor();
      // The address alone says it all; a chip taken away widens the list; a step back takes that back.
      await page.reload();
      await title(page).getByText('(1)').waitFor();
      await page.getByRole('button', { name: 'Remove filter Items › Quantity = 2' }).click();
      await title(page)
        .getByText(/\([\d,]{2,}\+?\)/)
        .waitFor();
    });
  });

  test('is searched by text, and names the filters that exclude everything', async () => {
    await story.on({}, async ({ page, open, axe }) => {
      await open('/app/d/Bill');
      await page.getByRole('searchbox', { name: 'Search these records' }).fill('number 99999');
      await title(page).getByText('(1)').waitFor();
      await page.getByRole('searchbox', { name: 'Search these records' }).fill('100%_');
      await page.getByRole('heading', { name: 'No matching records' }).waitFor();
      await page.getByText('This filter hides the others: Contains “100%_”').waitFor();
      await axe();
      await page.getByRole('button', { name: 'Remove all filters' }).last().click();
      await title(page).getByText('(about 100,000)').waitFor();
    });
  });
});

const searchOf = (page: Page) => new URL(page.url()).searchParams;

/** Chooses in a select of the builder; `at` says which of several. */
async function choose(page: Page, label: string, option: string, at = 0): Promise<void> {
  const field = page.getByRole('dialog', { name: /^Filter/ }).getByLabel(label, { exact: true });
  await field.nth(at).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
