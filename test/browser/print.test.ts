/** What comes on paper: the values, black on white, and nothing to press. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { showOnPaper } from './support/media.ts';
import { describeStory } from './support/story.ts';

const ROWS = 40;

/** What stands on it beside the text, and its colours. */
const look = (page: Page) =>
  page.evaluate(() => {
    const seen = (selector: string) =>
      [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).length;
    const { backgroundColor, color } = getComputedStyle(document.body);
    return { bars: seen('nav, aside'), buttons: seen('.mantine-Button-root'), backgroundColor, color };
  });
const ON_PAPER = { bars: 0, buttons: 0, backgroundColor: 'rgb(255, 255, 255)', color: 'rgb(0, 0, 0)' };

/** What controls leave on it: borders, icons and fields without a value. */
const inputsOf = (page: Page) =>
  page.evaluate(() => {
    const shown = [...document.querySelectorAll<HTMLElement>('[data-path]')].filter((one) =>
      one.checkVisibility(),
    );
    const inputs = shown.flatMap((one) => [
      ...one.querySelectorAll<HTMLInputElement>('.mantine-Input-input'),
    ]);
    const seen = (one: Element) => one.checkVisibility();
    return {
      boxes: inputs.filter((one) => getComputedStyle(one).borderTopColor !== 'rgba(0, 0, 0, 0)').length,
      icons: shown.flatMap((one) => [...one.querySelectorAll('.mantine-Input-section svg')]).filter(seen)
        .length,
      empty: inputs.filter((one) => seen(one) && one.value === '').length,
    };
  });

/** What Chromium may say of the scripts of these tests, which the sandbox of a printed page refuses as any. */
const REFUSED_SCRIPT = /^error: Blocked script execution in .* sandboxed/;

