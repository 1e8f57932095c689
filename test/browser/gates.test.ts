/** Every screen, with what opens on it, in both themes: nothing that axe, the policy, the console or a budget finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSample } from './support/sample.ts';
import { SCREEN_STATES } from './support/screens.ts';
import { walk } from './support/walk.ts';

/** Nodes of any screen, whatever it shows. */
const MOST_NODES = 2_500;
/** A walk over all screens may last, on a machine that does other things too. */
const PATIENCE = { timeout: 600_000 };
/** `CHANCERY_SCREENSHOTS` names a folder: pictures of all go there. */
const isPictured = process.env['CHANCERY_SCREENSHOTS'] !== undefined;

describeSample('the gates', (story) => {
  for (const theme of ['light', 'dark'] as const)
    test(`every screen and what opens on it, in the ${theme} theme`, PATIENCE, () =>
      story.on({ theme, patience: 60_000 }, (admin) =>
        walk(admin, SCREEN_STATES, async ({ name }) => {
          if (isPictured) await admin.screenshot(name);
          await admin.axe();
          const nodes = await admin.domNodes();
          assert.ok(nodes <= MOST_NODES, `${nodes} nodes`);
          await admin.assertClean();
        }),
      ),
    );

  for (const theme of ['light', 'dark'] as const)
    test(`the door, and what it refuses, in the ${theme} theme`, PATIENCE, () =>
      story.on({ theme, user: null, patience: 60_000 }, async (admin) => {
        admin.expect(/status of 401/);
        await admin.open('/app/login');
        if (isPictured) await admin.screenshot('login');
        await admin.axe();
        await admin.page.getByLabel('E-mail').fill('somebody@example.com');
        await admin.page.getByRole('textbox', { name: 'Password', exact: true }).fill('a wrong one');
        await admin.page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await admin.page.getByRole('alert').filter({ hasText: 'Not signed in' }).waitFor();
        await admin.axe();
      }),
    );

  test('the sidebar shows where one is, whatever the doctype is called', () =>
    story.on({ patience: 60_000 }, async ({ page, open }) => {
      await open('/app/d/Shop%20Settings/Shop%20Settings');
      await page.locator('nav a[aria-current="page"]').getByText('Shop Settings').waitFor();
    }));
});
