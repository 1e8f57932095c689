import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import type { Download, Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { becomes } from './support/becomes.ts';
import { control } from './support/form-page.ts';
import { describeStory } from './support/story.ts';
import { HOSTILE } from './support/story-doctypes.ts';
import { USERS } from './support/story-site.ts';

const count = (page: Page, text: string) =>
  page.locator('header:has(h1)').getByText(`(${text})`, { exact: true });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const boxOf = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const more = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const textOf = async (download: Download) => readFile((await download.path()) ?? '', 'utf8');

describeStory('actions on the records of a list', (story) => {
  before(async () => {
    const { site } = story;
    for (let at = 1; at <= 30; at += 1) {
      const number = String(at).padStart(2, '0');
      await site.make('Buyer', {
        buyer_name: `Buyer ${number}`,
        company: `Company ${number}`,
        city: at % 2 ? 'Oslo' : 'Rome',
      });
    }
    const items = [{ item: 'Lamp', qty: 1, rate: 5 }];
    for (const title of ['One', 'Two', 'Three']) await site.make('Bill', { title, buyer: 'Buyer 01', items });
  });

  test('a bulk edit sets a field in all matching records, and shows their exact number first', async () => {
    await story.on({}, async ({ page, open, axe }) => {
      await open('/app/d/Buyer?filters=[["city","=","Oslo"]]');
      await count(page, '15').waitFor();
      await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
      await page.getByText('15 selected', { exact: true }).waitFor();
      await boxOf(page, 'Buyer 03').click();
      await page.getByText('14 selected', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Edit field' }).click();
      const edit = dialog(page, 'Edit field');
      await edit.getByText('Updates one field of 14 records.').waitFor();
      await edit.getByLabel('Field').click();
      await page.getByRole('option', { name: 'City' }).click();
      await edit.getByLabel('New value').fill('Bergen');
      await axe();
      await edit.getByRole('button', { name: 'Update records' }).click();
      await edit.getByText('14 records processed.').waitFor();
      await edit.getByRole('button', { name: 'Close' }).last().click();
      await count(page, '1').waitFor();
      const rows = await story.site.ask(
        'GET',
        '/api/resource/Buyer?filters=[["city","=","Bergen"]]&limit_page_length=100',
      );
      assert.equal(rows.length, 14);
    });
  });

  test('a failure in a bulk action shows its reason and does not stop the others', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Buyer?order=buyer_name asc');
      await boxOf(page, 'Buyer 01').click();
      await boxOf(page, 'Buyer 05').click({ modifiers: ['Shift'] });
      await page.getByText('5 selected', { exact: true }).waitFor();
      await boxOf(page, 'Buyer 02').click();
      await page.getByText('4 selected', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const remove = dialog(page, 'Delete records');
      await remove.getByText('4 records will be deleted.').waitFor();
      await remove.getByRole('button', { name: 'Delete', exact: true }).click();
      await remove.getByText('3 records processed. 1 failed.').waitFor();
      await remove.getByRole('list', { name: 'Failures' }).getByText('Buyer 01', { exact: true }).waitFor();
      await remove
        .getByText(/linked|BILL-/)
        .first()
        .waitFor();
      await remove.getByRole('button', { name: 'Close' }).last().click();
      await count(page, '27').waitFor();
    });
  });

  test('records are submitted and cancelled', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      for (const [button, name, verb, state] of [
        ['Submit', 'Submit records', 'Submit', 1],
        ['Cancel records', 'Cancel records', 'Cancel records', 2],
      ] as const) {
        await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
        await page
          .getByRole('toolbar', { name: 'Selected records' })
          .getByRole('button', { name: button })
          .click();
        await dialog(page, name).getByRole('button', { name: verb, exact: true }).click();
        await dialog(page, name).getByText('3 records processed.').waitFor();
        await dialog(page, name).getByRole('button', { name: 'Close' }).last().click();
        await page.getByRole('toolbar', { name: 'Selected records' }).waitFor({ state: 'detached' });
        const rows = await story.site.ask('GET', `/api/resource/Bill?filters=[["docstatus","=",${state}]]`);
        assert.equal(rows.length, 3);
        await page
          .getByRole('gridcell', { name: state === 1 ? 'Submitted' : 'Cancelled' })
          .nth(2)
          .waitFor();
      }
    });
  });

  test('the filtered records are exported to a file, whatever their values', async () => {
    await story.site.make('Buyer', {
      buyer_name: 'Formula',
      company: '=HYPERLINK("http://x")',
      city: 'a, "b"\nc',
    });
    await story.on({}, async ({ page, open }) => {
      const filters = JSON.stringify([['buyer_name', 'in', ['Formula', 'Buyer 06']]]);
      await open(
        `/app/d/Buyer?filters=${encodeURIComponent(filters)}&cols=buyer_name,company,city&order=buyer_name asc`,
      );
      await count(page, '2').waitFor();
      await more(page, 'Export…');
      await dialog(page, 'Export Buyer').getByText('2 records will be exported.').waitFor();
      const [csv] = await Promise.all([
        page.waitForEvent('download'),
        dialog(page, 'Export Buyer').getByRole('button', { name: 'Export' }).click(),
      ]);
      assert.equal(csv.suggestedFilename(), 'Buyer.csv');
      assert.equal(
        await textOf(csv),
        `\uFEFFbuyer_name,company,city\r\nBuyer 06,Company 06,Rome\r\nFormula,"'=HYPERLINK(""http://x"")","a, ""b""\nc"\r\n`,
      );
      await boxOf(page, 'Formula').click();
      await page.getByText('1 selected', { exact: true }).waitFor();
      await more(page, 'Export…');
      await dialog(page, 'Export Buyer').getByText('1 record will be exported.').waitFor();
      await dialog(page, 'Export Buyer').getByText('JSON').click();
      const [json] = await Promise.all([
        page.waitForEvent('download'),
        dialog(page, 'Export Buyer').getByRole('button', { name: 'Export' }).click(),
      ]);
      assert.deepEqual(JSON.parse(await textOf(json)), [
        { buyer_name: 'Formula', company: '=HYPERLINK("http://x")', city: 'a, "b"\nc' },
      ]);
    });
  });

  test('the count, the export and bulk actions are about the rows of the list, also of own records', async () => {
    await story.site.make('DocType', {
      name: 'Lead',
      module: 'Stories',
      custom: 1,
      autoname: 'field:title',
      title_field: 'title',
      permissions: [
        { role: 'Clerk', select: 1 },
        { role: 'Clerk', read: 1, write: 1, create: 1, export: 1, if_owner: 1 },
      ],
      fields: [{ fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1, unique: 1 }],
    });
    for (const title of ['Ann', 'Ben', 'Cid']) await story.site.make('Lead', { title });
    story.site.copies('Lead', 'Ann', 2, {
      name: `'Own ' || i`,
      title: `'Own ' || i`,
      owner: `'${USERS.clerk}'`,
    });
    await story.on({ user: USERS.clerk }, async ({ page, open }) => {
      await open('/app/d/Lead?cols=title&order=title asc');
      await count(page, '2').waitFor();
      await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
      await page.getByText('2 selected', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Edit field' }).click();
      await dialog(page, 'Edit field').getByText('Updates one field of 2 records.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
      await more(page, 'Export…');
      const save = dialog(page, 'Export Lead');
      await save.getByText('2 records will be exported.').waitFor();
      const [csv] = await Promise.all([
        page.waitForEvent('download'),
        save.getByRole('button', { name: 'Export' }).click(),
      ]);
      assert.equal(await textOf(csv), '\uFEFFtitle\r\nOwn 1\r\nOwn 2\r\n');
    });
  });

  test('views are saved, used as default, changed, shared and deleted', async () => {
    await story.on({}, async ({ page, open, axe }) => {
      const choose = async (item: string | RegExp) => {
        await page.getByRole('button', { name: /^(Views|Romans)/ }).click();
        await page.getByRole('menu').getByText(item).click();
      };
      await open('/app/d/Buyer?filters=[["city","=","Rome"]]&order=buyer_name asc&cols=buyer_name,city');
      await choose('Save as a new view…');
      const save = dialog(page, 'Save as a new view');
      await save.getByLabel('Name').fill('Romans');
      await save.getByLabel('Share with all readers of these records').check();
      await save.getByLabel('Use as default view for everyone').check();
      await axe();
      await save.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Romans', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Remove filter City = Rome' }).click();
      await page.getByRole('button', { name: 'Romans *', exact: true }).waitFor();
      await choose('All records');
      await page.getByRole('button', { name: 'Views' }).waitFor();
      await page.waitForURL((url) => url.search === '');
    });
    await story.on({ user: USERS.reader }, async ({ page, open }) => {
      await open('/app/d/Buyer');
      await page.getByRole('button', { name: 'Romans', exact: true }).waitFor();
      await page.getByRole('list', { name: 'Filters' }).getByText('City = Rome').waitFor();
      // A reader reads.
      assert.equal(await page.getByRole('button', { name: 'New', exact: true }).count(), 0);
      await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
      const tools = page.getByRole('toolbar', { name: 'Selected records' });
      await tools.getByRole('button', { name: 'Export' }).waitFor();
      assert.equal(await tools.getByRole('button', { name: 'Delete' }).count(), 0);
      assert.equal(await tools.getByRole('button', { name: 'Edit field' }).count(), 0);
      await page.getByRole('button', { name: 'Romans', exact: true }).click();
      await page.getByRole('menu').getByText('All records').waitFor();
      assert.equal(await page.getByRole('menuitem', { name: 'Delete this view…' }).count(), 0);
    });
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Buyer');
      await page.getByRole('button', { name: 'Romans', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Delete this view…' }).click();
      await dialog(page, 'Delete this view?').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Views' }).waitFor();
      assert.deepEqual(await story.site.ask('GET', '/api/resource/Saved View'), []);
    });
  });

  test('the list’s request can be copied as a curl command', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Buyer?filters=[["city","=","Rome"]]&cols=city');
      await page.getByText('City = Rome').waitFor();
      await more(page, 'Copy as API call');
      await page.getByRole('region', { name: 'Messages' }).getByText('API call copied').first().waitFor();
      const line = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(line, /^curl -G 'http:\/\/127\.0\.0\.1:\d+\/api\/resource\/Buyer'/);
      assert.match(line, /--data-urlencode 'filters=\[\["city","=","Rome"\]\]'/);
    });
  });

  test('changes by others are announced, and shown on request', async () => {
    await story.on({}, async ({ page, open }) => {
      const stream = page.waitForResponse(
        (one) => one.url().includes('/api/events') && one.url().includes('Region'),
      );
      await open('/app/d/Region');
      await page.getByRole('heading', { name: 'No Region records yet' }).waitFor();
      // What comes before the stream is read with the screen, and not told.
      await stream;
      await story.site.make('Region', { title: 'Region 1' });
      const told = page.getByRole('button', { name: '1 record changed. Refresh' });
      await told.click();
      await page.getByRole('gridcell', { name: 'Region 1' }).first().waitFor();
      await told.waitFor({ state: 'detached' });
    });
  });

  test('a server error is shown, and the request retried', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      admin.expect(/status of 500/);
      let fails = true;
      await page.route('**/api/resource/Buyer?*include=cursor*', (route) =>
        fails
          ? route.fulfill({
              status: 500,
              json: { exc_type: 'InternalServerError', exception: 'x: The server failed to answer' },
            })
          : route.continue(),
      );
      await admin.open('/app/d/Buyer');
      await page.getByRole('alert').getByText('Server error', { exact: true }).waitFor();
      await admin.axe();
      fails = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page
        .getByRole('gridcell', { name: /^Company / })
        .first()
        .waitFor();
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
      await head('field_4').dragTo(head('field_2'));
      await page.waitForURL((url) => (url.searchParams.get('cols') ?? '').includes('field_4,field_2'));
      // Widths and pins are there the next time.
      await page.reload();
      await becomes(width, before + 140);
      await axe();
    });
  });

  for (const theme of ['light', 'dark'] as const)
    test(`hostile values are shown as text in every cell, ${theme}`, async () => {
      const [first = '', ...rest] = HOSTILE;
      for (const [at, value] of [first, ...rest].entries())
        await story.site.make('Everything', {
          name: `Hostile ${theme} ${at}`,
          data: value,
          small_text: value,
          text: value,
          long_text: value,
          code: value,
          read_only: value,
          barcode: value,
          autocomplete: value,
        });
      await story.on({ theme }, async ({ page, open, axe, screenshot }) => {
        await open('/app/d/Everything?cols=data,small_text,text,long_text,code,barcode,autocomplete,name');
        await page
          .getByRole('gridcell', { name: HOSTILE[3] ?? '' })
          .first()
          .waitFor();
        await axe();
        await screenshot('list-hostile');
      });
    });

  test('a Single doctype opens its document', async () => {
    await story.on({}, async ({ page }) => {
      await page.goto('/app/d/Shop%20Settings');
      await page.waitForURL(/\/app\/d\/Shop%20Settings\/Shop%20Settings$/);
      await control(page, 'motto').waitFor();
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
