import type { Page } from 'playwright-core';
import { IS_FIREFOX } from '../../support/browser.ts';

/* Firefox ESR emulates no media. There the theme is chosen in the UI, and the style sheets are changed. */

/** Shows the page as a printer gets it. */
export async function showOnPaper(page: Page): Promise<void> {
  if (IS_FIREFOX) await page.evaluate(takePrintForAll);
  else await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
}

/** Changes the theme of the system; in Firefox, that of the UI, as another window would. */
export async function askForTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  if (!IS_FIREFOX) return page.emulateMedia({ colorScheme: theme });
  await page.evaluate((newValue) => {
    const key = 'chancery.theme';
    localStorage.setItem(key, newValue);
    window.dispatchEvent(new StorageEvent('storage', { key, newValue, storageArea: localStorage }));
  }, theme);
}

/** Shows the page in colours that the user has forced; in Firefox, as before. */
export async function forceColours(page: Page): Promise<void> {
  if (!IS_FIREFOX) await page.emulateMedia({ forcedColors: 'active' });
}

function takePrintForAll(): void {
  const change = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule)
        rule.media.mediaText = rule.media.mediaText.replace('screen', 'not all').replace('print', 'all');
      if (rule instanceof CSSGroupingRule) change(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) change(sheet.cssRules);
}
