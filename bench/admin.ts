/**
 * `npm run bench:admin`: what the admin UI costs a browser, in Chromium without a screen: forms of 1,000
 * rows, key presses, lists of 100,000 records. Prints medians of several loads beside their budgets; docs say
 * what they are for. `--json FILE` writes the results.
 */
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openAdminPage } from '../test/browser/support/admin-page.ts';
import { startStorySite } from '../test/browser/support/story-site.ts';
import { Windows } from '../test/browser/support/windows.ts';
import { NO_BROWSER, startBrowser } from '../test/support/browser.ts';
import { quantile } from './load.ts';
import { report } from './results.ts';

const { values: flags } = parseArgs({ options: { json: { type: 'string' } } });
const LOADS = 5;
const KEYS = 40;
const ROWS = 1_000;
const RECORDS = 100_000;

if (NO_BROWSER) {
  console.error(String(NO_BROWSER));
  process.exit(1);
}
const site = await startStorySite();
const browser = await startBrowser();
const rows: (string | number)[][] = [];
const tell = (what: string, value: number, budget: number) => {
  rows.push([what, value, budget, value / budget]);
};
try {
  await site.make('Buyer', { buyer_name: 'Ann' });
  const items = Array.from({ length: ROWS }, (_, at) => ({ item: `Part ${at}`, qty: at % 9, rate: 2.5 }));
  const { name } = await site.make('Bill', { title: 'Long', buyer: 'Ann', items });
  const { name: first } = await site.make('Wide', { field_1: 'One' });
  site.copies('Wide', first, RECORDS, { name: `printf('w%06d', i)`, field_1: `'Record ' || i` });
  const { page, domNodes, close } = await openAdminPage(new Windows(browser), site, { patience: 60_000 });

  const cold: number[] = [];
  const inApp: number[] = [];
  const grid = '[role="grid"] [data-row]';
  for (let load = 0; load < LOADS; load += 1) {
    cold.push(await timed(page, () => page.goto(`/app/d/Bill/${name}`), grid));
    await page.goto('/app/d/Bill');
    const link = page.locator(`a[href$="/d/Bill/${name}"]`).first();
    await link.waitFor();
    inApp.push(await timed(page, () => link.click(), `[aria-rowcount="${ROWS + 1}"] [data-row]`));
  }
  tell(`form of ${ROWS} rows, page loaded anew`, quantile(cold, 0.5), 700);
  tell(`form of ${ROWS} rows, from the list`, quantile(inApp, 0.5), 500);
  tell('number of elements of that form', await domNodes(), 2_500);
  const title = page.getByLabel('Title', { exact: false }).first();
  await title.focus();
  const typed = await keyPresses(page);
  tell('key press to paint in a field, p95', quantile(typed, 0.95), 32);
  await page.locator('[role="grid"]').first().focus();
  await page.keyboard.press('F2');
  const inCell = await keyPresses(page);
  tell('key press to paint in a cell, p95', quantile(inCell, 0.95), 32);
  await page.keyboard.press('Escape');

  const lists: number[] = [];
  const jumps: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    page.once('dialog', (dialog) => void dialog.accept());
    lists.push(await timed(page, () => page.goto('/app/d/Wide?order=name+asc'), '[data-row="5"]'));
    const scroller = page.locator('[role="grid"]').first();
    jumps.push(
      await timed(
        page,
        () =>
          scroller.evaluate((element) => {
            element.scrollTop = element.scrollHeight * 0.7;
          }),
        '[data-row^="69"], [data-row^="70"]',
      ),
    );
  }
  tell(`first rows of a list of ${RECORDS}, page loaded anew`, quantile(lists, 0.5), 700);
  tell('to row 70,000 of it', quantile(jumps, 0.5), 120);
  tell('number of elements of that list', await domNodes(), 2_500);
  await close();
} finally {
  await browser.close();
  await site.stop();
}
report({ title: 'Chromium without a screen', head: ['', 'ms', 'budget', 'ratio'], rows }, flags.json);

/** Milliseconds from an action until an element is there and painted. */
async function timed(page: Page, act: () => Promise<unknown>, selector: string): Promise<number> {
  const began = performance.now();
  await act();
  await page.locator(selector).first().waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  return performance.now() - began;
}

/** Milliseconds from each key press to the frame after it. The listener is there before the first of them. */
async function keyPresses(page: Page): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(globalThis, { pressed: times });
    addEventListener(
      'keydown',
      (event) => {
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - event.timeStamp)));
      },
      { capture: true },
    );
  });
  for (let press = 0; press < KEYS; press += 1) {
    await page.keyboard.press('a');
    await page.waitForFunction(
      (count) => (globalThis as unknown as { pressed: number[] }).pressed.length > count,
      press,
    );
  }
  return page.evaluate(() => (globalThis as unknown as { pressed: number[] }).pressed);
}
