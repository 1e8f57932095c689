import type { Browser, BrowserContext } from 'playwright-core';
import type { Look } from './windows.ts';

/**
 * A window of Firefox. Firefox takes the theme of the system and its permissions from its settings, not from a window.
 * So the theme is chosen in the UI.
 */
export async function firefoxWindow(browser: Browser, look: Look): Promise<BrowserContext> {
  const { permissions: _permissions, colorScheme, ...rest } = look;
  const context = await browser.newContext({ ...rest, colorScheme: null, reducedMotion: null });
  const chosen = { theme: colorScheme ?? 'light', site: new URL(look.baseURL).origin };
  await context.addInitScript(({ theme, site }) => {
    // The empty page of a new window stores nothing.
    if (origin === site) localStorage['chancery.theme'] ??= theme;
  }, chosen);
  await context.addInitScript(insertTextAsUsersDo);
  await context.addInitScript(hideElementsOfAria);
  return context;
}

/**
 * What `fill` calls in a page. Playwright's own sets `value`, which React takes for its own doing: it then tells no
 * handler.
 */
function insertTextAsUsersDo(): void {
  const insert = (text: string) => {
    const { activeElement } = document;
    // Playwright then asks the page within.
    if (activeElement instanceof HTMLIFrameElement) return activeElement;
    document.execCommand('insertText', false, text);
    return null;
  };
  Object.defineProperty(globalThis, '__pw_bidiInsertText', {
    get: () => insert,
    set: () => {},
    configurable: true,
  });
}

/** Firefox crashes when axe in the page and Playwright beside it read `ariaLabelledByElements` of one element. */
function hideElementsOfAria(): void {
  for (const name of Object.getOwnPropertyNames(Element.prototype))
    if (/^aria.*Elements?$/.test(name)) Reflect.deleteProperty(Element.prototype, name);
}
