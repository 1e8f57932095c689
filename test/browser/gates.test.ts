/** Every screen, with what opens on it, in both themes: nothing that axe, the policy, the console or a budget finds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebhookReceiver } from '../support/receiver.ts';
import { fillWithSample } from './support/sample.ts';
import { SCREEN_STATES, show } from './support/screens.ts';
import { describeStory } from './support/story.ts';

/** Nodes of any screen, whatever it shows. */
const MOST_NODES = 2_500;
/** A walk over all screens may last, on a machine that does other things too. */
const PATIENCE = { timeout: 600_000 };
/** `CHANCERY_SCREENSHOTS` names a folder: pictures of all go there. */
const isPictured = process.env['CHANCERY_SCREENSHOTS'] !== undefined;

describeStory('the gates', (story) => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.start();
    await fillWithSample(story.site, receiver);
    // Eight bills were submitted, each told to the warehouse, and those above 100 to the books.
    await receiver.until((all) => all.length >= 14);
  });
  after(() => receiver?.close());

  for (const theme of ['light', 'dark'] as const)
    test(`every screen and what opens on it, in the ${theme} theme`, PATIENCE, () =>
      story.on({ theme, patience: 60_000 }, async (admin) => {
        const found: string[] = [];
        await admin.open('/app');
        for (const state of SCREEN_STATES) {
          if (state.expects) admin.expect(state.expects);
          try {
            await show(admin, state);
            if (isPictured) await admin.screenshot(state.name);
            await admin.axe();
            const nodes = await admin.domNodes();
            assert.ok(nodes <= MOST_NODES, `${nodes} nodes`);
            await admin.assertClean();
          } catch (error) {
            found.push(`${state.name}: ${error instanceof Error ? error.message : error}`);
            await admin.open('/app/doctypes');
          }
        }
        assert.equal(found.length, 0, found.join('\n\n'));
      }),
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
