import type { Locator, Page, Request } from 'playwright-core';

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

/** Saves, and returns the request for it and the JSON in that request. */
export async function saveAndSee(page: Page): Promise<{ readonly request: Request; readonly sent: unknown }> {
  // Playwright does not see the body of a request in Firefox, so the page keeps it.
  await page.evaluate(() => {
    const { fetch } = globalThis;
    globalThis.fetch = (input, init) => {
      if (init?.method === 'PUT') Object.assign(globalThis, { sent: String(init.body) });
      return fetch(input, init);
    };
  });
  const [request] = await Promise.all([page.waitForRequest((one) => one.method() === 'PUT'), save(page)]);
  return {
    request,
    sent: await page.evaluate(() => JSON.parse((globalThis as unknown as { sent: string }).sent)),
  };
}

/** Waits until a field has the focus. */
export const focused = (page: Page, path: string): Promise<void> =>
  page.locator(`[data-path="${path}"] :focus`).waitFor();
