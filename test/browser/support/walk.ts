import assert from 'node:assert/strict';
import type { AdminPage } from './admin-page.ts';
import type { ScreenState } from './screen-state.ts';
import { show } from './screens.ts';

/**
 * Goes from screen to screen and looks at each; fails with all that was found, screen by screen. A screen
 * that failed is pictured, and the walk begins anew behind it.
 */
export async function walk(
  admin: AdminPage,
  states: readonly ScreenState[],
  look: (state: ScreenState) => Promise<void>,
  go: (admin: AdminPage, state: ScreenState) => Promise<void> = show,
): Promise<void> {
  const found: string[] = [];
  // Mantine warns when a dialog closes before the timer that focuses it: a walk may be that fast.
  admin.expect(/use-focus-trap/);
  await admin.open('/app/doctypes');
  for (const state of states) {
    if (state.expects) admin.expect(state.expects);
    try {
      await go(admin, state);
      await look(state);
    } catch (error) {
      await admin.pictureFailure(state.name);
      found.push(`${state.name}: ${error instanceof Error ? error.message : error}`);
      await admin.open('/app/doctypes');
    }
  }
  assert.equal(found.length, 0, found.join('\n\n'));
}
