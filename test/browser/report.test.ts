/** Reports: groups and figures of a list, as a chart and as a table. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';
import { following, inCity, VISIT, visits } from './support/visits.ts';

const choose = async (page: Page, label: string, option: string) => {
  await page
    .getByRole('combobox', { name: label, exact: true })
    .or(page.getByRole('textbox', { name: label, exact: true }))
    .first()
    .click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

describeStory('reports of a list', (story) => {
  before(() => story.site.make('DocType', VISIT));

  test('sums have a currency if all records have the same', async () => {
    const field = (fieldname: string, fieldtype: string, more: object = {}) => ({
      ...{ fieldname, label: fieldname, fieldtype, in_list_view: 1 },
      ...more,
    });
    await story.site.make('DocType', {
      ...{ name: 'Fare', module: 'Stories', custom: 1, permissions: VISIT.permissions },
      fields: [
        field('kind', 'Select', { options: 'Bus\nTrain' }),
        field('money', 'Data'),
        field('price', 'Currency', { options: 'money' }),
      ],
    });
    await story.site.make('Fare', { kind: 'Bus', money: 'EUR', price: 2 });
    await story.site.make('Fare', { kind: 'Bus', money: 'EUR', price: 3 });
    await story.site.make('Fare', { kind: 'Train', money: 'CHF', price: 9 });
    await story.on({}, async ({ page, open }) => {
      const bus = encodeURIComponent(JSON.stringify([['kind', '=', 'Bus']]));
      await open(`/app/d/Fare?as=report&filters=${bus}`);
      const figures = page.getByRole('table');
      await page.getByRole('button', { name: 'Add a value' }).click();
      await choose(page, 'Value 2', 'Sum of price');
      await figures.getByRole('row', { name: /^Bus 2 €5\.00$/ }).waitFor();
      await open('/app/d/Fare?as=report');
      await page.getByRole('button', { name: 'Add a value' }).click();
      await choose(page, 'Value 2', 'Sum of price');
      await figures.getByRole('row', { name: /^Bus 2 5\.00$/ }).waitFor();
      await figures.getByRole('row', { name: /^Train 1 9\.00$/ }).waitFor();
    });
  });

  test('a report groups, sums, pivots, leads to its records, and is exported, saved and shared', async () => {
    await visits(story, 'Oslo', 6, (at) => ({
      status: at > 4 ? 'Done' : 'Planned',
      fee: at * 10,
      deadline: at % 2 ? '2026-01-15' : '2026-03-02',
    }));
    await story.on({}, async ({ page, open, axe }) => {
      await open(inCity('Oslo', 'table'));
      await page.getByRole('button', { name: 'Report', exact: true }).click();
      const figures = page.getByRole('table');
      await figures.getByRole('row', { name: /^Planned 4$/ }).waitFor();
      await page.getByRole('button', { name: 'Add a value' }).click();
      await choose(page, 'Value 2', 'Sum of Fee');
      await figures.getByRole('row', { name: /^Planned 4 100$/ }).waitFor();
      await figures.getByRole('row', { name: /^Total 6 210$/ }).waitFor();
      await axe();
      await choose(page, 'Group by', 'Deadline');
      await figures.getByRole('row', { name: /^Jan 2026 3 90$/ }).waitFor();
      await page.getByRole('button', { name: 'Then by…' }).click();
      await choose(page, 'Then by', 'Status');
      await page.getByRole('checkbox', { name: 'As columns' }).click();
      await figures.getByRole('columnheader', { name: 'Planned', exact: true }).waitFor();
      await page.getByText('Stacked', { exact: true }).click();
      await page.getByRole('figure').getByRole('img').waitFor();
      await axe();

      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const download = await downloading;
      const csv = await readFile((await download.path()) ?? '', 'utf8');
      assert.deepEqual(csv.slice(1).split('\r\n').slice(1, 4), [
        'Jan 2026,2,40,1,50,3,90',
        'Mar 2026,2,60,1,60,3,120',
        'Total,4,100,2,110,6,210',
      ]);

      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save as a new view…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save as a new view' });
      await dialog.getByLabel('Name').fill('Fees by month');
      await dialog.getByRole('checkbox', { name: /^Share/ }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Fees by month', exact: true }).waitFor();
      await figures
        .getByRole('row', { name: /^Jan 2026/ })
        .getByRole('link', { name: '40' })
        .click();
      await page.getByRole('grid', { name: 'Visit' }).getByRole('link', { name: 'Oslo 3' }).waitFor();
      await page.locator('header:has(h1)').getByText('(2)', { exact: true }).waitFor();
    });
    await story.on({ user: USERS.reader }, async ({ page, open }) => {
      await open('/app/d/Visit');
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Fees by month' }).click();
      await page
        .getByRole('table')
        .getByRole('row', { name: /^Mar 2026/ })
        .waitFor();
      assert.match(page.url(), /as=report/);
    });
  });

  test('a report runs again when others change records', async () => {
    await visits(story, 'Turku', 2);
    await story.on({}, async ({ page, open }) => {
      const followed = following(page);
      await open(inCity('Turku', 'report'));
      await page.getByRole('row', { name: /^Planned 2$/ }).waitFor();
      await followed;
      await story.site.make('Visit', { subject: 'Turku 3', city: 'Turku', status: 'Done' });
      await page.getByRole('row', { name: /^Total 3$/ }).waitFor();
    });
  });
});
