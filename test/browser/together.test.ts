/** Assignments, tags, likes and shares: by one user, and as another one sees them at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { control, save } from './support/form-page.ts';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const chips = (page: Page, name: string) =>
  part(page, name)
    .getByRole('listitem')
    .allTextContents()
    .then((texts) => texts.map((text) => text.trim()));
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click();

/** Resolves when the page listens for changes of a doctype. */
const listening = (page: Page, doctype: string) =>
  page.waitForResponse((one) => one.url().includes('/api/events') && one.url().includes(doctype));

describeStory('marks beside a form', (story) => {
  const marks = async (name: string) => {
    const doc = await story.site.ask('GET', `/api/resource/Everything/${name}`);
    return [doc._assign, doc._user_tags, doc._liked_by].map((value) => value ?? '');
  };

  test('assign, tag and like with the keyboard, and take it back', () =>
    story.on({}, async ({ page, open, axe, screenshot }) => {
      await story.site.make('Everything', { name: 'marked', data: 'x' });
      await story.site.make('Everything', { name: 'other', data: 'x' });
      await story.site.ask('POST', '/api/method/frappe.desk.doctype.tag.tag.add_tag', {
        ...{ tag: 'urgent', dt: 'Everything', dn: 'other' },
      });
      await open('/app/d/Everything/marked');
      await part(page, 'Assigned to').getByRole('button', { name: 'Assign', exact: true }).press('Enter');
      await page.getByRole('textbox', { name: 'Assign to', exact: true }).pressSequentially('cle');
      await page.getByRole('option', { name: /clerk/ }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await becomes(() => chips(page, 'Assigned to'), ['clerk']);
      await press(page, 'Assign to me');
      await becomes(() => chips(page, 'Assigned to'), ['clerk', 'Administrator']);
      await part(page, 'Tags').getByRole('button', { name: 'Add a tag' }).press('Enter');
      const tag = page.getByRole('textbox', { name: 'Tag', exact: true });
      await tag.pressSequentially('big deal');
      await tag.press('Enter');
      await becomes(() => chips(page, 'Tags'), ['big deal']);
      await tag.pressSequentially('urg');
      await page.getByRole('option', { name: 'urgent' }).waitFor();
      await axe();
      await screenshot('form-marks');
      await tag.press('ArrowDown');
      await tag.press('Enter');
      await becomes(() => chips(page, 'Tags'), ['big deal', 'urgent']);
      await tag.press('Escape');
      await press(page, 'Like');
      const liked = page.getByRole('button', { name: '1 Liked by Administrator' });
      assert.equal(await liked.getAttribute('aria-pressed'), 'true');
      const me = '["Administrator"]';
      assert.deepEqual(await marks('marked'), [`["${USERS.clerk}","Administrator"]`, ',big deal,urgent', me]);
      await page.getByRole('button', { name: `Remove the assignment to ${USERS.clerk}` }).press('Enter');
      await becomes(() => chips(page, 'Assigned to'), ['Administrator']);
      await page.getByRole('button', { name: 'Remove the tag big deal' }).press('Enter');
      await becomes(() => chips(page, 'Tags'), ['urgent']);
      // The next button has the focus, so that Enter goes on.
      await page.keyboard.press('Enter');
      await becomes(() => chips(page, 'Tags'), []);
      await liked.click();
      await page.getByRole('button', { name: 'Like', exact: true }).waitFor();
      assert.deepEqual(await marks('marked'), [me, '', '']);
    }));

  test('share with a user and with everyone, change the rights, and end it', () =>
    story.on({}, async ({ page, open, axe, screenshot }) => {
      await story.site.make('Everything', { name: 'shared' });
      const stored = async () =>
        (
          await story.site.ask('GET', '/api/method/frappe.share.get_users?doctype=Everything&name=shared')
        ).map((one: Record<string, unknown>) => [one['user'], one['write'], one['share'], one['everyone']]);
      await open('/app/d/Everything/shared');
      const shares = part(page, 'Shared with');
      await shares.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByRole('textbox', { name: 'Share with', exact: true }).fill('rea');
      await page.getByRole('option', { name: /reader/ }).click();
      await becomes(stored, [[USERS.reader, 0, 0, 0]]);
      await shares.getByRole('button', { name: `Rights of ${USERS.reader}` }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Can change it' }).click();
      await shares.getByText('read and change').waitFor();
      await press(page, 'Share with everyone');
      await shares.getByText('Everyone who is signed in').waitFor();
      await becomes(stored, [
        [USERS.reader, 1, 0, 0],
        [null, 0, 0, 1],
      ]);
      await axe();
      await screenshot('form-shares');
      await shares.getByRole('button', { name: `Rights of ${USERS.reader}` }).click();
      await page.getByRole('menuitem', { name: 'End the share' }).click();
      await becomes(stored, [[null, 0, 0, 1]]);
    }));

  test('a reader assigns and likes, but may neither tag nor share; errors are told', () =>
    story.on({ user: USERS.reader }, async ({ page, open, expect }) => {
      expect(/417/);
      await story.site.make('Everything', { name: 'seen' });
      await open('/app/d/Everything/seen');
      await press(page, 'Assign to me');
      await becomes(() => chips(page, 'Assigned to'), ['reader']);
      await press(page, 'Like');
      await page.getByRole('button', { name: /Liked by/ }).waitFor();
      for (const name of ['Tags', 'Shared with']) assert.equal(await part(page, name).count(), 0, name);
      await story.site.make('User', { email: 'outsider@example.com', first_name: 'outsider' });
      await part(page, 'Assigned to').getByRole('button', { name: 'Assign', exact: true }).click();
      await page.getByRole('textbox', { name: 'Assign to', exact: true }).fill('outsider');
      await page.getByRole('option', { name: /outsider/ }).click();
      await part(page, 'Assigned to')
        .getByText(/outsider.* is not permitted/)
        .waitFor();
    }));

  test('what another user does shows at once and keeps unsaved edits, which can be saved', () =>
    story.on({}, async ({ page, open }) => {
      await story.site.make('Everything', { name: 'live', data: 'first' });
      const stream = listening(page, 'Everything');
      await open('/app/d/Everything/live');
      await control(page, 'data').fill('mine');
      await stream;
      await story.on({ user: USERS.clerk }, async (other) => {
        await other.open('/app/d/Everything/live');
        await press(other.page, 'Assign to me');
        await part(other.page, 'Tags').getByRole('button', { name: 'Add a tag' }).click();
        await other.page.getByRole('textbox', { name: 'Tag', exact: true }).fill('theirs');
        await other.page.keyboard.press('Enter');
        await press(other.page, 'Like');
        await other.page.getByRole('button', { name: /Liked by/ }).waitFor();
      });
      await becomes(() => chips(page, 'Tags'), ['theirs']);
      await becomes(() => chips(page, 'Assigned to'), ['clerk']);
      await page.getByRole('button', { name: /Liked by clerk/ }).waitFor();
      assert.equal(await control(page, 'data').inputValue(), 'mine');
      await save(page);
      const doc = await story.site.ask('GET', '/api/resource/Everything/live');
      assert.deepEqual([doc.data, doc._user_tags], ['mine', ',theirs']);
    }));
});
