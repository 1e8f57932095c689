/** A System Manager decides who may do what, and finds out why somebody may not. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

const WHO = { user: USERS.manager };

/** The dialog marks these fields, and no others, as required. */
const requires = (page: Page, labels: string[]) =>
  becomes(
    () =>
      page
        .getByRole('dialog')
        .locator('[aria-required="true"]')
        .evaluateAll((inputs) =>
          inputs.map((input) => (input as HTMLInputElement).labels?.[0]?.firstChild?.textContent),
        ),
    labels,
  );

describeStory('permissions', (story) => {
  before(async () => {
    const { make } = story.site;
    await make('Buyer', { buyer_name: 'maple', company: 'Maple Bakery' });
    await make('Buyer', { buyer_name: 'orchard', company: 'Orchard Dairy' });
    await make('Bill', { title: 'Paper', buyer: 'maple', items: [{ item: 'Paper' }] });
  });
  const may = async (right: string) =>
    (
      await story.site.ask(
        'GET',
        `/api/method/chancery.explain_permission?doctype=Bill&right=${right}&user=${USERS.clerk}`,
      )
    ).allowed;

  test('change rights with the keyboard, read the summary, save, undo', () =>
    story.on(WHO, async ({ page, open, axe }) => {
      await open('/app/permissions?doctype=Bill');
      const box = (name: string) =>
        page.getByRole('checkbox', { name: new RegExp(`^Bill, ${name}( ·.*)?$`) });
      await box('Clerk: Select').focus();
      for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowDown');
      assert.equal(
        await box('Reader: Delete').evaluate((element) => element === document.activeElement),
        true,
      );
      // A right that others need takes them with it.
      await box('Clerk: Write').click();
      await becomes(() => box('Clerk: Submit').getAttribute('aria-checked'), 'false');
      await page.getByText('Clerk can read, create and delete every Bill record.').waitFor();
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog', { name: 'Save permissions' });
      await dialog.getByText('Clerk can delete').waitFor();
      await dialog.getByText('Clerk can no longer change, submit, cancel and amend').waitFor();
      await axe();
      await dialog.getByRole('button', { name: 'Save 1 change' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual([await may('delete'), await may('write')], [true, false]);
      await page.getByText('Differs from the defaults').waitFor();
      await box('Clerk: Delete')
        .and(page.getByRole('checkbox', { name: /added on this site/ }))
        .waitFor();
      await page.getByRole('button', { name: 'Undo last save' }).click();
      await page.getByText('Follows the defaults').waitFor();
      assert.deepEqual([await may('delete'), await may('write')], [false, true]);
    }));

  test('a change that locks out whoever makes it has to be confirmed; defaults come back', () =>
    story.on(WHO, async ({ page, open }) => {
      await open('/app/permissions?doctype=Bill');
      await page.getByRole('button', { name: 'Remove all rights of System Manager' }).click();
      await page.getByRole('button', { name: 'Review and save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save permissions' });
      await dialog
        .getByText('You can no longer read, change, create and delete every Bill record.')
        .waitFor();
      const save = dialog.getByRole('button', { name: 'Save 1 change' });
      assert.equal(await save.isDisabled(), true);
      await dialog.getByRole('checkbox', { name: /I understand/ }).check();
      await save.click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Restore defaults' }).click();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByRole('button', { name: 'Save 1 change' }).click();
      await page.getByText('Follows the defaults').waitFor();
    }));

  test('a role gets only its own records, at one place for all doctypes', () =>
    story.on(WHO, async ({ page, open }) => {
      await open('/app/permissions?doctype=Bill');
      await page.getByRole('button', { name: 'Add role' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a role to Bill' });
      await dialog.getByRole('combobox', { name: 'Role' }).or(dialog.getByLabel('Role')).first().click();
      await page.getByRole('option', { name: /^All/ }).click();
      await dialog.getByRole('checkbox', { name: 'Only records that the user created' }).check();
      await dialog.getByRole('button', { name: 'Add role' }).click();
      await page.getByText('All can read only Bill records that they created.').waitFor();
      await page.getByRole('link', { name: 'Clerk', exact: true }).click();
      const grid = page.getByRole('grid', { name: 'Permissions of Clerk' });
      await grid.getByRole('checkbox', { name: 'Buyer, Clerk: Delete' }).click();
      await page.getByText('2 rows changed, not saved').waitFor();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await page.getByText('2 rows changed, not saved').waitFor({ state: 'detached' });
    }));

  test('a user permission is added, explained and removed', () =>
    story.on(WHO, async ({ page, open }) => {
      const pick = async (label: string, text: string, option: RegExp) => {
        const input = page.getByRole('dialog').getByRole('textbox', { name: label });
        await input.fill(text);
        await page.getByRole('option', { name: option }).first().click();
      };
      await open(`/app/permissions?tab=users&user=${USERS.clerk}&doctype=Buyer`);
      await page.getByRole('button', { name: 'Restrict a user' }).click();
      await requires(page, ['User', 'Sees only records of', 'Record']);
      await pick('Record', 'orchard', /Orchard Dairy/);
      await page.getByRole('button', { name: 'Restrict', exact: true }).click();
      await page.getByText('Sees only Buyer orchard, and records that link to it.').waitFor();
      await open(`/app/permissions?tab=why&user=${USERS.clerk}&doctype=Bill&name=BILL-00001`);
      await page.getByRole('heading', { name: `No. ${USERS.clerk} can’t read Bill BILL-00001.` }).waitFor();
      await page.getByText('User permissions allow Buyer orchard, but Buyer is maple.').waitFor();
      await page.getByRole('link', { name: 'Open the user permissions' }).click();
      await page.getByRole('button', { name: `Remove the restriction of ${USERS.clerk} to orchard` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('heading', { name: 'No user permissions' }).waitFor();
    }));

  test('a share opens a record to somebody, until it ends', () =>
    story.on(WHO, async ({ page, open }) => {
      await open(`/app/permissions?tab=shares&user=${USERS.reader}&doctype=Bill`);
      await page.getByRole('button', { name: 'Share a record' }).click();
      const dialog = page.getByRole('dialog', { name: 'Share a record' });
      await requires(page, ['User', 'Doctype', 'Record']);
      await dialog.getByRole('textbox', { name: 'Record' }).fill('BILL');
      await page.getByRole('option', { name: /BILL-00001/ }).click();
      await dialog.getByRole('checkbox', { name: 'Write' }).check();
      await dialog.getByRole('button', { name: 'Share a record' }).click();
      await page.getByText('read and change').waitFor();
      await page.getByRole('button', { name: 'End the share of BILL-00001' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('heading', { name: 'No shares' }).waitFor();
    }));

  test('who manages nothing asks about themselves', () =>
    story.on({ user: USERS.clerk }, async ({ page, open }) => {
      await open('/app/permissions?doctype=Bill&right=delete');
      await page.getByRole('heading', { name: `No. ${USERS.clerk} can’t delete Bill records.` }).waitFor();
      assert.equal(await page.getByRole('tab').count(), 1);
    }));
});
