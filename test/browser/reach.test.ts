/** Small windows, large letters, other languages: every screen fits, and all that it offers can be reached. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { someOf } from '../support/some-of.ts';
import type { PageOptions } from './support/admin-page.ts';
import { becomes } from './support/becomes.ts';
import { describeSample } from './support/sample.ts';
import type { ScreenState } from './support/screen-state.ts';
import { SCREEN_STATES, settled, show } from './support/screens.ts';
import { walk } from './support/walk.ts';

const PATIENCE = { timeout: 600_000 };
/** Screens without what opens on them, which has an English name. */
const SCREENS = SCREEN_STATES.filter(({ prepare }) => !prepare);
/** Others than in `gates.test.ts`. */
const ON_A_PHONE = someOf(SCREEN_STATES, 6, 3);
const PHONE = { width: 320, height: 640 };
/** What a browser shows of a window of 1280 × 800 at 200 %. */
const ZOOMED = { width: 640, height: 400 };

/** What is wider than the window, and what stands beside it where no scrolling leads. */
function beyondReach(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const told: string[] = [];
    const over = document.documentElement.scrollWidth - innerWidth;
    if (over > 0) told.push(`the page is ${over} pixels wider than the window`);
    const isScrolled = (one: Element | null): boolean =>
      one !== null && (/auto|scroll/.test(getComputedStyle(one).overflowX) || isScrolled(one.parentElement));
    for (const one of document.querySelectorAll(
      'a[href], button, input, textarea, select, [role="combobox"]',
    )) {
      if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const { left, right, width } = one.getBoundingClientRect();
      if (width < 2 || isScrolled(one.parentElement)) continue;
      if (left < -1 || right > innerWidth + 1)
        told.push(`${Math.round(left)}–${Math.round(right)}: ${one.outerHTML.slice(0, 200)}`);
    }
    return told;
  });
}

/** Controls whose icon stands at the right, or whose text does not choose its own direction. */
function misplacedIcons(
  page: Page,
): Promise<{ readonly icons: boolean; readonly misplaced: readonly string[] }> {
  return page.evaluate(() => {
    const sections = [...document.querySelectorAll('.mantine-Input-section[data-position="right"]')];
    const misplaced = sections.filter((section) => {
      const input = section.parentElement?.querySelector('input');
      if (!input) return false;
      const [icon, whole] = [section.getBoundingClientRect(), input.getBoundingClientRect()];
      return (
        icon.right > (whole.left + whole.right) / 2 || getComputedStyle(input).unicodeBidi !== 'plaintext'
      );
    });
    return { icons: sections.length > 0, misplaced: misplaced.map((one) => one.outerHTML.slice(0, 200)) };
  });
}

/** What has the focus, and whether a head or foot that stays in view covers its middle. */
function focused(page: Page): Promise<{ readonly tells: string; readonly isBehind: boolean }> {
  return page.evaluate(() => {
    const one = document.activeElement ?? document.body;
    const { left, top, width, height } = one.getBoundingClientRect();
    const above = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('[data-stays]');
    return { tells: one.outerHTML.slice(0, 200), isBehind: !!above && !above.contains(one) };
  });
}

