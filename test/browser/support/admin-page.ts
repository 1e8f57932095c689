import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { PATIENCE } from '../../support/until.ts';
import { PASSWORD, type StorySite } from './story-site.ts';
import type { Look, Windows } from './windows.ts';

/** How a page is looked at. */
export interface PageOptions {
  /** Signed in as this user; null: nobody. Default Administrator. */
  readonly user?: string | null;
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Of the browser: `de-CH`. */
  readonly locale?: string;
  readonly timeZone?: string;
  /** Where the server is reached; default: directly. */
  readonly origin?: string;
  /** Milliseconds that a look for something may take. */
  readonly patience?: number;
}

/** A page of the admin UI, and everything that went wrong on it. */
export interface AdminPage {
  readonly page: Page;
  /** Whoever asks for it may change it, so no other page is opened in it. */
  readonly context: BrowserContext;
  /** Opens an address below `/app`, and waits until the screen shows. */
  open(path: string): Promise<void>;
  /** Console lines that are meant to appear, such as the browser's word about an expected 401. */
  expect(line: RegExp): void;
  /**
   * Fails, once for each, on anything in the console, any exception, breach of the policy, script of a
   * hostile value, or request to elsewhere.
   */
  assertClean(): Promise<void>;
  /** Fails on anything that axe finds on the page as it is now, or that one of its rules does. */
  axe(rule?: string): Promise<void>;
  domNodes(): Promise<number>;
  /** Into the folder `CHANCERY_SCREENSHOTS`; nothing without one. */
  screenshot(name: string): Promise<void>;
  /** Into the same folder, or one that outlives the run. */
  pictureFailure(name: string): Promise<void>;
  close(): Promise<void>;
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const KEPT = fileURLToPath(new URL('../../../node_modules/.cache/chancery-screenshots', import.meta.url));
const SCREENSHOTS = process.env['CHANCERY_SCREENSHOTS'];

/** Opens a page with no cookies but those of the sign-in, and with nothing kept in the browser. */
export async function openAdminPage(
  windows: Windows,
  site: Pick<StorySite, 'url'>,
  options: PageOptions = {},
): Promise<AdminPage> {
  const { user = 'Administrator', theme = 'light', width = 1280, height = 800 } = options;
  const look: Look = {
    baseURL: options.origin ?? site.url,
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport: { width, height },
    locale: options.locale ?? 'en-GB',
    timezoneId: options.timeZone ?? 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  };
  const { window, page } = await windows.open(look);
  const { context, problems } = window;
  context.setDefaultTimeout(options.patience ?? 2 * PATIENCE);
  if (user !== null) await signIn(context, user);

  async function picture(folder: string, name: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
  }

  return {
    page,
    get context() {
      window.isAsBefore = false;
      return context;
    },
    async open(path) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
    },
    expect: (line) => problems.expected.push(line),
    async assertClean() {
      assert.deepEqual(await problems.found(page), []);
    },
    async axe(rule) {
      // Not by a script tag, which the policy would refuse.
      if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
      const { violations } = await page.evaluate(
        async (runOnly) => {
          // Colours in transition have another contrast. A transition starts with the next frame; spinners never end.
          for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
          const ends = document
            .getAnimations()
            .filter((one) => one.playState === 'running' && one.effect?.getTiming().iterations !== Infinity);
          await Promise.allSettled(ends.map((one) => one.finished));
          const { axe: judge } = globalThis as unknown as { axe: typeof axe };
          const options = { resultTypes: ['violations' as const], preload: false };
          const all = await judge.run(document, { ...options, runOnly });
          // A target is as large as it is where it scrolls to, not as what a heading that stays leaves of it.
          for (const violation of all.violations.filter(({ id }) => id === 'target-size')) {
            const small: typeof violation.nodes = [];
            for (const { target } of violation.nodes) {
              document.querySelector(String(target[0]))?.scrollIntoView({ block: 'center' });
              const again = await judge.run(String(target[0]), { ...options, runOnly: ['target-size'] });
              small.push(...again.violations.flatMap(({ nodes }) => nodes));
            }
            violation.nodes = small;
          }
          return all;
        },
        rule === undefined
          ? { type: 'tag' as const, values: RULES }
          : { type: 'rule' as const, values: [rule] },
      );
      const told = violations.flatMap(({ id, impact, help, nodes }) =>
        nodes.slice(0, 5).map((node) => `${id} (${impact}) ${help}: ${node.target.join(' ')} ${node.html}`),
      );
      assert.deepEqual(told, [], page.url());
    },
    domNodes: () => page.evaluate(() => document.querySelectorAll('*').length),
    async screenshot(name) {
      if (SCREENSHOTS !== undefined) await picture(SCREENSHOTS, name);
    },
    pictureFailure: (name) => picture(SCREENSHOTS ?? KEPT, `failed-${name}`),
    close: () => windows.leave(window),
  };
}

/** Signs a window in without the page for it. */
export async function signIn(context: BrowserContext, usr: string, pwd = PASSWORD): Promise<void> {
  const reply = await context.request.post('/api/method/login', { data: { usr, pwd } });
  assert.equal(reply.status(), 200, await reply.text());
}
