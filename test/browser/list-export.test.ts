import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { readXlsx } from '../support/read-xlsx.ts';
import { becomes } from './support/becomes.ts';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

const MANY = 25_000;

async function openExport(page: Page) {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Export \d/ });
  await dialog.waitFor();
  const button = dialog.getByRole('button', { name: /^Export \d/ });
  return {
    dialog,
    button,
    setFormat: (name: string) =>
      dialog.getByRole('radiogroup', { name: 'Format' }).getByText(name, { exact: true }).click(),
    add: async (column: string) => {
      await dialog.getByPlaceholder('Find a column').fill(column);
      await dialog.getByRole('checkbox', { name: column, exact: true }).check();
      await dialog.getByPlaceholder('Find a column').fill('');
    },
    save: async () => {
      const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
      await dialog.waitFor({ state: 'detached' });
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    },
  };
}

describeStory('the export of a list', (story) => {
  before(async () => {
    const { make } = story.site;
    await make('Buyer', { buyer_name: 'ada', company: 'Ada & Co', city: 'a, "b"\nc' });
    await make('Buyer', { buyer_name: 'bo', company: '=HYPERLINK("http://x")', city: 'Rome' });
    await make('Bill', {
      title: 'Lamps',
      buyer: 'ada',
      posting_date: '2026-01-05',
      items: [
        { item: 'Lamp', qty: 2, rate: 5, buyer: 'bo', delivery: '2026-02-01' },
        { item: 'Bulb', qty: 4, rate: 1.25 },
      ],
    });
    await make('Bill', { title: 'Desk', buyer: 'bo', items: [{ item: 'Desk', qty: 1, rate: 400 }] });
    await make('DocType', {
      name: 'Paid Job',
      module: 'Stories',
      custom: 1,
      autoname: 'field:title',
      permissions: [
        { role: 'System Manager', read: 1, write: 1, create: 1 },
        { role: 'System Manager', read: 1, write: 1, permlevel: 1 },
        { role: 'Reader', read: 1 },
      ],
      fields: [
        { fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1, unique: 1, in_list_view: 1 },
        { fieldname: 'wage', label: 'Wage', fieldtype: 'Currency', permlevel: 1 },
      ],
    });
    await make('Paid Job', { title: 'Painter', wage: 4_000 });
  });

  test('CSV has the columns of the list, and runs no value as a formula', async () => {
    await story.on({}, async ({ page, open, axe }) => {
      await open('/app/d/Buyer?cols=buyer_name,company,city&order=buyer_name asc');
      const { dialog, save } = await openExport(page);
      await axe();
      await dialog.getByRole('button', { name: 'Move City up' }).click();
      const { name, bytes } = await save();
      assert.equal(name, 'Buyer.csv');
      assert.equal(
        bytes.toString(),
        `\uFEFFBuyer Name,City,Company\r\nada,"a, ""b""\nc",Ada & Co\r\nbo,Rome,"'=HYPERLINK(""http://x"")"\r\n`,
      );
    });
  });

  test('a workbook has real dates and numbers, titles of links, and a line for each child row', async () => {
    await story.on({}, async ({ page, open }) => {
      await open(
        '/app/d/Bill?cols=title,buyer,posting_date,total&order=name asc&filters=[["buyer","=","ada"]]',
      );
      const { dialog, setFormat, add, save } = await openExport(page);
      await dialog.getByText('Buyer = ada').waitFor();
      await setFormat('Excel');
      for (const column of ['Items › Item', 'Items › Quantity', 'Items › Paid By', 'Items › Delivery'])
        await add(column);
      await dialog.getByText('Each child row is a line').waitFor();
      const { name, bytes } = await save();
      assert.equal(name, 'Bill.xlsx');
      const { sheet, rows } = await readXlsx(bytes);
      assert.equal(sheet, 'Bill');
      const heads = ['Title', 'Buyer', 'Posting Date', 'Total', 'Items › Item', 'Items › Quantity'];
      assert.deepEqual(
        rows.map((row) => row.slice(0, 6).map(({ value }) => value)),
        [
          heads,
          ['Lamps', 'Ada & Co', '46027', '15', 'Lamp', '2'],
          ['Lamps', 'Ada & Co', '46027', '15', 'Bulb', '4'],
        ],
      );
      assert.deepEqual(rows[1]?.[2], { type: 'n', value: '46027', format: 'yyyy-mm-dd' });
      assert.deepEqual(rows[1]?.slice(6), [
        { type: 'inlineStr', value: '=HYPERLINK("http://x")', format: null },
        { type: 'n', value: '46054', format: 'yyyy-mm-dd' },
      ]);
    });
  });

  test('JSON of the selected records has their names of links, and child rows as arrays or as objects', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill?cols=title,buyer&order=name asc');
      await page.getByRole('checkbox', { name: 'Select BILL-00002' }).click();
      await page.getByText('1 selected', { exact: true }).waitFor();
      const nested = await openExport(page);
      await nested.setFormat('JSON');
      await nested.add('Items › Item');
      await nested.dialog.getByRole('checkbox', { name: 'Titles of linked records' }).uncheck();
      assert.deepEqual(JSON.parse((await nested.save()).bytes.toString()), [
        { title: 'Desk', buyer: 'bo', items: [{ item: 'Desk' }] },
      ]);
      const flat = await openExport(page);
      await flat.dialog.getByText('All matching', { exact: true }).click();
      await flat.setFormat('JSON');
      await flat.add('Items › Item');
      await flat.dialog.getByText('One object each').click();
      assert.deepEqual(JSON.parse((await flat.save()).bytes.toString()), [
        { title: 'Lamps', buyer: 'Ada & Co', 'items.item': 'Lamp' },
        { title: 'Lamps', buyer: 'Ada & Co', 'items.item': 'Bulb' },
        { title: 'Desk', buyer: '=HYPERLINK("http://x")', 'items.item': 'Desk' },
      ]);
    });
  });

  test('a field that the user may not read is neither offered nor written', async () => {
    await story.on({ user: USERS.reader }, async ({ page, open }) => {
      await open('/app/d/Paid%20Job');
      const { dialog, save } = await openExport(page);
      await dialog.getByRole('button', { name: 'Show all' }).click();
      await dialog.getByRole('checkbox', { name: 'Title', exact: true }).waitFor();
      assert.equal(await dialog.getByRole('checkbox', { name: 'Wage' }).count(), 0);
      const text = (await save()).bytes.toString();
      assert.match(text, /Painter/);
      assert.doesNotMatch(text, /4000|wage/i);
    });
  });

  test('a large one is written to the disk while it is read, and can be stopped', async () => {
    story.site.copies('Buyer', 'ada', MANY, { name: `'buyer ' || i`, buyer_name: `'buyer ' || i` });
    await story.on({}, async ({ page, open }) => {
      // Stands in for the dialog of the browser, which no script can answer.
      await page.addInitScript(() => {
        Object.assign(globalThis, {
          showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
            (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
        });
      });
      await open('/app/d/Buyer?cols=buyer_name');
      const { dialog, button } = await openExport(page);
      const second = /\/api\/resource\/Buyer\?.*limit_page_length=2000.*after=/;
      const isHeld = Promise.withResolvers<void>();
      const isStopped = Promise.withResolvers<void>();
      await page.route(second, async (route) => {
        isHeld.resolve();
        await isStopped.promise;
        await route.continue().catch(() => {});
      });
      await button.click();
      await isHeld.promise;
      await dialog.getByText('2,000 records written').waitFor();
      await dialog.getByRole('button', { name: 'Stop' }).click();
      await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
      isStopped.resolve();
      const lines = () =>
        page.evaluate(async () => {
          const folder = await navigator.storage.getDirectory();
          const file = await (await folder.getFileHandle('Buyer.csv')).getFile();
          return (await file.text()).split('\r\n').length - 1;
        });
      assert.equal(await lines(), 0);
      await page.unroute(second);
      await button.click();
      await page.getByRole('region', { name: 'Messages' }).getByText('25,002 buyers exported').waitFor();
      await becomes(lines, MANY + 3);
    });
  });
});