describeSample('reach', (story) => {
  /** Walks over screens in one window. */
  const reach = (options: PageOptions, states: readonly ScreenState[], go = show) =>
    story.on({ patience: 60_000, ...options }, (admin) =>
      walk(
        admin,
        states,
        async () => {
          await becomes(() => beyondReach(admin.page), []);
          // Large letters and other languages have the same elements; axe sees Arabic in `screens.test.ts`.
          if (options.width === PHONE.width && !options.locale) await admin.axe();
        },
        go,
      ),
    );

  test('screens in a window of 320 pixels', PATIENCE, () => reach(PHONE, ON_A_PHONE));

  for (const [what, path, key] of [
    ['a record', '/app/d/Bill/BILL-00002', 'Shift+Tab'],
    ['a webhook', '/app/webhooks/Bookkeeping', 'Shift+Tab'],
    ['settings', '/app/system/settings?section=files', 'Tab'],
  ] as const)
    test(`${what} in a window of 320 pixels: ${key} leads behind no head or foot`, PATIENCE, () =>
      story.on({ ...PHONE, patience: 60_000 }, async ({ page, open }) => {
        await open(path);
        const controls = page.locator('main').locator('button, input').filter({ visible: true });
        await controls.nth(2).waitFor();
        await settled(page);
        // The foot of the settings shows with a change.
        if (key === 'Tab') await page.getByLabel('Largest file (MB)').fill('7');
        await (key === 'Tab' ? controls.first() : page.locator('main button:enabled').last()).focus();
        const behind: string[] = [];
        let steps = 0;
        for (let isInside = true; isInside && steps < 200; steps += 1) {
          await page.keyboard.press(key);
          const { tells, isBehind } = await focused(page);
          if (isBehind) behind.push(tells);
          isInside = await page.evaluate(() => document.activeElement?.closest('main') !== null);
        }
        assert.ok(steps > 5 && steps < 200, `${steps} steps`);
        assert.deepEqual(behind, []);
      }),
    );

  test('a button half behind one of the heading is no small target: it scrolls from there', PATIENCE, () =>
    story.on({ ...PHONE, patience: 60_000 }, async ({ page, open, axe }) => {
      await open('/app/d/Bill/BILL-00002');
      const chip = page.getByRole('list', { name: 'Assigned to' }).getByRole('button').last();
      await chip.waitFor();
      await settled(page);
      const edge = await page.getByRole('button', { name: 'Follow', exact: true }).boundingBox();
      await chip.evaluate(
        (one, bottom) => {
          const { top, height } = one.getBoundingClientRect();
          one.closest('main')?.scrollBy({ top: top + height / 2 - bottom, behavior: 'instant' });
        },
        edge ? edge.y + edge.height : 0,
      );
      await axe('target-size');
    }),
  );

  test('screens at 200 %', PATIENCE, () => reach(ZOOMED, someOf(SCREENS, 6)));

  for (const [language, locale, lang, turn] of [
    ['German, with its long words,', 'de-AT', 'de', 2],
    ['Arabic, from right to left,', 'ar-EG', 'ar', 4],
  ] as const)
    test(`screens in ${language} in a window of 320 pixels`, PATIENCE, () =>
      reach({ ...PHONE, locale }, someOf(SCREENS, 6, turn), async ({ page, open }, { path }) => {
        await open(`/app${path}`);
        await becomes(() => page.evaluate(() => document.documentElement.lang), lang);
        await settled(page);
      }),
    );

  test('a list, a form and deliveries from right to left, with mirrored arrow keys', PATIENCE, () =>
    story.on({ locale: 'ar-EG', patience: 60_000 }, async ({ page, open, axe }) => {
      await open('/app/d/Bill');
      await becomes(
        () => page.evaluate(() => [document.documentElement.dir, document.documentElement.lang]),
        ['rtl', 'ar'],
      );
      const grid = page.getByRole('grid', { name: 'Bill' });
      await grid.locator('[role="row"][aria-rowindex="4"]').waitFor();
      await page.keyboard.press('j');
      await grid.and(page.locator('[aria-activedescendant]')).waitFor();
      const column = () =>
        grid.evaluate((one) =>
          Number(
            document
              .getElementById(one.getAttribute('aria-activedescendant') ?? '')
              ?.getAttribute('aria-colindex'),
          ),
        );
      const before = await column();
      await page.keyboard.press('ArrowLeft');
      await becomes(column, before + 1);
      // The sidebar stands at the start, which is the right.
      const side = await page.locator('nav').first().boundingBox();
      assert.ok(side !== null && side.x > 640, JSON.stringify(side));
      await becomes(() => beyondReach(page), []);
      await axe();

      await open('/app/d/Bill/BILL-00002');
      await page.getByRole('button', { name: 'حفظ', exact: true }).waitFor();
      // Arrows and other icons stand at the end, which is the left; Latin text still reads from the left.
      await becomes(() => misplacedIcons(page), { icons: true, misplaced: [] });
      await becomes(() => beyondReach(page), []);
      await axe();

      await open('/app/deliveries');
      await page.locator('tbody button').first().click();
      // What is a program's is written from left to right all the same.
      const body = page.getByRole('dialog').locator('pre').first();
      await body.waitFor();
      await becomes(() => body.evaluate((one) => getComputedStyle(one).direction), 'ltr');
      await becomes(() => beyondReach(page), []);
      await axe();
    }),
  );
});
