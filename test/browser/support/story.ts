import { after, before, describe } from 'node:test';
import type { Browser } from 'playwright-core';
import { NO_BROWSER, startBrowser } from '../../support/browser.ts';
import { type AdminPage, openAdminPage, type PageOptions } from './admin-page.ts';
import { type StorySite, startStorySite } from './story-site.ts';
import { Windows } from './windows.ts';

/** What a story has: the server, and windows of one browser. */
export interface Story {
  readonly site: StorySite;
  open(options?: PageOptions): Promise<AdminPage>;
  /** Opens a window, does something there, and fails on whatever went wrong meanwhile. */
  on(options: PageOptions, work: (admin: AdminPage) => Promise<void>): Promise<void>;
}

/**
 * `describe` for stories in a browser: one server and one Chromium for all tests of the file; skipped where there is no
 * Chromium. `story` is filled before the first test.
 */
export function describeStory(
  name: string,
  tell: (story: Story) => void,
  env: Readonly<Record<string, string>> = {},
): void {
  describe(name, { skip: NO_BROWSER }, () => {
    let site: StorySite | null = null;
    let browser: Browser | null = null;
    let windows: Windows | null = null;
    before(async () => {
      [site, browser] = await Promise.all([startStorySite(env), startBrowser()]);
      windows = new Windows(browser);
    });
    after(async () => {
      await browser?.close();
      await site?.stop();
    });
    const open = (options?: PageOptions) => {
      if (!windows || !site) throw new Error('the story has not begun');
      return openAdminPage(windows, site, options);
    };
    tell({
      get site() {
        if (!site) throw new Error('the story has not begun');
        return site;
      },
      open,
      async on(options, work) {
        const admin = await open(options);
        try {
          await work(admin);
          await admin.assertClean();
        } catch (error) {
          await admin.screenshot(`failed-${Date.now()}`).catch(() => null);
          throw error;
        } finally {
          await admin.close();
        }
      },
    });
  });
}
