/** The DocType designer, as people who define record types use it in a browser. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { writeApp } from '../support/app-folder.ts';
import { startTestSite } from '../support/site.ts';
import { becomes } from './support/becomes.ts';
import { finger } from './support/finger.ts';
import { describeStory } from './support/story.ts';

/** Adds a field from the palette and names it. */
async function add(page: Page, kind: string, label: string): Promise<void> {
  await page
    .getByRole('complementary', { name: 'Field types' })
    .getByRole('button', { name: kind, exact: true })
    .click();
  const input = page.getByRole('complementary', { name: 'Properties' }).getByLabel('Label', { exact: true });
  await becomes(() => input.evaluate((element) => element === document.activeElement), true);
  await page.keyboard.type(label);
}

const card = (page: Page, label: string) =>
  page
    .locator('[data-canvas]')
    .getByRole('button', { name: new RegExp(`^${label}\\b`) })
    .first();

describeStory('the doctype designer', (story) => {
  it('makes a doctype with a child table for a newcomer, who then fills in a record', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes');
      await page.getByRole('button', { name: 'New doctype' }).click();
      await page.getByRole('heading', { level: 1, name: 'New doctype' }).waitFor();
      await page.getByLabel('Name of the doctype').fill('Recipe');
      await add(page, 'Text line', 'Title');
      await add(page, 'Dropdown', 'Course');
      await page.getByRole('button', { name: 'Add option' }).click();
      await page.getByLabel('Option 1', { exact: true }).fill('Starter');
      await page.keyboard.press('Enter');
      await page.keyboard.type('Main');
      await add(page, 'Table', 'Steps');
      await page.getByRole('button', { name: 'Make a new child table' }).click();
      await page.getByLabel('Label of column 1').fill('What');
      await page.keyboard.press('Enter');
      await page.keyboard.type('Minutes');
      await page.getByRole('combobox', { name: 'Type of column 2' }).click();
      await page.getByRole('option', { name: 'Whole number' }).click();
      await admin.axe();
      await admin.screenshot('designer-new');
      await page.getByText('Preview', { exact: true }).click();
      await page.getByRole('region', { name: 'Preview of the form' }).getByLabel('Title').waitFor();
      await admin.axe();
      await admin.screenshot('designer-preview');
      // The preview follows what is typed, and leaves the focus where it is.
      const label = page
        .getByRole('complementary', { name: 'Properties' })
        .getByLabel('Label', { exact: true });
      await label.press('End');
      await page.keyboard.type(' to take');
      await page
        .getByRole('region', { name: 'Preview of the form' })
        .getByText('Steps to take', { exact: true })
        .first()
        .waitFor();
      assert.equal(await label.evaluate((element) => element === document.activeElement), true);
      await page.getByRole('button', { name: 'Create doctype' }).click();

      await page.getByRole('heading', { level: 1, name: 'Recipe' }).waitFor();
      await page.getByRole('button', { name: 'New', exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: 'New Recipe' }).waitFor();
      await page.getByLabel('Title').fill('Onion soup');
      await page.keyboard.press('Control+s');
      await page.getByRole('heading', { level: 1, name: 'Onion soup' }).waitFor();
    });
    const [recipe] = await story.site.ask('GET', '/api/resource/Recipe?fields=["title"]');
    assert.deepEqual(recipe, { title: 'Onion soup' });
    const steps = await story.site.ask('GET', '/api/resource/DocType/Recipe Steps');
    assert.deepEqual(
      [
        steps.istable,
        ...steps.fields.map((row: Record<string, string>) => [row['fieldname'], row['fieldtype']]),
      ],
      [1, ['what', 'Data'], ['minutes', 'Int']],
    );
  });

  it('adds a field to a doctype of the server, as a Custom Field', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/Role');
      await page.getByText('Part of Chancery', { exact: false }).first().waitFor();
      await card(page, 'Role Name').click();
      await page.getByRole('complementary', { name: 'Properties' }).getByText('not remove it').waitFor();
      await add(page, 'Text box', 'Tasks');
      await card(page, 'Tasks').waitFor();
      await admin.axe();
      await admin.screenshot('designer-shipped');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Save Role?' });
      await dialog.getByText('Added').waitFor();
      await dialog.getByText('1 document is written').click();
      await dialog.getByText('New Custom Field tasks').waitFor();
      await admin.axe();
      await admin.screenshot('designer-plan-shipped');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('region', { name: 'Messages' }).getByText('Role is saved').waitFor();
      await page.getByText('Not saved').waitFor({ state: 'detached' });
    });
    const field = await story.site.ask('GET', '/api/resource/Custom Field/Role-tasks');
    assert.deepEqual([field.dt, field.fieldtype], ['Role', 'Small Text']);
  });

  it('shows a new field in view, and the permissions as a matrix', async () => {
    await story.site.make('DocType', {
      name: 'Ledger',
      permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
      fields: Array.from({ length: 20 }, (_, at) => ({ fieldname: `note_${at}`, fieldtype: 'Small Text' })),
    });
    await story.on({}, async ({ page, open, axe, screenshot }) => {
      await open('/app/doctypes/Ledger');
      await add(page, 'Text line', 'Last of all');
      const bottom = (place: Locator) => place.evaluate((one) => one.getBoundingClientRect().bottom);
      const canvas = page.locator('[data-canvas]');
      await becomes(async () => (await bottom(card(page, 'Last of all'))) <= (await bottom(canvas)), true);
      await page.getByRole('tab', { name: 'Permissions' }).click();
      const matrix = page.getByRole('table', { name: 'Permissions of the roles' });
      await matrix.getByRole('checkbox', { name: 'Delete: row 1, System Manager' }).check();
      await page.getByRole('button', { name: 'Add role' }).click();
      await matrix.getByRole('combobox', { name: 'Role of row 2' }).fill('Guest');
      await page.getByRole('option', { name: 'Guest' }).click();
      await matrix.getByRole('checkbox', { name: 'Only own: row 2, Guest' }).check();
      await axe();
      await screenshot('designer-permissions');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog', { name: 'Save Ledger?' }).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('region', { name: 'Messages' }).getByText('Ledger is saved').waitFor();
    });
    const { permissions } = await story.site.ask('GET', '/api/resource/DocType/Ledger');
    assert.deepEqual(
      permissions.map((row: Record<string, unknown>) => `${row['role']} ${row['delete']} ${row['if_owner']}`),
      ['System Manager 1 0', 'Guest 0 1'],
    );
  });

  it('shows how many values a removed field has, and deletes them only with the typed name', async () => {
    await story.site.make('DocType', {
      name: 'Parcel',
      title_field: 'label',
      permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
      fields: [
        { fieldname: 'label', label: 'Label', fieldtype: 'Data' },
        { fieldname: 'weight', label: 'Weight', fieldtype: 'Data' },
      ],
    });
    for (const weight of ['3', '12', 'heavy']) await story.site.make('Parcel', { label: weight, weight });
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/Parcel');
      await card(page, 'Weight').focus();
      await page.keyboard.press('Delete');
      await card(page, 'Weight').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+z');
      await card(page, 'Weight').click();
      await page.keyboard.press('Delete');
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog', { name: 'Save Parcel?' });
      await dialog.getByText('3 rows have a value').waitFor();
      const apply = dialog.getByRole('button', { name: 'Save' });
      assert.equal(await apply.isEnabled(), true);
      await dialog.getByRole('checkbox').check();
      await admin.axe();
      await admin.screenshot('designer-plan-loss');
      const destroy = dialog.getByRole('button', { name: 'Delete values and save' });
      assert.equal(await destroy.isEnabled(), false);
      await dialog.getByLabel(/^Type Parcel to delete 3 values/).fill('Parcel');
      await destroy.click();
      await page.getByRole('region', { name: 'Messages' }).getByText('Parcel is saved').waitFor();
    });
    const { fields } = await story.site.ask('GET', '/api/resource/DocType/Parcel');
    assert.deepEqual(
      fields.map((row: Record<string, string>) => row['fieldname']),
      ['label'],
    );
  });

  it('moves, duplicates and edits fields by keyboard, and by mouse', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/new');
      await page.getByLabel('Name of the doctype').fill('Orderly');
      for (const label of ['One', 'Two', 'Three']) await add(page, 'Text line', label);
      const order = () =>
        page.locator('[data-canvas] [data-key] button > span:first-child > [dir]').allInnerTexts();
      await becomes(order, ['One', 'Two', 'Three']);
      await card(page, 'Three').focus();
      await page.keyboard.press('Alt+ArrowUp');
      await becomes(order, ['One', 'Three', 'Two']);
      await page.keyboard.press('Alt+ArrowUp');
      await becomes(order, ['Three', 'One', 'Two']);
      await page.keyboard.press('Control+d');
      await becomes(order, ['Three', 'Three', 'One', 'Two']);
      await page.keyboard.press('Enter');
      await page.keyboard.type('Four');
      await becomes(order, ['Three', 'Four', 'One', 'Two']);
      const [from, to] = await Promise.all([
        card(page, 'Two').boundingBox(),
        card(page, 'Three').boundingBox(),
      ]);
      assert.ok(from && to);
      await page.mouse.move(from.x + 60, from.y + 12);
      await page.mouse.down();
      await page.mouse.move(to.x + 80, to.y + 30, { steps: 4 });
      await page.mouse.move(to.x + 8, to.y + 8, { steps: 4 });
      await admin.screenshot('designer-drag');
      await page.mouse.up();
      await becomes(order, ['Two', 'Three', 'Four', 'One']);
      await page.keyboard.press('Control+z');
      await becomes(order, ['Three', 'Four', 'One', 'Two']);
    });
  });

  it('imports a DocType file of Frappe, and exports a file that an app folder takes', async () => {
    const frappe = {
      actions: [],
      autoname: 'field:title',
      creation: '2020-01-01 10:00:00.000000',
      doctype: 'DocType',
      engine: 'InnoDB',
      field_order: ['title', 'section_break_2', 'notes'],
      fields: [
        { fieldname: 'notes', fieldtype: 'Text Editor', label: 'Notes' },
        { fieldname: 'section_break_2', fieldtype: 'Section Break' },
        { fieldname: 'title', fieldtype: 'Data', label: 'Title', reqd: 1, unique: 1, in_list_view: 1 },
      ],
      idx: 1,
      links: [],
      modified: '2021-01-01 10:00:00.000000',
      modified_by: 'Administrator',
      module: 'Desk',
      name: 'Notebook',
      owner: 'Administrator',
      permissions: [{ create: 1, read: 1, role: 'System Manager', write: 1 }],
      sort_field: 'modified',
      sort_order: 'DESC',
      track_changes: 1,
    };
    let file = '';
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/new?tab=json');
      const input = page.getByLabel('File with a doctype');
      await input.setInputFiles({
        name: 'notebook.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(frappe)),
      });
      await becomes(() => page.getByLabel('Name of the doctype').inputValue(), 'Notebook');
      await admin.axe();
      await admin.screenshot('designer-json');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download app file' }).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'notebook.json');
      file = readFileSync(await download.path(), 'utf8');
      await page.getByRole('button', { name: 'Create doctype' }).click();
      await page.getByRole('heading', { level: 1, name: 'Notebook' }).waitFor();
    });
    const definition = JSON.parse(file);
    assert.deepEqual(
      definition.fields.map((row: Record<string, string>) => row['fieldname']),
      ['title', 'section_break_2', 'notes'],
    );
    const folder = writeApp(mkdtempSync(join(tmpdir(), 'chancery-designed-')), 'desk', [definition]);
    const site = await startTestSite('sqlite', {
      apps: [{ name: 'desk', doctypes: pathToFileURL(join(folder, 'doctypes/')) }],
    });
    try {
      await site.make('Notebook', { title: 'Mine' });
      assert.equal((await site.did('GET', 'DocType/Notebook')).app, 'desk');
    } finally {
      await site.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('keeps changes when somebody else has changed the doctype meanwhile', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/Region');
      await add(page, 'Whole number', 'People');
      const { fields } = await story.site.ask('GET', '/api/resource/DocType/Region');
      await story.site.ask('PUT', '/api/resource/DocType/Region', {
        fields: [...fields, { fieldname: 'anthem', label: 'Anthem', fieldtype: 'Data' }],
      });
      admin.expect(/status of 417/);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog', { name: 'Region has changed' }).waitFor();
      await admin.axe();
      await page.getByRole('button', { name: 'Keep my changes' }).click();
      await card(page, 'Anthem').waitFor();
      await card(page, 'People').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog', { name: 'Save Region?' }).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('region', { name: 'Messages' }).getByText('Region is saved').waitFor();
    });
    const { fields } = await story.site.ask('GET', '/api/resource/DocType/Region');
    const names = fields.map((row: Record<string, string>) => row['fieldname']);
    assert.ok(names.includes('anthem') && names.includes('people'), names.join());
  });

  it('shows a refusal at its field', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/new');
      await page.getByLabel('Name of the doctype').fill('Refused');
      await add(page, 'Link', 'Owner Of It');
      admin.expect(/status of 417/);
      await page.getByRole('button', { name: 'Create doctype' }).click();
      await page.getByText('The doctype cannot be saved yet').waitFor();
      await card(page, 'Owner Of It').getByText('options are required').waitFor();
      await admin.axe();
      await admin.screenshot('designer-refused');
    });
  });

  it('is for System Managers, and works on a phone and in Arabic', async () => {
    await story.on({ user: 'clerk@example.com' }, async ({ page, open, axe }) => {
      await open('/app/doctypes/Bill');
      await page.getByText('Only System Managers change doctypes.').waitFor();
      await axe();
    });
    await story.on({ width: 390, height: 800, theme: 'dark' }, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/Bill');
      await page.getByRole('button', { name: 'Add field' }).click();
      const palette = page.getByRole('dialog', { name: 'Add field' });
      await palette.getByLabel('Search field types').fill('day');
      await admin.axe();
      await palette.getByRole('button', { name: 'Date', exact: true }).click();
      const panel = page.getByRole('dialog', { name: 'Properties' });
      await panel.getByLabel('Label', { exact: true }).fill('Shipped On');
      await admin.axe();
      await admin.screenshot('designer-phone-panel');
      await panel.getByRole('button', { name: 'Close' }).click();
      await card(page, 'Shipped On').waitFor();
      await admin.axe();
      await admin.screenshot('designer-phone');
    });
    await story.on({ locale: 'ar', theme: 'light' }, async (admin) => {
      await admin.open('/app/doctypes/Bill');
      await card(admin.page, 'Title').click();
      await admin.axe();
      await admin.screenshot('designer-arabic');
    });
  });

  it('moves fields by touch, and deletes a doctype without records', async () => {
    await story.site.make('DocType', {
      name: 'Passing',
      permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
      fields: ['One', 'Two', 'Three'].map((label) => ({ label, fieldtype: 'Data' })),
    });
    await story.on({ width: 390, height: 800 }, async (admin) => {
      const { page } = admin;
      await admin.open('/app/doctypes/Passing');
      const grips = page.locator('[data-canvas] [data-key] > span[aria-hidden]');
      const [from, to] = await Promise.all([grips.nth(2).boundingBox(), card(page, 'One').boundingBox()]);
      assert.ok(from && to);
      const touch = await finger(page);
      await touch.press(from.x + 12, from.y + 12);
      await touch.move(from.x, to.y + 40);
      await touch.move(to.x + 60, to.y + 4);
      await touch.lift();
      const order = () =>
        page.locator('[data-canvas] [data-key] button > span:first-child > [dir]').allInnerTexts();
      await becomes(order, ['Three', 'One', 'Two']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await becomes(order, ['One', 'Two', 'Three']);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete doctype…' }).click();
      await page
        .getByRole('dialog', { name: 'Delete Passing?' })
        .getByRole('button', { name: 'Delete doctype' })
        .click();
      await page.getByRole('heading', { level: 1, name: 'Doctypes' }).waitFor();
    });
  });
});
