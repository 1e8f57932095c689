/** The system screens: health, jobs, settings, the audit log, sign-ins, slow queries and errors. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { settled } from './support/screens.ts';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

const messages = (page: Page) => page.getByRole('region', { name: 'Messages' });

/** Chooses an option of a select field. */
async function choose(page: Page, label: string, option: string): Promise<void> {
  await page
    .getByRole('combobox', { name: label })
    .or(page.getByRole('textbox', { name: label }))
    .first()
    .click();
  await page.getByRole('option', { name: option }).click();
}

describeStory('the system screens', (story) => {
  before(async () => {
    await story.site.make('Role', { role_name: 'Auditor' }).catch(() => null);
    const roles = [{ role: 'Clerk' }, { role: 'Auditor' }];
    await story.site.ask('PUT', `/api/resource/User/${USERS.clerk}`, { roles });
  });

  test('an administrator sees the health of the server, and each part has its address', () =>
    story.on({ user: USERS.manager }, async ({ page, open, axe }) => {
      await open('/app/system');
      await page.getByText('No problems').waitFor();
      await page.getByText(/^SQLite \d/).waitFor();
      await page.getByRole('row', { name: /^Process \d+/ }).waitFor();
      await axe();
      const sidebar = page.getByRole('navigation', { name: 'Screens' });
      for (const [part, heading] of [
        ['Jobs', 'Jobs'],
        ['Slow queries', 'Slow queries'],
        ['Errors', 'Errors'],
        ['Health', 'Health'],
      ] as const) {
        await page.getByRole('navigation', { name: 'Parts of the system' }).getByText(part).click();
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        await sidebar.locator('[aria-current="page"]', { hasText: 'Monitoring' }).waitFor();
      }
      assert.match(page.url(), /\/app\/system\/health$/);
    }));

  test('the address of the form of the settings leads to their screen', () =>
    story.on({ user: USERS.manager }, async ({ page, open }) => {
      await open('/app/d/System%20Settings/System%20Settings');
      await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor();
      await becomes(async () => new URL(page.url()).pathname, '/app/system/settings');
    }));

  test('a job runs now, and shows its result', () =>
    story.on({ user: USERS.manager }, async ({ page, open, axe }) => {
      await open('/app/system/jobs');
      const row = page.getByRole('row', { name: /^Delete expired records/ });
      await row.getByText('Not yet').waitFor();
      await axe();
      await row.getByRole('button', { name: /^Run/ }).click();
      await messages(page).getByText('Delete expired records started').waitFor();
      await row.getByText('Not yet').waitFor({ state: 'detached' });
      await open('/app/system/audit');
      await page.getByText('Started the job “Delete expired records”').waitFor();
    }));

  test('a setting shows its value and source, and changes without a restart', () =>
    story.on({ user: USERS.manager }, async ({ page, open, axe, expect }) => {
      expect(/status of 417/);
      await open('/app/system/settings?section=lists');
      const row = page.locator('[data-setting="lists.maxPageLength"]');
      await row.getByText('Longest page', { exact: true }).waitFor();
      await row.getByText('Default', { exact: true }).waitFor();
      const input = row.getByRole('textbox');
      assert.equal(await input.getAttribute('placeholder'), '10,000');
      await axe();
      await input.fill('many');
      await page.getByText('1 unsaved change').waitFor();
      await axe();
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .getByRole('alert')
        .getByText(/Max Page Length/)
        .waitFor();
      await input.fill('5000');
      await page.getByRole('button', { name: 'Save' }).click();
      await messages(page).getByText('Settings saved').waitFor();
      await row.getByText('Set here').waitFor();
      await row.getByText('Default: 10,000').waitFor();
      // Other sections keep what is not saved yet; leaving the screen asks.
      await input.fill('6000');
      await page.getByRole('navigation', { name: 'Sections of the settings' }).getByText('Server').click();
      await page.locator('[data-setting="port"]').getByText('Command line: --port').waitFor();
      await page.getByText('1 unsaved change').waitFor();
      await page.getByRole('navigation', { name: 'Parts of the system' }).getByText('Jobs').click();
      await page.getByRole('dialog', { name: 'Leave without saving?' }).getByText('Discard changes').click();
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    }));

  test('an Auditor reads who did what, filters and exports it, and sees nothing else', () =>
    story.on({ user: USERS.clerk }, async ({ page, open, axe }) => {
      await open('/app/system/audit');
      await page.getByText(`Added Auditor to the roles of ${USERS.clerk}`).waitFor();
      const parts = page.getByRole('navigation', { name: 'Parts of the system' });
      assert.deepEqual(await parts.getByRole('link').allInnerTexts(), ['Audit log', 'Sign-ins']);
      assert.equal(await page.getByRole('button', { name: 'New' }).count(), 0);
      await axe();
      await choose(page, 'Event', 'Roles changed');
      await page.waitForURL(/event=roles_changed/);
      await page.getByRole('searchbox', { name: 'User' }).fill('nobody');
      await page.getByText('No matching entries').waitFor();
      await page.getByRole('searchbox', { name: 'User' }).fill('Admin');
      const entry = page.getByRole('row', { name: new RegExp(`Added Auditor.*${USERS.clerk}`) });
      await entry.waitFor();
      await entry.getByText(/^Added Auditor/).click({ force: true });
      const drawer = page.getByRole('dialog', { name: 'Audit entry' });
      await drawer.getByText('API key story-key').waitFor();
      await drawer
        .getByRole('row', { name: /^Added/ })
        .getByText('Auditor')
        .waitFor();
      await axe();
      const name = new URL(page.url()).searchParams.get('entry');
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      // A link leads to an entry that is not on the page.
      await open(`/app/system/audit?event=user_created&entry=${name}`);
      await drawer.getByText('API key story-key').waitFor();
      await open('/app/system/audit?event=roles_changed&user=Admin');

      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'CSV' }).click(),
      ]);
      const text = readFileSync(await download.path(), 'utf8');
      assert.match(text, /^\uFEFFname,creation,event,outcome,user,/);
      assert.match(text, /roles_changed,Success,Administrator/);
      assert.ok(!text.includes('user_created'), 'the filters apply');
      await open('/app/system/health');
      await page.getByText('This part is for System Managers.').waitFor();
    }));

  test('sign-in attempts are counted by user and by address', () =>
    story.on({ user: USERS.manager }, async ({ page, open, axe }) => {
      for (let times = 0; times < 3; times += 1) {
        const body = JSON.stringify({ usr: USERS.reader, pwd: 'a wrong one' });
        const headers = { 'content-type': 'application/json' };
        await fetch(`${story.site.url}/api/method/login`, { method: 'POST', headers, body });
      }
      await open('/app/system/sign-ins');
      await page.getByRole('region', { name: 'By user' }).getByText(USERS.reader).waitFor();
      await page.getByRole('region', { name: 'By address' }).getByText('127.0.0.1').waitFor();
      await axe();
      await choose(page, 'Result', 'Refused');
      const attempts = page.getByRole('region', { name: 'Attempts' });
      await attempts.getByText('Tried to sign in').first().waitFor();
      await attempts.getByText('Signed in', { exact: true }).first().waitFor({ state: 'detached' });
    }));

  test('a slow query gets its index, after a plan that tells rows and time', () =>
    story.on({ user: USERS.manager }, async ({ page, open, axe }) => {
      const settings = '/api/resource/System Settings/System Settings';
      await story.site.make('Buyer', { buyer_name: 'Ada', city: 'London' });
      story.site.copies('Buyer', 'Ada', 30_000, {
        name: `'copy ' || "i"`,
        buyer_name: `'copy ' || "i"`,
        city: `'City ' || "i"`,
      });
      await story.site.ask('PUT', settings, { slow_query_milliseconds: 1 });
      const filters = encodeURIComponent('[["city", "=", "Nowhere"]]');
      await story.site.ask('GET', `/api/resource/Buyer?filters=${filters}`);
      await story.site.ask('PUT', settings, { slow_query_milliseconds: 0 });
      await story.site.ask('POST', '/api/method/chancery.system.run_job', { job: 'store_slow_queries' });
      await open('/app/system/queries');
      const row = page.getByRole('row', { name: /Buyer.*city equal to a value/ }).first();
      await axe();
      await row.getByRole('button', { name: /^Create index on city/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Create index' });
      await dialog.getByText('30,001').waitFor();
      await dialog.getByText(/^Up to \d+ second/).waitFor();
      await axe();
      await dialog.getByRole('button', { name: 'Create index' }).click();
      await messages(page).getByText('Index created').waitFor();
      await row.getByText('Has its index, or none helps').waitFor();
    }));

  test('an error is found by the request id that the client saw', () =>
    story.on({ user: USERS.manager }, async ({ page, open, axe }) => {
      const broken = await fetch(`${story.site.url}/api/method/stories.broken`, {
        headers: { authorization: `token ${story.site.key}` },
      });
      assert.equal(broken.status, 500);
      await open('/app/system/errors');
      await page.getByText('Error: this method is broken').first().waitFor();
      await axe();
      await page.getByRole('searchbox', { name: 'Find by request ID' }).fill('nothing-like-it');
      await page.getByText('No error of this request').waitFor();
      await page
        .getByRole('searchbox', { name: 'Find by request ID' })
        .fill(broken.headers.get('x-request-id') ?? '');
      const row = page.getByRole('row', { name: /this method is broken/ });
      await row.getByText('GET /api/method/stories.broken').waitFor();
      await row.getByRole('button').click();
      await page
        .getByRole('dialog', { name: 'Error' })
        .getByText(/app\.ts/)
        .waitFor();
      await axe();
      await settled(page);
    }));
});
