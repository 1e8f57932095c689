import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, firefox, type Page } from 'playwright-core';

// The headless shell takes about a third less CPU than the whole browser.
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Stories run in Firefox instead of Chromium, by WebDriver BiDi. */
export const IS_FIREFOX = process.env['CHANCERY_TEST_BROWSER'] === 'firefox';
const FIREFOX_PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/opt/firefox/firefox'];
/** What windows of Chromium are given one by one. */
const FIREFOX_SETTINGS = {
  'ui.prefersReducedMotion': 1,
  'ui.systemUsesDarkTheme': 0,
  // As in Chromium without a window, where scrollbars take no width.
  'ui.useOverlayScrollbars': 1,
  // Lets pages use the clipboard without a question.
  'dom.events.testing.asyncClipboard': true,
};
const FIREFOX_RELAY = fileURLToPath(new URL('./firefox-relay.mjs', import.meta.url));

const given = process.env[IS_FIREFOX ? 'FIREFOX_PATH' : 'CHROMIUM_PATH'];
const found = given || (IS_FIREFOX ? FIREFOX_PLACES : PLACES).find((path) => existsSync(path));

/** The `skip` of browser tests: false where there is a browser, else what to do about it. */
export const NO_BROWSER: string | false = found === undefined ? missing() : false;

function missing(): string {
  return IS_FIREFOX
    ? 'no Firefox here: install it (apt-get install firefox-esr) or set FIREFOX_PATH'
    : 'no Chromium here: install it (apt-get install chromium-headless-shell) or set CHROMIUM_PATH';
}

/** How many times slower pages compute, so that tests that read a page too early fail. */
const SLOWDOWN = Number(process.env['CHANCERY_TEST_SLOW_BROWSER'] || 1);

/** A browser without a window, with nothing of the user's. */
export async function startBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error(String(NO_BROWSER));
  if (IS_FIREFOX)
    return firefox.launch({
      channel: 'moz-firefox',
      executablePath: FIREFOX_RELAY,
      env: { ...process.env, FIREFOX_PATH: found },
      firefoxUserPrefs: FIREFOX_SETTINGS,
    });
  // The sandbox needs kernel features that containers and root do not have; only our own pages are opened.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: found, args });
  if (SLOWDOWN > 1) browser.on('context', (context) => context.on('page', (page) => void slowDown(page)));
  return browser;
}

async function slowDown(page: Page): Promise<void> {
  try {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  } catch (error) {
    if (!page.isClosed()) throw error;
  }
}

/** What a page did that it should not: errors and warnings of its console, and requests to other origins. */
export interface Watch {
  readonly console: readonly string[];
  readonly foreign: readonly string[];
}

/** Watches a page that is not opened yet. `origin` is the only one it may ask. */
export function watch(page: Page, origin: string): Watch {
  const lines: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') lines.push(message.text());
  });
  page.on('pageerror', (error) => lines.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith('data:') && !url.startsWith('blob:') && new URL(url).origin !== origin)
      foreign.push(url);
  });
  return { console: lines, foreign };
}
