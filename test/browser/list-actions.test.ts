import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import type { Download, Page } from 'playwright-core';
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
      const edit = dialog(page, 'Edit 14 buyers');
      await edit.getByLabel('Field').click();
      await page.getByRole('option', { name: 'City' }).click();
      await edit.getByLabel('New value').fill('Bergen');
      await axe();
      await edit.getByRole('button', { name: 'Update 14 buyers' }).click();
      await page.getByRole('region', { name: 'Messages' }).getByText('14 buyers updated').waitFor();
      await edit.waitFor({ state: 'detached' });
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
      const remove = dialog(page, 'Delete 4 buyers');
      await remove.getByRole('button', { name: 'Delete 4 buyers' }).click();
      await remove.getByText('3 buyers deleted, 1 failed').waitFor();
      await remove.getByRole('list', { name: 'Failures' }).getByRole('link', { name: 'Buyer 01' }).waitFor();
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
      for (const [button, name, told, state] of [
        ['Submit', 'Submit 3 bills', '3 bills submitted', 1],
        ['Cancel records', 'Cancel 3 bills', '3 bills cancelled', 2],
      ] as const) {
        await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
        await page
          .getByRole('toolbar', { name: 'Selected records' })
          .getByRole('button', { name: button })
          .click();
        await dialog(page, name).getByRole('button', { name, exact: true }).click();
        await page.getByRole('region', { name: 'Messages' }).getByText(told).waitFor();
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
      await dialog(page, 'Edit 2 leads').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
      await more(page, 'Export…');
      const [csv] = await Promise.all([
        page.waitForEvent('download'),
        dialog(page, 'Export 2 leads').getByRole('button', { name: 'Export 2 leads' }).click(),
      ]);
      assert.equal(await textOf(csv), '\uFEFFTitle\r\nOwn 1\r\nOwn 2\r\n');
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

  test('changes by others arrive in place, and what would move rows is told first', async () => {
    await story.on({}, async ({ page, open }) => {
      const stream = page.waitForResponse(
        (one) => one.url().includes('/api/events') && one.url().includes('Region'),
      );
      await open('/app/d/Region');
      await page.getByRole('heading', { name: 'No regions yet' }).waitFor();
      // What comes before the stream is read with the screen, and not told.
      await stream;
      // Nothing could move in an empty list.
      await story.site.make('Region', { title: 'Region 1' });
      await page.getByRole('gridcell', { name: 'Region 1' }).first().waitFor();
    });
    await story.on({}, async ({ page, open, axe }) => {
      const stream = page.waitForResponse(
        (one) => one.url().includes('/api/events') && one.url().includes('Buyer'),
      );
      await open('/app/d/Buyer?order=buyer_name asc&cols=buyer_name,city');
      const cityOf = (row: number) => page.locator(`[role=row][data-row="${row}"] [data-column="1"]`);
      await cityOf(8).waitFor();
      await stream;
      await page.locator('[role=row][data-row="7"] [data-select]').click();
      const set = (name: string, values: object) =>
        story.site.ask('PUT', `/api/resource/Buyer/${name}`, values);
      await set('Buyer 06', { city: 'Lima' });
      await page.getByRole('gridcell', { name: 'Lima' }).waitFor();
      const pill = page.getByRole('status').getByRole('button');
      assert.equal(await pill.count(), 0);
      // The selection and the active cell are where they were.
      await page.getByText('1 selected', { exact: true }).waitFor();
      await page.getByRole('grid').and(page.locator(':focus')).waitFor();
      await story.site.make('Buyer', { buyer_name: 'Aaron', company: 'Aaron', city: 'Oslo' });
      await pill.filter({ hasText: '1 new' }).waitFor();
      await axe();
      const first = page.locator('[role=row][data-row="0"]');
      assert.equal(await first.getByText('Aaron').count(), 0);
      await pill.click();
      await first.getByText('Aaron').first().waitFor();
      await pill.waitFor({ state: 'detached' });
      await page.getByText('1 selected', { exact: true }).waitFor();
      await story.site.ask('DELETE', '/api/resource/Buyer/Aaron');
      await pill.filter({ hasText: '1 removed' }).waitFor();
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
});
