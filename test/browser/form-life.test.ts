import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.ts';
import { control, focused, save } from './support/form-page.ts';
import { makeCompanies, pickOnce, plannedPicks } from './support/picker-runs.ts';
import { describeStory } from './support/story.ts';
import { PASSWORD } from './support/story-site.ts';

describeStory('the life cycle of a record in its form', (story) => {
  test('a bill is submitted, cancelled and amended', async () => {
    await story.site.make('Buyer', { buyer_name: 'ann', company: 'Ann & Co', city: 'Bern' });
    const bill = await story.site.make('Bill', {
      title: 'Paper',
      buyer: 'ann',
      items: [{ item: 'Pen', qty: 2, rate: 3 }],
    });
    await story.on({}, async ({ page, open, axe }) => {
      await open(`/app/d/Bill/${bill.name}`);
      await page.getByText('Draft').waitFor();
      await page.keyboard.press('Control+Enter');
      await page.getByRole('dialog').waitFor();
      await axe();
      await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click();
      await page.getByText('Submitted', { exact: true }).first().waitFor();
      await becomes(() => control(page, 'title').getAttribute('readonly'), '');
      await control(page, 'status').click();
      await page.getByRole('option', { name: 'Paid' }).click();
      await save(page);
      await page.locator('header:has(h1)').getByText('Saved', { exact: true }).waitFor();
      assert.equal((await story.site.ask('GET', `/api/resource/Bill/${bill.name}`)).status, 'Paid');
      await page.getByRole('button', { name: 'Cancel document' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel Bill' }).click();
      await page.getByText('Cancelled', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Amend' }).click();
      await page.waitForURL(`**/d/Bill/${bill.name}-1`);
      await page.getByText('Draft').waitFor();
      await control(page, 'title').waitFor();
      assert.equal(await control(page, 'amended_from').count(), 0, 'in another tab');
      assert.equal(
        (await story.site.ask('GET', `/api/resource/Bill/${bill.name}-1`)).amended_from,
        bill.name,
      );
    });
  });

  test('a buyer is created in a drawer, without leaving the bill', () =>
    story.on({}, async ({ page, open, axe }) => {
      await open('/app/new/Bill');
      await control(page, 'title').fill('For a new one');
      await control(page, 'buyer').fill('dora');
      await page.getByRole('option', { name: 'New Buyer “dora”' }).click();
      const drawer = page.getByRole('dialog');
      await becomes(() => drawer.getByRole('textbox', { name: 'Buyer Name' }).inputValue(), 'dora');
      // Given up, nothing is chosen.
      // The typed text is its name; the focus is where the user goes on.
      await focused(page, 'company');
      await drawer.getByRole('button', { name: 'Cancel' }).click();
      await drawer.waitFor({ state: 'detached' });
      await becomes(() => control(page, 'buyer').inputValue(), '');
      await control(page, 'buyer').fill('dora');
      await page.getByRole('option', { name: 'New Buyer “dora”' }).click();
      await drawer.getByRole('textbox', { name: 'Company' }).fill('Dora SA');
      await axe();
      await page.keyboard.press('Control+s');
      await drawer.waitFor({ state: 'detached' });
      await becomes(() => control(page, 'buyer').inputValue(), 'Dora SA');
      assert.equal(await control(page, 'title').inputValue(), 'For a new one');
      assert.equal((await story.site.ask('GET', '/api/resource/Buyer/dora')).company, 'Dora SA');
    }));

  test('a link is chosen by keyboard, followed and cleared', () =>
    story.on({}, async ({ page, open, axe }) => {
      await open('/app/new/Bill');
      await control(page, 'buyer').focus();
      await page.keyboard.type('ann');
      await page.getByRole('option', { name: 'Ann & Co' }).waitFor();
      await becomes(() => page.locator('mark').first().textContent(), 'Ann');
      await axe();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await becomes(() => control(page, 'buyer').inputValue(), 'Ann & Co');
      // Typed in full and left: the same.
      await page.locator('[data-path="buyer"]').getByRole('button', { name: 'Clear' }).click();
      await becomes(() => control(page, 'buyer').inputValue(), '');
      await control(page, 'buyer').focus();
      await page.keyboard.type('ANN & CO');
      await page.keyboard.press('Tab');
      await becomes(() => control(page, 'buyer').inputValue(), 'Ann & Co');
      const link = page.locator('[data-path="buyer"]').getByRole('link');
      await becomes(() => link.getAttribute('href'), '/app/d/Buyer/ann');
    }));

  test('a fast typist gets the buyer that was typed', async () => {
    await makeCompanies(story.site);
    await story.on({}, async ({ page }) => {
      for (const plan of plannedPicks(12, 5))
        assert.equal(await pickOnce(page, plan), plan.company, JSON.stringify(plan));
    });
  });

  test('the picker waits for the answer to what is typed now', () =>
    story.on({}, async ({ page, open }) => {
      await open('/app/new/Bill');
      await control(page, 'buyer').click();
      await page.getByRole('option', { name: 'Maple Bakery' }).waitFor();
      // The server answers only after all keys.
      const isTyped = Promise.withResolvers<void>();
      await page.route('**/frappe.desk.search.search_link*', async (route) => {
        await isTyped.promise;
        await route.continue();
      });
      await page.keyboard.type('pebble');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByText('Searching…').waitFor();
      assert.equal(await control(page, 'buyer').inputValue(), 'pebble');
      isTyped.resolve();
      await becomes(() => control(page, 'buyer').inputValue(), 'Pebble Works');
    }));

  test('unknown text in a link is marked on leaving, and chosen in the dialog', () =>
    story.on({}, async ({ page, open, axe }) => {
      await open('/app/new/Bill');
      await control(page, 'buyer').focus();
      await page.keyboard.type('nobody like this');
      await page.keyboard.press('Tab');
      await page.getByText('No Buyer “nobody like this”').waitFor();
      assert.equal(await control(page, 'buyer').getAttribute('aria-invalid'), 'true');
      await axe();
      await control(page, 'buyer').fill('harb');
      await page.getByRole('option', { name: 'Advanced search' }).click();
      const dialog = page.getByRole('dialog', { name: 'Choose Buyer' });
      await dialog.getByText('Harbour Logistics').waitFor();
      await axe();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await becomes(() => control(page, 'buyer').inputValue(), 'Harbour Logistics');
      await becomes(() => control(page, 'buyer').getAttribute('aria-invalid'), null);
    }));

  test('a buyer is duplicated, renamed and deleted', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Buyer', { buyer_name: 'emil', company: 'Emil AG', city: 'Ulm' });
      await open('/app/d/Buyer/emil');
      const menu = async (item: string) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: item }).click();
      };
      await menu('Duplicate');
      // The address changes before the screen does.
      await page.getByRole('heading', { name: 'New Buyer' }).waitFor();
      await becomes(() => control(page, 'company').inputValue(), 'Emil AG');
      await control(page, 'buyer_name').fill('emil two');
      await page.keyboard.press('Control+s');
      await page.waitForURL('**/d/Buyer/emil%20two');
      await menu('Rename');
      await page.getByRole('dialog').getByLabel('New name').fill('emilia');
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
      await page.locator('header:has(h1)').getByText('emilia', { exact: true }).waitFor();
      await menu('Show as JSON');
      await page.getByRole('dialog').getByText('"doctype": "Buyer"').waitFor();
      await page.getByRole('dialog').locator(':focus').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await menu('Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL('**/d/Buyer');
      await assert.rejects(story.site.ask('GET', '/api/resource/Buyer/emilia'), /404/);
    }));

  test('the dialog of a deletion names the documents that it affects', async () => {
    const link = (fieldname: string, label: string, on_delete: string) => ({
      fieldname,
      label,
      fieldtype: 'Link',
      options: 'Buyer',
      on_delete,
    });
    await story.site.make('DocType', {
      name: 'Parcel',
      custom: 1,
      autoname: 'prompt',
      fields: [link('sender', 'Sender', ''), link('payer', 'Payer', 'empty'), link('to', 'To', 'cascade')],
    });
    await story.site.make('Buyer', { buyer_name: 'fritz', company: 'Fritz', city: 'Ulm' });
    for (const [name, field] of [
      ['P-1', 'sender'],
      ['P-2', 'payer'],
      ['P-3', 'to'],
    ] as const) {
      await story.site.make('Parcel', { name, [field]: 'fritz' });
    }
    await story.on({}, async ({ page, open, axe }) => {
      const viewed = page.waitForResponse('**/chancery.view_document');
      await open('/app/d/Buyer/fritz');
      await viewed;
      const dialog = page.getByRole('dialog', { name: 'Delete fritz?' });
      const effect = (name: string) => dialog.getByRole('list', { name });
      const remove = async () => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
      };
      await remove();
      await effect('These documents prevent the deletion:').getByText('Parcel P-1').waitFor();
      await effect('These documents are deleted too:').getByText('Parcel P-3').waitFor();
      await effect('These documents lose their link:').getByText('Parcel P-2').waitFor();
      await axe();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });

      await story.site.ask('PUT', '/api/resource/Parcel/P-1', { sender: null });
      await remove();
      await effect('These documents prevent the deletion:').waitFor({ state: 'detached' });
      await effect('These documents are deleted too:').getByText('Parcel P-3').waitFor();
      const left = page.waitForResponse('**/chancery.leave_document');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL('**/d/Buyer');
      assert.equal((await left).status(), 200, 'the form leaves a document that is gone');
      await assert.rejects(story.site.ask('GET', '/api/resource/Parcel/P-3'), /404/);
      assert.equal((await story.site.ask('GET', '/api/resource/Parcel/P-2')).payer, undefined);
    });
  });

  test('settings have a form', () =>
    story.on({}, async ({ page, open, axe }) => {
      await open('/app/d/Shop%20Settings/Shop%20Settings');
      await becomes(() => control(page, 'motto').inputValue(), 'Always open');
      await control(page, 'motto').fill('Mostly open');
      await page.getByRole('checkbox', { name: 'Open on Sunday' }).check();
      await save(page);
      await axe();
      const stored = await story.site.ask('GET', '/api/resource/Shop%20Settings/Shop%20Settings');
      assert.deepEqual([stored.motto, stored.open_on_sunday], ['Mostly open', 1]);
    }));

  test('typed text survives the end of the session', () =>
    story.on({}, async ({ page, context, open, expect }) => {
      expect(/40[13]/);
      await story.site.make('Everything', { name: 'kept', data: 'first' });
      await open('/app/d/Everything/kept');
      await control(page, 'data').fill('typed');
      await page.getByText('Not saved').waitFor();
      await context.clearCookies();
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog');
      await dialog.locator('input[type=password]').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Not saved').waitFor({ state: 'detached' });
      assert.equal((await story.site.ask('GET', '/api/resource/Everything/kept')).data, 'typed');
    }));

  test('an amount shows its currency, and a password is replaced', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Everything', { name: 'sealed', password: 'old secret' });
      await open('/app/d/Everything/sealed');
      const field = page.locator('[data-path="password"]');
      await field.getByRole('button', { name: 'Replace' }).click();
      await field.locator('input').fill('new secret');
      await save(page);
      await field.getByText('Set (hidden)').waitFor();
      const shown = await story.site.ask(
        'GET',
        '/api/method/frappe.client.get_password?doctype=Everything&name=sealed&fieldname=password',
      );
      assert.equal(shown, 'new secret');
    }));

  test('an address without a record leads back to its list, and `new` to a new record', () =>
    story.on({}, async ({ page, open, expect, axe }) => {
      expect(/404/);
      await open('/app/d/Bill/BILL-99999');
      await page.getByRole('heading', { name: /not found$/ }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
      await axe();
      await page.getByRole('link', { name: 'Back to Bill' }).click();
      await page.waitForURL('**/app/d/Bill');
      await open('/app/d/Bill/new');
      await page.waitForURL('**/app/new/Bill');
      await page.getByRole('heading', { level: 1, name: 'New Bill' }).waitFor();
    }));

  test('Alt with the arrow keys steps through the last visited list', () =>
    story.on({}, async ({ page, open }) => {
      for (const name of ['step-a', 'step-b', 'step-c'])
        await story.site.make('Everything', { name, text: 'steps' });
      await open('/app/d/Everything?filters=[["text","=","steps"]]&order=name+asc');
      await page.getByText('step-b').first().waitFor();
      await page.getByText('step-b').first().click();
      // The heading is there while the document is on its way; its keys are when its fields are.
      const isThere = async (name: string) => {
        await page.waitForURL(`**/d/Everything/${name}`);
        await page.getByRole('heading', { name }).waitFor();
        await control(page, 'data').waitFor();
      };
      await isThere('step-b');
      await page.keyboard.press('Alt+ArrowDown');
      await isThere('step-c');
      await page.keyboard.press('Alt+ArrowUp');
      await isThere('step-b');
      await page.keyboard.press('Alt+ArrowUp');
      await isThere('step-a');
    }));
});
