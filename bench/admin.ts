/**
 * `npm run bench:admin`: what the admin UI costs a browser, in Chromium without a screen: forms of 1,000
 * rows, key presses, lists of 100,000 records. Prints medians of several loads beside their budgets; docs say
 * what they are for. `--json FILE` writes the results.
 */
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openAdminPage } from '../test/browser/support/admin-page.ts';
import { countDownloads } from '../test/browser/support/downloads.ts';
import { startStorySite } from '../test/browser/support/story-site.ts';
import { Windows } from '../test/browser/support/windows.ts';
import { NO_BROWSER, startBrowser } from '../test/support/browser.ts';
import { quantile } from './load.ts';
import { report } from './results.ts';

const { values: flags } = parseArgs({ options: { json: { type: 'string' } } });
const LOADS = 5;
const KEYS = 100;
const ROWS = 1_000;
const RECORDS = 100_000;
const CARDS = 10_000;
const FRAMES = 200;
/** Pixels of a step of a wheel. */
const WHEEL = 120;
/** Milliseconds of a frame of most screens. CPU beyond it shows as a frame left out, on a machine with nothing else. */
const FRAME = 1_000 / 60;
const FIELDS = 100;

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
  const firsts: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    // A window of its own: nothing is cached or compiled.
    const visit = await openAdminPage(new Windows(browser), site, { patience: 60_000 });
    const downloads = countDownloads(visit.page);
    firsts.push(await timed(visit.page, () => visit.page.goto('/app/d/Bill'), '[role="grid"] [data-row]'));
    const { requests, bytes } = await downloads();
    if (load === 0) {
      tell('requests of a first visit to a list', requests, 12);
      tell('kB of it, compressed by gzip', bytes / 1_000, 250);
    }
    await visit.context.close();
  }
  tell('first rows of a first visit to a list', quantile(firsts, 0.5), 700);

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
  // Keys are measured, not what still loads.
  await page.waitForLoadState('networkidle');
  await title.focus();
  const each = await startMeter(page, tell);
  await each('key press to paint in a field', 32, () => keyPresses(page));
  await page.locator('[role="grid"]').first().focus();
  await page.keyboard.press('F2');
  await each('key press to paint in a cell', 32, () => keyPresses(page));
  await page.keyboard.press('Escape');

  page.once('dialog', (dialog) => void dialog.accept());
  const fields = Array.from({ length: FIELDS }, (_, at) => ({
    fieldname: `f_${at}`,
    label: `Field ${at}`,
    fieldtype: at % 20 === 10 ? 'Section Break' : at % 20 === 15 ? 'Column Break' : 'Data',
  }));
  await site.make('DocType', { name: 'Hundred', fields, permissions: [{ role: 'System Manager', read: 1 }] });
  await page.goto('/app/doctypes/Hundred');
  await page.locator('[data-canvas] [data-key] button').nth(40).click();
  await page.waitForLoadState('networkidle');
  await page.locator('[data-designer-panel] [data-first]').focus();
  await each(`key press to paint in a designer of ${FIELDS} fields`, 32, () => keyPresses(page));

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
  await each('frame while a wheel scrolls it', 50, () => scrollFrames(page, WHEEL));
  await each('frame while it is scrolled as a whole', 50, () => scrollFrames(page, null));
  tell('number of elements of that list', await domNodes(), 2_500);

  site.copies('Bill', name, CARDS, {
    name: `printf('CARD-%05d', i)`,
    title: `'Card ' || i`,
    status: `case i % 3 when 0 then 'Open' when 1 then 'Paid' else 'Disputed' end`,
  });
  await page.goto('/app/d/Bill?as=board');
  await page.locator('[data-card][data-movable]').nth(8).waitFor();
  await each(`frame while a card is dragged on a board of ${CARDS}`, 50, () => dragFrames(page));
  tell('number of elements of that board', await domNodes(), 2_500);
  await close();
} finally {
  await browser.close();
  await site.stop();
}
report(
  { title: 'Chromium without a screen', head: ['', 'ms, or as said', 'budget', 'ratio'], rows },
  flags.json,
);

/** Milliseconds from an action until an element is there and painted. */
async function timed(page: Page, act: () => Promise<unknown>, selector: string): Promise<number> {
  const began = performance.now();
  await act();
  await page.locator(selector).first().waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  return performance.now() - began;
}

/**
 * Tells the 95th percentile of the times that `run` returns, and the CPU of the page for each of them: other work
 * of the machine lengthens the times, but hardly the CPU.
 */
async function startMeter(page: Page, tell: (what: string, value: number, budget: number) => void) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  return async (what: string, budget: number, run: () => Promise<readonly number[]>) => {
    const before = await cpu();
    const times = await run();
    const spent = (await cpu()) - before;
    tell(`${what}, p95`, quantile(times, 0.95), budget);
    tell(`${what}, CPU`, spent / times.length, FRAME);
  };
}

/**
 * Milliseconds of each frame while a script scrolls the list from its top, by so many pixels a frame, or in equal
 * steps to its end.
 */
async function scrollFrames(page: Page, step: number | null): Promise<number[]> {
  return page.evaluate(
    async ({ step, frames }) => {
      const list = document.querySelector('[role="grid"]');
      if (!list) throw new Error('the page has no list');
      const next = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      list.scrollTop = 0;
      await next();
      const times: number[] = [];
      for (let began = performance.now(); times.length < frames; ) {
        list.scrollTop += step ?? list.scrollHeight / frames;
        await next();
        const now = performance.now();
        times.push(now - began);
        began = now;
      }
      return times;
    },
    { step, frames: FRAMES },
  );
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

/** Milliseconds between the frames while a card goes over all columns, and back to its own. */
async function dragFrames(page: Page): Promise<number[]> {
  const card = await page.locator('[data-card][data-movable]').first().boundingBox();
  const lane = await page.locator('[data-lane]').last().boundingBox();
  if (!card || !lane) throw new Error('the board has no cards');
  await page.mouse.move(card.x + 40, card.y + 60);
  await page.mouse.down();
  await page.mouse.move(card.x + 60, card.y + 60, { steps: 3 });
  await page.locator('[data-dragging]').waitFor();
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(globalThis, { frames });
    let before = performance.now();
    const next = (now: number) => {
      frames.push(now - before);
      before = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  for (let round = 0; round < 3; round += 1) {
    await page.mouse.move(lane.x + lane.width - 40, card.y + 300, { steps: 60 });
    await page.mouse.move(card.x + 60, card.y + 60, { steps: 60 });
  }
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames);
  await page.mouse.up();
  return frames.slice(1);
}
