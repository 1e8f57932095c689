/** What comes on paper: the values, black on white, and nothing to press. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { describeStory } from './support/story.ts';

const ROWS = 40;

/** The page as a printer gets it. */
async function onPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  // A busy browser applies it a moment later.
  await page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)');
}

/** What stands on it beside the text, and how high it is. */
const look = (page: Page) =>
  page.evaluate(() => {
    const seen = (selector: string) =>
      [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).length;
    const { backgroundColor, color } = getComputedStyle(document.body);
    const { scrollHeight } = document.documentElement;
    return {
      bars: seen('nav, aside'),
      buttons: seen('.mantine-Button-root'),
      backgroundColor,
      color,
      scrollHeight,
    };
  });

describeStory('paper', (story) => {
  before(async () => {
    const { site } = story;
    await site.make('Buyer', { buyer_name: 'Ann', company: 'Ann & Sons' });
    const items = Array.from({ length: ROWS }, (_, at) => ({ item: `Part ${at + 1}`, qty: 1, rate: 2 }));
    const { name } = await site.make('Bill', { title: 'First', buyer: 'Ann', items });
    site.copies('Bill', name, 20_000, { name: `printf('BILL-9%06d', i)`, title: `'Bill number ' || i` });
  });

  test('has a form with all its rows, without what stands around it', () =>
    story.on({ theme: 'dark' }, async ({ page, open }) => {
      await open('/app/d/Bill/BILL-00001');
      await page.getByRole('complementary', { name: 'About this document' }).waitFor();
      await onPaper(page);
      await page.getByText(`Part ${ROWS}`, { exact: true }).waitFor();
      const { bars, buttons, backgroundColor, color } = await look(page);
      assert.deepEqual([bars, buttons], [0, 0]);
      assert.deepEqual([backgroundColor, color], ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    }));

  test('has the rows of a list that were on the screen, and no empty pages', () =>
    story.on({ theme: 'dark' }, async ({ page, open }) => {
      await open('/app/d/Bill');
      await page.getByText('Bill number 20000').waitFor();
      await onPaper(page);
      await page.getByText('Bill number 20000').waitFor();
      const { bars, buttons, backgroundColor, scrollHeight } = await look(page);
      assert.deepEqual([bars, buttons], [0, 0]);
      assert.equal(backgroundColor, 'rgb(255, 255, 255)');
      assert.ok(scrollHeight < 4_000, `${scrollHeight} pixels`);
    }));
});