describeStory('paper', (story) => {
  before(async () => {
    const { site } = story;
    await site.make('Buyer', { buyer_name: 'Ann', company: 'Ann & Sons' });
    const items = Array.from({ length: ROWS }, (_, at) => ({ item: `Part ${at + 1}`, qty: 1, rate: 2 }));
    const { name } = await site.make('Bill', { title: 'First', buyer: 'Ann', items });
    site.copies('Bill', name, 20_000, { name: `printf('BILL-9%06d', i)`, title: `'Bill number ' || i` });
  });

  test('shows a form with all its rows, without the shell around it', () =>
    story.on({ theme: 'dark' }, async ({ page, open }) => {
      await open('/app/d/Bill/BILL-00001');
      await page.getByRole('complementary', { name: 'About this document' }).waitFor();
      await showOnPaper(page);
      await page.getByText(`Part ${ROWS}`, { exact: true }).waitFor();
      await becomes(() => look(page), ON_PAPER);
      // Values without boxes, arrows and stars, and no fields without a value.
      await becomes(() => inputsOf(page), { boxes: 0, icons: 0, empty: 0 });
      assert.equal(await page.getByRole('button', { name: 'Like' }).isVisible(), false);
      // Nor the column of the buttons that open rows.
      await becomes(() => page.getByRole('columnheader', { name: 'Open', exact: true }).isVisible(), false);
    }));

  test('previews the page of a document, with a format and without a letter head', () =>
    story.on({}, async ({ page, open, axe, expect }) => {
      expect(REFUSED_SCRIPT);
      const { site } = story;
      await site.make('Print Format', {
        ...{ name: 'Slip', doc_type: 'Bill' },
        parts: [
          { type: 'Section', label: 'Your bill' },
          { type: 'Field', fieldname: 'buyer' },
        ],
      });
      await site.make('Letter Head', {
        ...{ letter_head_name: 'Shop', content: '<p>Shop & Sons</p>', is_default: 1 },
      });
      await open('/app/d/Bill/BILL-00001');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Print' }).click();
      const paper = page.frameLocator('iframe[title="Preview"]');
      await paper.getByText(`Part ${ROWS}`, { exact: true }).waitFor();
      await paper.getByText('Shop & Sons').waitFor();
      await axe();
      const choose = async (label: string, choice: string) => {
        await page.getByRole('combobox', { name: label }).click();
        await page.getByRole('option', { name: choice, exact: true }).click();
      };
      await choose('Format', 'Slip');
      await paper.getByText('Your bill').waitFor();
      await choose('Letter head', 'No letter head');
      await paper.getByText('Shop & Sons').waitFor({ state: 'detached' });
      await paper.getByText('Your bill').waitFor();
    }));

  test('a format begins with the form, is arranged, and shows its page', () =>
    story.on(
      { width: 1440, height: 900, patience: 15_000 },
      async ({ page, open, axe, screenshot, expect }) => {
        expect(REFUSED_SCRIPT);
        await open('/app/d/Bill/BILL-00001');
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Print' }).click();
        await page.getByRole('link', { name: 'New format' }).click();
        await page.getByRole('heading', { level: 1, name: 'New Print Format' }).waitFor();
        await page.getByRole('button', { name: 'Start with the form' }).waitFor();
        await axe();
        await page.getByRole('textbox', { name: 'Name' }).fill('Receipt');
        await page.getByRole('button', { name: 'Start with the form' }).click();
        const fields = () =>
          page
            .getByRole('list', { name: 'Parts of the page' })
            .getByRole('combobox', { name: /^Field of part/ })
            .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value).slice(0, 3));
        await becomes(fields, ['Title', 'Buyer', 'City']);
        await page.getByRole('textbox', { name: 'Label of part 2' }).fill('Sold to');
        const handle = page.getByRole('button', { name: /^Move part 2/ });
        await handle.press('ArrowUp');
        await becomes(fields, ['Buyer', 'Title', 'City']);
        await becomes(
          () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
          'Move part 1: drag it, or use the arrow keys',
        );
        await page.getByRole('button', { name: 'Remove part 3', exact: true }).click();
        await becomes(fields, ['Buyer', 'Title', 'Posting Date']);
        await page.getByRole('combobox', { name: 'Columns of part 8' }).click();
        await page.getByRole('option', { name: 'Item', exact: true }).click();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Add a text' }).click();
        await page.getByRole('textbox', { name: /^Text of part/ }).fill('<p>Thank you.</p>');
        await page.keyboard.press('Control+s');
        await page.getByRole('heading', { level: 1, name: 'Receipt' }).waitFor();
        const record = page.getByRole('textbox', { name: 'Record on the page' });
        await record.fill('BILL-00001');
        await page.getByRole('option', { name: /BILL-00001/ }).click();
        const paper = page.frameLocator('iframe[title="Preview"]');
        await paper.getByText('Sold to').waitFor();
        await paper.getByText('Thank you.').waitFor();
        await becomes(() => paper.getByRole('columnheader').allInnerTexts(), ['#', 'Item']);
        await axe();
        await screenshot('print-format');
        await page.getByRole('textbox', { name: 'Label of part 1', exact: true }).fill('Billed to');
        await page.getByText('Save to see your changes on the page.').waitFor();
        await page.keyboard.press('Control+s');
        await paper.getByText('Billed to').waitFor();
        const { parts } = await story.site.ask('GET', '/api/resource/Print Format/Receipt');
        assert.deepEqual(
          parts.slice(0, 2).map((part: Record<string, string>) => [part['fieldname'], part['label'] ?? '']),
          [
            ['buyer', 'Billed to'],
            ['title', ''],
          ],
        );
      },
    ));

  test('shows the visible rows of a list, and no empty pages', () =>
    story.on({ theme: 'dark' }, async ({ page, open }) => {
      await open('/app/d/Bill');
      await page.getByText('Bill number 20000').waitFor();
      await showOnPaper(page);
      await page.getByText('Bill number 20000').waitFor();
      await becomes(() => look(page), ON_PAPER);
      // Rows that make the list taller, which makes room for more rows, add up frame by frame.
      const pixels = await page.evaluate(async () => {
        for (let frame = 0; frame < 100; frame += 1) await new Promise(requestAnimationFrame);
        return document.documentElement.scrollHeight;
      });
      assert.ok(pixels < 4_000, `${pixels} pixels`);
    }));
});
