import type { Locator, Page } from 'playwright-core';

/** The control of a field. */
export function control(page: Page, path: string): Locator {
  return page.locator(`[data-path="${path}"]`).locator('input:not([type=file]), textarea').first();
}

/** Saves changes with the keyboard, and waits until the server has stored them. */
export async function save(page: Page): Promise<void> {
  const mark = page.getByText('Not saved');
  // The mark shows some time after the change; its absence then says that it is stored.
  await mark.waitFor();
  await page.keyboard.press('Control+s');
  await mark.waitFor({ state: 'detached' });
}

/** Waits until a field has the focus. */
export const focused = (page: Page, path: string): Promise<void> =>
  page.locator(`[data-path="${path}"] :focus`).waitFor();
