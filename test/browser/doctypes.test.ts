import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

describeStory('the list of doctypes', (story) => {
  test('shows those of the site, and folds child tables and those of the system', async () => {
    await story.on({}, async ({ page, open, axe, screenshot }) => {
      await open('/app/doctypes');
      const own = page.getByRole('region', { name: 'Application doctypes' });
      const line = own.getByRole('row', { name: /^Bill\b/ });
      await line.getByText('Submittable').waitFor();
      // Without the breaks, which only lay out the form.
      await line.getByRole('cell', { name: '11', exact: true }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'DocType', exact: true }).count(), 0);
      await page.getByRole('button', { name: /^System doctypes/ }).click();
      await page.getByRole('link', { name: 'DocType', exact: true }).waitFor();
      await axe();
      await screenshot('doctypes-open');
      await page.getByRole('button', { name: /^Child tables/ }).click();
      await page
        .getByRole('region', { name: 'Child tables' })
        .getByRole('row', { name: /^Bill Item/ })
        .waitFor();
    });
  });

  test('a search opens what it finds, and the menu of a line leads to its screens', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/doctypes');
      await page.keyboard.press('/');
      await page.keyboard.type('docperm');
      await page.getByRole('link', { name: 'Custom DocPerm' }).waitFor();
      await page.getByRole('searchbox', { name: 'Search doctypes' }).fill('buyer');
      const choose = async (item: string) => {
        await page.getByRole('button', { name: 'Actions for Buyer', exact: true }).click();
        await page.getByRole('menuitem', { name: item }).click();
      };
      await choose('Permissions');
      await page.waitForURL(/\/app\/permissions\?doctype=Buyer/);
      await page.goBack();
      await choose('Edit doctype');
      await page.waitForURL(/\/app\/doctypes\/Buyer$/);
      await page.goBack();
      await choose('Open the list');
      await page.waitForURL(/\/app\/d\/Buyer$/);
      await page.goBack();
      await choose('New record');
      await page.waitForURL(/\/app\/new\/Buyer$/);
    });
  });

  test('a user who may not change definitions is offered neither a new one nor the editor', async () => {
    await story.on({ user: USERS.reader }, async ({ page, open }) => {
      await open('/app/doctypes');
      await page
        .getByRole('region', { name: 'Application doctypes' })
        .getByRole('row', { name: /^Bill\b/ })
        .waitFor();
      assert.equal(await page.getByRole('button', { name: 'New doctype' }).count(), 0);
      await page.getByRole('button', { name: 'Actions for Buyer', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Open the list' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: 'Edit doctype' }).count(), 0);
    });
  });
});
