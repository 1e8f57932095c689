import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { control, focused, saveAndSee } from './support/form-page.ts';
import { describeStory, type Story } from './support/story.ts';
import { HOSTILE } from './support/story-doctypes.ts';
import { USERS } from './support/story-site.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

async function pick(page: Page, path: string, text: string, option: string): Promise<void> {
  await control(page, path).fill(text);
  await page.getByRole('option', { name: option }).first().click();
}

async function buyers({ site }: Story): Promise<void> {
  for (const [name, company, city] of [
    ['ann', 'Ann & Co', 'Bern'],
    ['bob', 'Bob Ltd', 'Rome'],
    ['cleo', 'Cleo GmbH', 'Kiel'],
  ])
    await site.make('Buyer', { buyer_name: name, company, city });
}

describeStory('the form of a record', (story) => {
  test('on a phone, the title, the state and the actions take two lines', () =>
    story.on({ width: 390, height: 844 }, async ({ page, open }) => {
      const { site } = story;
      await site.make('Buyer', { buyer_name: 'Header', company: 'Header' });
      const items = [{ item: 'Lamp', qty: 1, rate: 5 }];
      const title = 'A bill with a title that is much longer than a phone is wide';
      const { name } = await site.make('Bill', { title, buyer: 'Header', items });
      await open(`/app/d/Bill/${name}`);
      await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
      await control(page, 'title').fill('Changed');
      await page.getByText('Not saved').waitFor();
      const lines = () =>
        page.locator('header:has(h1)').evaluate((header) => {
          const boxes = [...header.querySelectorAll('h1, button, h1 + span > *')].map((one) =>
            one.getBoundingClientRect(),
          );
          // What begins below the end of all before it begins a line.
          let end = 0;
          let count = 0;
          for (const { top, bottom } of boxes.toSorted((a, b) => a.top - b.top)) {
            if (top >= end) count += 1;
            end = Math.max(end, bottom);
          }
          return count;
        });
      await becomes(lines, 2);
    }));

  test('every fieldtype is filled in, saved and read back', async () => {
    await buyers(story);
    await story.on({ timeZone: 'Europe/Berlin' }, async ({ page, open, axe }) => {
      await open('/app/new/Everything');
      const fill = (path: string, text: string) => control(page, path).fill(text);
      await fill('name', 'full');
      await fill('data', 'Hello');
      await fill('phone', '+41 44 123 45 67');
      await fill('color', '#1c5fa8');
      await fill('icon', 'star');
      await fill('autocomplete', 'anything');
      for (const name of ['small_text', 'text', 'long_text']) await fill(name, `${name}\nin lines`);
      await fill('code', 'const x = 1 < 2;');
      await fill('text_editor', '<p>Hello <b>you</b></p>');
      await fill('html_editor', '<ul><li>one</li></ul>');
      await fill('markdown_editor', '# Title');
      await fill('signature', 'A. B.');
      await fill('barcode', '4006381333931');
      await fill('int', '1,234');
      await fill('float', '1.5');
      await fill('currency', '99.95');
      await fill('percent', '12.5');
      await fill('duration', '1d 2h 3m 4s');
      await page
        .locator('[data-path="rating"]')
        .getByRole('radio', { name: '3 stars' })
        .check({ force: true });
      await page.getByRole('checkbox', { name: 'Check' }).check();
      await fill('date', '2026-11-21');
      await fill('datetime', '2026-11-21T10:11:12');
      await fill('time', '09:08:07');
      await control(page, 'select').click();
      await page.getByRole('option', { name: 'a < b' }).click();
      await pick(page, 'kind', 'Buy', 'Buyer');
      await pick(page, 'link', 'bob', 'Bob Ltd');
      await pick(page, 'dynamic_link', 'kiel', 'Cleo GmbH');
      await pick(page, 'table_multiselect', 'ann', 'Ann & Co');
      await fill('password', 'a secret');
      await fill('json', '{"a": [1, 2]}');
      await fill('geolocation', '{"type":"Point","coordinates":[8,47]}');
      for (const name of ['attach', 'attach_image']) {
        await page
          .locator(`[data-path="${name}"] input[type=file]`)
          .setInputFiles({ name: `${name}.png`, mimeType: 'image/png', buffer: PNG });
        await page.locator(`[data-path="${name}"]`).getByRole('link').waitFor();
      }
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.waitForURL('**/d/Everything/full');

      const stored = await story.site.ask('GET', '/api/resource/Everything/full');
      const wanted = {
        data: 'Hello',
        phone: '+41 44 123 45 67',
        color: '#1c5fa8',
        icon: 'star',
        autocomplete: 'anything',
        small_text: 'small_text\nin lines',
        text: 'text\nin lines',
        long_text: 'long_text\nin lines',
        code: 'const x = 1 < 2;',
        text_editor: '<p>Hello <b>you</b></p>',
        html_editor: '<ul><li>one</li></ul>',
        markdown_editor: '# Title',
        signature: 'A. B.',
        barcode: '4006381333931',
        int: 1234,
        float: 1.5,
        currency: 99.95,
        percent: 12.5,
        duration: 93784,
        rating: 0.6,
        check: 1,
        date: '2026-11-21',
        // On the site's clock, whatever the browser's is.
        datetime: '2026-11-21 10:11:12',
        time: '09:08:07',
        select: 'a < b',
        kind: 'Buyer',
        link: 'bob',
        dynamic_link: 'cleo',
        password: '**********',
        json: '{"a":[1,2]}',
      };
      for (const [name, value] of Object.entries(wanted)) {
        const found =
          typeof value === 'string' && /^(?:date)?time$/.test(name)
            ? String(stored[name]).slice(0, value.length)
            : stored[name];
        assert.deepEqual(found, value, name);
      }
      assert.deepEqual(
        stored.table_multiselect.map((row: { buyer: string }) => row.buyer),
        ['ann'],
      );
      assert.match(stored.attach, /^\/private\/files\/.*attach.*\.png$/);
      assert.deepEqual(JSON.parse(stored.geolocation), { type: 'Point', coordinates: [8, 47] });

      // What was stored is what the form shows when it is read anew.
      await open('/app/d/Everything/full');
      await becomes(() => control(page, 'int').inputValue(), '1,234');
      await becomes(() => control(page, 'duration').inputValue(), '1d 2h 3m 4s');
      await becomes(() => control(page, 'datetime').inputValue(), '21/11/2026 10:11:12');
      await becomes(() => control(page, 'link').inputValue(), 'Bob Ltd');
      const stars = page.locator('[data-path="rating"]').getByRole('radio', { name: '3 stars' });
      await becomes(() => stars.isChecked(), true);
      await page.getByText('Set (hidden)').waitFor();
      await axe();
    });
  });

  test('a save sends only the changed fields, with the version they change', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Everything', { name: 'little', data: 'before', text: 'stays' });
      await open('/app/d/Everything/little');
      await control(page, 'data').fill('after');
      const { request, sent } = await saveAndSee(page);
      assert.deepEqual(sent, { data: 'after' });
      assert.match(String((await request.allHeaders())['if-match']), /^"/);
      assert.equal((await story.site.ask('GET', '/api/resource/Everything/little')).data, 'after');
    }));

  test('one key press renders one field', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Everything', { name: 'quick', data: 'x' });
      await open('/app/d/Everything/quick');
      await control(page, 'data').focus();
      await page.keyboard.press('End');
      // The first change shows the mark beside the heading; the second is what typing costs.
      await page.keyboard.press('a');
      await page.getByText('Not saved').waitFor();
      await page.evaluate(() => {
        const counted = globalThis as unknown as {
          counted: string[];
          chanceryFieldRendered: (path: string) => void;
        };
        counted.counted = [];
        counted.chanceryFieldRendered = (path) => counted.counted.push(path);
      });
      await page.keyboard.press('b');
      await becomes(() => control(page, 'data').inputValue(), 'xab');
      await becomes(
        () => page.evaluate(() => (globalThis as unknown as { counted: string[] }).counted),
        ['data'],
      );
    }));

  test('errors are shown at their fields, and the summary links to them', () =>
    story.on({}, async ({ page, open, expect, axe }) => {
      expect(/417/);
      await open('/app/new/Bill');
      await page.getByRole('tab', { name: 'Terms' }).click();
      await control(page, 'due_days').fill('many');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      // A value that is none is not even sent.
      await page.getByText('1 value needs your attention').waitFor();
      await becomes(() => control(page, 'due_days').getAttribute('aria-invalid'), 'true');
      await control(page, 'due_days').fill('-5');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('3 values need your attention').waitFor();
      const summary = page.getByRole('alert');
      // The first wrong field has the focus, in whatever tab it is, and each line leads to its own.
      await focused(page, 'title');
      await page.getByRole('tab', { name: 'Terms' }).click();
      await summary.getByRole('button', { name: 'Title' }).click();
      await focused(page, 'title');
      const described = (await control(page, 'title').getAttribute('aria-describedby')) ?? '';
      const problem = page.locator(
        described
          .split(' ')
          .map((id) => `[id="${id}"]`)
          .join(),
      );
      await problem.filter({ hasText: 'Enter a value' }).waitFor();
      await axe();
      await control(page, 'title').fill('Now there is one');
      await becomes(() => control(page, 'title').getAttribute('aria-invalid'), null);
    }));

  test('conditions show fields and make them mandatory or read-only', () =>
    story.on({}, async ({ page, open }) => {
      await open('/app/new/Bill');
      await control(page, 'status').waitFor();
      assert.equal(await page.locator('[data-path="dispute"]').count(), 0);
      await control(page, 'status').click();
      await page.getByRole('option', { name: 'Disputed' }).click();
      await becomes(() => control(page, 'dispute').getAttribute('aria-required'), 'true');
      await becomes(() => control(page, 'buyer_city').getAttribute('readonly'), '');
      await control(page, 'status').click();
      await page.getByRole('option', { name: 'Paid' }).click();
      await page.locator('[data-path="dispute"]').waitFor({ state: 'detached' });
    }));

  test('leaving a form with unsaved changes asks first', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Everything', { name: 'guarded', data: 'first' });
      await open('/app/d/Everything/guarded');
      await control(page, 'data').fill('changed');
      await page.getByRole('link', { name: 'Buyer', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Stay' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await control(page, 'data').inputValue(), 'changed');
      // Closing the tab asks, too.
      const asked = page.waitForEvent('dialog');
      const closing = page.close({ runBeforeUnload: true });
      const question = await asked;
      assert.equal(question.type(), 'beforeunload');
      await question.dismiss();
      await closing;
      await page.getByRole('link', { name: 'Buyer', exact: true }).click();
      await dialog.getByRole('button', { name: 'Discard changes' }).click();
      await page.waitForURL('**/d/Buyer');
      assert.equal((await story.site.ask('GET', '/api/resource/Everything/guarded')).data, 'first');
    }));

  test('undo and redo work across fields', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Everything', { name: 'undone', data: 'a', text: 'b' });
      await open('/app/d/Everything/undone');
      await control(page, 'data').fill('A');
      await control(page, 'text').fill('B');
      await page.getByText('Not saved').waitFor();
      await page.keyboard.press('Control+z');
      await becomes(() => control(page, 'text').inputValue(), 'b');
      await page.keyboard.press('Control+z');
      await becomes(() => control(page, 'data').inputValue(), 'a');
      await page.getByText('Not saved').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+Shift+z');
      await becomes(() => control(page, 'data').inputValue(), 'A');
      await page.getByText('Not saved').waitFor();
    }));

  test('an address opens the tab of a field and focuses it', () =>
    story.on({}, async ({ page, open }) => {
      const bill = await story.site.make('Bill', {
        title: 'Deep',
        buyer: 'ann',
        items: [{ item: 'x', qty: 1 }],
      });
      await open(`/app/d/Bill/${bill.name}#field=due_days`);
      await focused(page, 'due_days');
    }));

  test('hostile values are shown as text in every field, and execute nothing', () =>
    story.on({}, async ({ page, open, axe }) => {
      const texts = [
        'data',
        'small_text',
        'text',
        'long_text',
        'code',
        'text_editor',
        'html_editor',
        'markdown_editor',
        'signature',
        'barcode',
        'read_only',
        'autocomplete',
        'icon',
        'color',
        'phone',
        'select',
        'json',
        'geolocation',
        'attach',
        'attach_image',
      ];
      await story.site.make('Buyer', { buyer_name: 'plain' });
      await story.site.make('Everything', {
        name: 'plain',
        kind: 'Buyer',
        link: 'plain',
        dynamic_link: 'plain',
      });
      // The server makes texts safe when they are written: these are put where they are read, as they are.
      const hostile = `case "i" ${HOSTILE.map((text, at) => `when ${at + 1} then '${text.replaceAll("'", "''")}'`).join(' ')} end`;
      const name = `printf('evil-%d', "i")`;
      story.site.copies('Buyer', 'plain', HOSTILE.length, {
        name,
        buyer_name: name,
        company: hostile,
        city: hostile,
      });
      story.site.copies('Everything', 'plain', HOSTILE.length, {
        name,
        link: name,
        dynamic_link: name,
        ...Object.fromEntries(texts.map((field) => [field, hostile])),
      });
      for (const [at, value] of HOSTILE.entries()) {
        await open(`/app/d/Everything/evil-${at + 1}`);
        for (const field of ['data', 'text_editor', 'code', 'markdown_editor', 'json', 'link'])
          await becomes(() => control(page, field).inputValue(), value);
        for (const preview of await page.getByRole('button', { name: /^Preview of/ }).all())
          await preview.click();
        await control(page, 'link').fill(`evil-${at + 1}`);
        await page
          .getByRole('option', { name: value.slice(0, 5) })
          .first()
          .waitFor();
        await page.keyboard.press('Escape');
      }
      await axe();
    }));

  test('a reader sees the document, but cannot change it', () =>
    story.on({ user: USERS.reader }, async ({ page, open, axe }) => {
      await open('/app/d/Everything/full');
      await becomes(() => control(page, 'data').getAttribute('readonly'), '');
      assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0);
      await axe();
    }));
});
