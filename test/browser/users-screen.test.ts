/** Users, their sessions and their keys in the admin UI, as administrators use it in a browser. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generateSync } from 'otplib';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { save } from './support/form-page.ts';
import { settled } from './support/screens.ts';
import { describeStory } from './support/story.ts';
import { HOSTILE } from './support/story-doctypes.ts';
import { PASSWORD, USERS } from './support/story-site.ts';

/** The text beside a label in the dialog that shows a secret. */
async function shown(page: Page, label: string): Promise<string> {
  const line = page.getByRole('dialog').locator('div', { has: page.getByText(label, { exact: true }) });
  return line.last().locator('code').innerText();
}

describeStory('the users', (story) => {
  const ask = async (authorization: string, path = '/api/method/frappe.auth.get_logged_user') =>
    fetch(story.site.url + path, { headers: { authorization } });
  const keysOf = (user: string) =>
    story.site.ask(
      'GET',
      `/api/resource/API Key?filters=${encodeURIComponent(JSON.stringify([['user', '=', user]]))}&fields=["*"]`,
    );

  it('are listed, searched, created and given roles', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open('/app/users');
      await page.getByRole('link', { name: 'clerk' }).waitFor();
      await page.getByRole('row', { name: /clerk/ }).getByText('Clerk', { exact: true }).waitFor();
      await admin.axe();
      await admin.screenshot('users-list');
      // Nobody signs in as Guest.
      await page.getByRole('link', { name: 'Administrator' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Guest' }).count(), 0);
      await page.getByRole('searchbox', { name: 'Search users' }).fill('reader');
      await page.getByRole('link', { name: 'clerk' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'reader' }).waitFor();
      await page.getByRole('searchbox', { name: 'Search users' }).fill('');

      await page.getByRole('button', { name: 'New user' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail').fill('Ann@Example.com');
      await dialog.getByLabel('First name').fill('Ann');
      await admin.axe();
      await dialog.getByLabel('Last name').fill('Archer');
      await dialog.getByLabel('Roles').first().fill('Read');
      await page.getByRole('option', { name: 'Reader' }).click();
      // The options would cover the button.
      await page.keyboard.press('Tab');
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await page.getByRole('heading', { level: 1, name: 'Ann Archer' }).waitFor();
      const roles = page.getByRole('group', { name: 'Roles' });
      await becomes(() => roles.getByLabel('Reader').isChecked(), true);
      await roles.getByLabel('Clerk').check();
      await page.getByLabel('Phone').fill('+49 731 1234');
      await save(page);
      await page.getByRole('region', { name: 'Messages' }).getByText('Saved').waitFor();
      await admin.axe();
    });
    const user = await story.site.ask('GET', '/api/resource/User/ann@example.com');
    assert.deepEqual(
      [user.full_name, user.phone, user.roles.map((row: { role: string }) => row.role)],
      ['Ann Archer', '+49 731 1234', ['Reader', 'Clerk']],
    );
  });

  it('see the errors of refused input, and keep the typed text', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      admin.expect(/409|417/);
      await admin.open('/app/users');
      await page.getByRole('button', { name: 'New user' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail').fill(USERS.clerk);
      await dialog.getByLabel('First name').fill('Another');
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await dialog.getByRole('alert').waitFor();
      await becomes(() => dialog.getByLabel('E-mail').inputValue(), USERS.clerk);
      await admin.axe();
    });
  });

  it('have keys: created with limits, shown once, used, rotated, revoked', async () => {
    await story.on({}, async (admin) => {
      const { page } = admin;
      await admin.open(`/app/users/${USERS.clerk}`);
      await page.getByText('No API keys yet').waitFor();
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Label').fill('Reports');
      await dialog.getByLabel('Read only').check();
      await dialog
        .getByRole('combobox', { name: 'Expires' })
        .or(dialog.getByLabel('Expires'))
        .first()
        .click();
      await page.getByRole('option', { name: 'On a date' }).click();
      const lastDay = dialog.getByRole('textbox', { name: /^Last day/ });
      await lastDay.fill('1/2/2003');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('Enter today or a later day').waitFor();
      await lastDay.fill('31/12/2098');
      await dialog.getByLabel('Doctypes').fill('Bill');
      await page.getByRole('option', { name: 'Bill', exact: true }).click();
      await dialog.getByLabel('Addresses').fill('127.0.0.0/8,::1');
      await admin.axe();
      await admin.screenshot('users-new-key');
      await dialog.getByRole('button', { name: 'Create key' }).click();

      await dialog.getByText('Copy the secret now').waitFor();
      await admin.axe();
      await admin.screenshot('users-secret');
      const key = await shown(page, 'Key');
      const first = `token ${key}:${await shown(page, 'Secret')}`;
      await page.keyboard.press('Escape');
      await becomes(() => dialog.getByRole('button', { name: 'Done' }).isDisabled(), true);
      await dialog.getByLabel('I have saved the secret').check();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(await (await ask(first)).json(), { message: USERS.clerk });
      assert.equal((await ask(first, '/api/resource/Bill')).status, 200);
      assert.equal((await ask(first, '/api/resource/Buyer')).status, 403);
      await page
        .getByRole('row', { name: /Reports/ })
        .getByText('1 doctype')
        .waitFor();
      await page.getByRole('row', { name: /Reports/ }).scrollIntoViewIfNeeded();
      await admin.screenshot('users-keys');
      assert.equal((await page.content()).includes(first.split(':')[1] ?? ''), false);

      const act = async (what: string) => {
        await page.getByRole('button', { name: 'Actions of key Reports' }).click();
        await page.getByRole('menuitem', { name: what }).click();
      };
      await act('New secret…');
      await dialog.waitFor();
      await admin.axe();
      await dialog.getByRole('button', { name: 'Generate secret' }).click();
      await dialog.getByText('Copy the secret now').waitFor();
      const second = `token ${key}:${await shown(page, 'Secret')}`;
      await dialog.getByLabel('I have saved the secret').check();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
      // Both open for the overlap.
      assert.deepEqual([(await ask(first)).status, (await ask(second)).status], [200, 200]);
      await page.getByText(/^Old secret until/).waitFor();

      await act('Stop');
      await page
        .getByRole('row', { name: /Reports/ })
        .getByText('Stopped')
        .waitFor();
      assert.equal((await ask(second)).status, 401);
      await act('Resume');
      await page
        .getByRole('row', { name: /Reports/ })
        .getByText('Active')
        .waitFor();
      assert.equal((await ask(second)).status, 200);

      await act('Label and limits…');
      await dialog.getByLabel('Label').fill('Monthly');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('row', { name: /Monthly/ }).waitFor();
      await page.getByRole('button', { name: 'Actions of key Monthly' }).click();
      await page.getByRole('menuitem', { name: 'Revoke…' }).click();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No API keys yet').waitFor();
      assert.equal((await ask(second)).status, 401);
      await admin.axe();
    });
    assert.deepEqual(await keysOf(USERS.clerk), []);
  });

  it('have sessions, which can be ended, and cannot sign in when disabled', async () => {
    const victim = await story.open({ user: USERS.reader });
    try {
      await victim.open('/app/users');
      const { api_key, api_secret } = await story.site.ask('POST', '/api/method/chancery.api_key.create', {
        user: USERS.reader,
        label: 'Script',
      });
      const key = `token ${api_key}:${api_secret}`;
      await story.on({}, async (admin) => {
        const { page } = admin;
        await admin.open(`/app/users/${USERS.reader}`);
        const sessions = page.getByRole('region', { name: 'Sessions', exact: true });
        await sessions.getByRole('button', { name: 'End', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
        await page.getByText('No active sessions.').waitFor();
        const status = () =>
          victim.page.evaluate(() => fetch('/api/resource/Buyer').then((one) => one.status));
        assert.equal(await status(), 403);
        assert.equal((await ask(key)).status, 200);

        await page.getByRole('button', { name: 'Disable…' }).click();
        await page.getByRole('dialog').waitFor();
        await admin.axe();
        await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
        await page.getByText('A disabled user cannot use keys or sessions.').waitFor();
        await admin.axe();
        await admin.screenshot('users-form');
        assert.equal((await ask(key)).status, 401);
        const login = await fetch(`${story.site.url}/api/method/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ usr: USERS.reader, pwd: PASSWORD }),
        });
        assert.equal(login.status, 401);
        await page.getByRole('button', { name: 'Enable' }).click();
        await page.getByText('Enabled', { exact: true }).waitFor();
        assert.equal((await ask(key)).status, 200);
      });
    } finally {
      await victim.close();
    }
  });

  it('get a password from an administrator, who can remove their second factor', async () => {
    const user = 'new@example.com';
    await story.site.make('User', { email: user, first_name: 'New' });
    const login = async () => {
      const reply = await fetch(`${story.site.url}/api/method/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ usr: user, pwd: PASSWORD }),
      });
      return { status: reply.status, body: (await reply.json()) as { verification?: unknown } };
    };
    assert.equal((await login()).status, 401);
    await story.on({ user: USERS.manager }, async (admin) => {
      const { page } = admin;
      // A refused password, and what is read of a user while it goes.
      admin.expect(/417|404/);
      await admin.open(`/app/users/${user}`);
      const more = async (what: string) => {
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('menuitem', { name: what }).click();
      };
      const dialog = page.getByRole('dialog');
      const messages = page.getByRole('region', { name: 'Messages' });
      await more('Set a password…');
      await dialog.getByLabel('New password').fill('password12');
      await dialog.getByRole('button', { name: 'Set password' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('New password').fill(PASSWORD);
      await admin.axe();
      await dialog.getByRole('button', { name: 'Set password' }).click();
      await messages.getByText('Password updated').waitFor();

      await enrol(user);
      assert.ok((await login()).body.verification);
      await more('Reset the second factor…');
      await dialog.getByRole('button', { name: 'Reset' }).click();
      await messages.getByText('Second factor reset').waitFor();
      const { status, body } = await login();
      assert.deepEqual([status, body.verification], [200, undefined]);

      await more('Delete…');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    });
    assert.equal((await login()).status, 401);
  });

  /** Sets up a second factor for a user, who signs in with a password so far. */
  async function enrol(user: string): Promise<void> {
    const { context, close } = await story.open({ user });
    const boot = await (await context.request.get('/api/method/chancery.ui.boot')).json();
    const headers = { 'x-frappe-csrf-token': boot.message.csrf_token };
    const call = async (name: string, data: object) =>
      (await context.request.post(`/api/method/chancery.auth.${name}`, { data, headers })).json();
    const { message } = await call('enable_second_factor', { password: PASSWORD });
    const done = await call('confirm_second_factor', { otp: generateSync({ secret: message.secret }) });
    assert.equal(done.message.recovery_codes.length, 10);
    await close();
  }

  it('see their own record and keys, and nobody else’s', async () => {
    await story.on({ user: USERS.clerk }, async (admin) => {
      const { page } = admin;
      admin.expect(/403|404/);
      await admin.open(`/app/users/${USERS.clerk}`);
      await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
      await settled(page);
      assert.equal(await page.getByRole('button', { name: 'More' }).count(), 0);
      await admin.open(`/app/users/${USERS.manager}`);
      await page.getByRole('heading', { name: 'You have no access to this page' }).waitFor();
      // The list is for those who may create users; others are told so.
      await admin.open('/app/users');
      await page.getByRole('heading', { name: 'You have no access to this page' }).waitFor();
      await admin.axe();
    });
  });

  it('execute nothing through their names and labels', async () => {
    const names = HOSTILE.map((text, index) => ({
      email: `hostile${index}@example.com`,
      first_name: text,
    }));
    for (const fields of names) await story.site.make('User', fields);
    for (const label of HOSTILE)
      await story.site.ask('POST', '/api/method/chancery.api_key.create', {
        user: 'hostile0@example.com',
        label,
      });
    await story.on({ theme: 'dark', width: 320 }, async (admin) => {
      await admin.open('/app/users?q=hostile');
      await admin.page.getByText('hostile0@example.com').waitFor();
      await admin.axe();
      await admin.open('/app/users/hostile0@example.com');
      await admin.page
        .getByRole('button', { name: /^Actions of key/ })
        .first()
        .waitFor();
      await admin.axe();
      await becomes(
        () => admin.page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
        false,
      );
      await admin.screenshot('users-form');
    });
  });
});
