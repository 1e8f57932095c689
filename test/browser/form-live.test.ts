/** A document that two users change at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.ts';
import { control } from './support/form-page.ts';
import { describeStory } from './support/story.ts';

describeStory('two users in one form', (story) => {
  test('after a conflicting save, the user chooses between the values', () =>
    story.on({}, async ({ page, open, expect, axe, screenshot }) => {
      expect(/412/);
      await story.site.make('Everything', {
        name: 'shared',
        data: 'first',
        small_text: 'first',
        text: 'first',
      });
      await open('/app/d/Everything/shared');
      await control(page, 'data').fill('mine');
      await control(page, 'text').fill('mine');
      await story.site.ask('PUT', '/api/resource/Everything/shared', {
        data: 'theirs',
        small_text: 'theirs',
      });
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Someone else changed this document').waitFor();
      await dialog.getByText('Small Text').waitFor();
      await axe();
      await screenshot('form-conflict');
      await dialog.getByRole('radio', { name: /Their value/ }).check();
      await dialog.getByRole('button', { name: 'Merge and save' }).click();
      await page.getByText('Not saved').waitFor({ state: 'detached' });
      const stored = await story.site.ask('GET', '/api/resource/Everything/shared');
      assert.deepEqual([stored.data, stored.small_text, stored.text], ['theirs', 'theirs', 'mine']);
    }));

  test('a change by another user reloads a form without unsaved changes', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Everything', { name: 'watched', data: 'first' });
      const stream = page.waitForResponse(
        (one) => one.url().includes('/api/events') && one.url().includes('Everything'),
      );
      await open('/app/d/Everything/watched');
      await control(page, 'data').waitFor();
      await stream;
      await story.site.ask('PUT', '/api/resource/Everything/watched', { data: 'second' });
      await becomes(() => control(page, 'data').inputValue(), 'second');
      await page.getByText('Updated by Administrator').waitFor();
    }));

  test('with unsaved changes, other fields follow, and a field that both changed asks before the save', () =>
    story.on({}, async ({ page, open, axe }) => {
      await story.site.make('Everything', { name: 'both', data: 'a', text: 'b', phone: '1' });
      const put = (fields: object) => story.site.ask('PUT', '/api/resource/Everything/both', fields);
      const stream = page.waitForResponse(
        (one) => one.url().includes('/api/events') && one.url().includes('Everything'),
      );
      await open('/app/d/Everything/both');
      await control(page, 'data').fill('mine');
      await stream;
      await put({ phone: '2' });
      await becomes(() => control(page, 'phone').inputValue(), '2');
      assert.equal(await control(page, 'data').inputValue(), 'mine');
      await put({ data: 'theirs', text: 'also theirs' });
      await becomes(() => control(page, 'text').inputValue(), 'also theirs');
      await page.getByText('Administrator changed fields that you are editing').waitFor();
      assert.equal(await control(page, 'data').inputValue(), 'mine');
      await axe();
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /Your value/ }).check();
      await dialog.getByRole('button', { name: 'Merge and save' }).click();
      await page.getByText('Not saved').waitFor({ state: 'detached' });
      const { data, text, phone } = await story.site.ask('GET', '/api/resource/Everything/both');
      assert.deepEqual([data, text, phone], ['mine', 'also theirs', '2']);
    }));
});
