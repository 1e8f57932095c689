import { after, before, describe } from 'node:test';
import { NO_BROWSER, startBrowser } from '../../support/browser.ts';
import { someOf } from '../../support/some-of.ts';
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
 * One Chromium for all stories of a process. Their servers follow each other at one address, so that a window
 * that has loaded and compiled the UI for one story serves the next.
 */
let shared: Promise<Windows> | null = null;
let port = 0;

/**
 * `describe` for stories in a browser: a server for all tests of the file; skipped where there is no Chromium. A whole
 * run tells one in `every`: see `someOf`.
 */
export function describeStory(name: string, tell: (story: Story) => void, every = 3): void {
  const isTold = someOf([name], every, name.length).length > 0;
  describe(name, { skip: NO_BROWSER || (!isTold && 'told at other commits') }, () => {
    let site: StorySite | null = null;
    let windows: Windows | null = null;
    before(async () => {
      shared ??= startBrowser().then((browser) => new Windows(browser));
      [site, windows] = await Promise.all([startStorySite(port), shared]);
      port = Number(new URL(site.url).port);
    });
    after(() => site?.stop());
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
          await admin.pictureFailure(String(Date.now())).catch(() => {});
          throw error;
        } finally {
          await admin.close();
        }
      },
    });
  });
}

// After all stories of the process.
after(async () => (await shared)?.close());
