/** Signing in to the admin UI, out of it, and again over what is on the screen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { describeStory } from './support/story.ts';
import { PASSWORD, USERS } from './support/story-site.ts';

describeStory('signing in', (story) => {
  async function typePassword(page: Page, user: string, password: string): Promise<void> {
    await page.getByLabel('E-mail').fill(user);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }
  const account = (page: Page) => page.getByRole('button', { name: /^Your account/ });

  test('with a password, to the requested screen', () =>
    story.on({ user: null }, async ({ page, open, axe, screenshot }) => {
      await open('/app/profile');
      await page.waitForURL((url) => url.pathname === '/app/login');
      await page.getByLabel('E-mail').waitFor();
      await axe();
      await screenshot('sign-in');
      await typePassword(page, USERS.clerk, PASSWORD);
      await page.getByRole('button', { name: /^Your account.*clerk/ }).waitFor();
      await page.waitForURL('**/app/profile');
      // What scripts can read holds nothing to sign in with.
      const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
      assert.ok(!kept.includes(PASSWORD) && !/sid|secret|csrf/i.test(kept), kept);
      const cookies = await page.context().cookies();
      assert.ok(cookies.find(({ name }) => name === 'sid')?.httpOnly);
    }));

  test('a wrong password shows an error, and the next attempt works', () =>
    story.on({ user: null, theme: 'dark' }, async ({ page, open, expect, axe, screenshot }) => {
      expect(/status of 401/);
      await open('/app/login');
      await typePassword(page, USERS.reader, 'wrong');
      await page.getByRole('alert').filter({ hasText: 'Not signed in' }).waitFor();
      await axe();
      await screenshot('sign-in-refused');
      await typePassword(page, USERS.reader, PASSWORD);
      await account(page).waitFor();
    }));

  test('an empty form names what is missing', () =>
    story.on({ user: null }, async ({ page, open, axe }) => {
      await open('/app/login');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Enter your e-mail or username').waitFor();
      await page.getByText('Enter your password').waitFor();
      await axe();
    }));

  test('with an API key, which is not stored', () =>
    story.on({ user: null }, async ({ page, open }) => {
      const made = await story.site.ask('POST', '/api/method/chancery.api_key.create', {
        user: USERS.manager,
      });
      await open('/app/login');
      await page.getByRole('tab', { name: 'API key' }).click();
      await page.getByLabel('Key', { exact: true }).fill(`${made.api_key}:${made.api_secret}`);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await account(page).waitFor();
      const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie]));
      assert.ok(!kept.includes(made.api_secret));
    }));

  test('a session that ends keeps the screen, and continues after a new sign-in', () =>
    story.on({ user: USERS.clerk }, async ({ page, open, expect, axe, screenshot }) => {
      expect(/status of 40[13]/);
      // A screen that asks nothing more by itself, so that what is clicked comes upon the end of the session.
      await open('/app/doctypes');
      await page.getByRole('row', { name: /Bill/ }).first().waitFor();
      // All records have been counted.
      await page.waitForLoadState('networkidle');
      await story.site.ask('POST', '/api/method/chancery.auth.end_other_sessions', { user: USERS.clerk });
      await page.getByRole('link', { name: 'Profile' }).or(account(page)).first().click();
      await page.getByRole('menuitem', { name: 'Profile' }).click();
      const dialog = page.getByRole('dialog', { name: 'Sign in again' });
      await dialog.waitFor();
      await dialog
        .getByRole('textbox', { name: 'Password', exact: true })
        .and(page.locator(':focus'))
        .waitFor();
      await axe();
      await screenshot('sign-in-again');
      await dialog.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    }));

  test('signing out opens the sign-in screen, and other screens require a new sign-in', () =>
    story.on({ user: USERS.reader }, async ({ page, open }) => {
      await open('/app');
      await account(page).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('E-mail').waitFor();
      await page.goto('/app/users');
      await page.getByLabel('E-mail').waitFor();
      await page.waitForURL((url) => url.pathname === '/app/login');
    }));

  test('the server’s root address leads to the sign-in screen', () =>
    story.on({ user: null }, async ({ page }) => {
      await page.goto('/');
      await page.getByLabel('E-mail').waitFor();
      await page.waitForURL((url) => url.pathname === '/app/login');
    }));
});
