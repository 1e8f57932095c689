/** Screens, with what opens on them, in both themes: nothing that axe, the policy, the console or a budget finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { someOf } from '../support/some-of.ts';
import { askForTheme } from './support/media.ts';
import { describeSample } from './support/sample.ts';
import { SCREEN_STATES } from './support/screens.ts';
import { walk } from './support/walk.ts';

/** Nodes of any screen, whatever it shows. */
const MOST_NODES = 2_500;
/** A walk may last, on a machine that does other things too. */
const PATIENCE = { timeout: 600_000 };
/** Walks over the screens: Firefox needs longer than one test may last. */
const WALKS = 4;
/** `reach.test.ts` looks at others. */
const SEEN = someOf(SCREEN_STATES, 6);

/** Changes what the system asks for, and waits until every colour is that of the theme. */
async function showTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await askForTheme(page, theme);
  await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
  await page.evaluate(async () => {
    // A colour that has changed may let another one change with the next frame.
    for (let frames = 0; frames < 3; ) {
      await new Promise(requestAnimationFrame);
      const isChanging = document
        .getAnimations()
        .some((one) => one instanceof CSSTransition && one.playState === 'running');
      frames = isChanging ? 0 : frames + 1;
    }
  });
}

describeSample('the gates', (story) => {
  for (let part = 0; part < WALKS; part += 1)
    test(`screens and their dialogs, in both themes: walk ${part + 1} of ${WALKS}`, PATIENCE, () => {
      const states = SEEN.filter((_, at) => at % WALKS === part);
      return story.on({ patience: 60_000 }, (admin) =>
        walk(admin, states, async ({ name }) => {
          await admin.screenshot(name);
          await admin.axe();
          const nodes = await admin.domNodes();
          assert.ok(nodes <= MOST_NODES, `${nodes} nodes`);
          // The themes differ in nothing but colours.
          await showTheme(admin.page, 'dark');
          await admin.screenshot(`${name}-in-dark`);
          await admin.axe('color-contrast');
          await showTheme(admin.page, 'light');
          await admin.assertClean();
        }),
      );
    });

  for (const theme of ['light', 'dark'] as const)
    test(`the sign-in screen and a refused sign-in, in the ${theme} theme`, PATIENCE, () =>
      story.on({ theme, user: null, patience: 60_000 }, async (admin) => {
        admin.expect(/status of 401/);
        await admin.open('/app/login');
        await admin.screenshot('login');
        await admin.axe();
        await admin.page.getByLabel('E-mail').fill('somebody@example.com');
        await admin.page.getByRole('textbox', { name: 'Password', exact: true }).fill('a wrong one');
        await admin.page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await admin.page.getByRole('alert').filter({ hasText: 'Not signed in' }).waitFor();
        await admin.axe();
      }),
    );

  test('the sidebar marks the current screen, whatever the doctype’s name', () =>
    story.on({ patience: 60_000 }, async ({ page, open }) => {
      await open('/app/d/Shop%20Settings/Shop%20Settings');
      await page.locator('nav a[aria-current="page"]').getByText('Shop Settings').waitFor();
    }));
});
