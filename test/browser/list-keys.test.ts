/** Keys in a list of 100,000 records. */
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { becomes } from './support/becomes.ts';
import { COPIES, describeBills, gridOf, openBuilder, rowAt, title } from './support/bills.ts';

describeBills('keys in a list of 100,000 records', (story) => {
  test('is navigated, selected from and opened by keyboard', async () => {
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      await rowAt(page, 1).getByText('Bill number 100000').waitFor();
      const active = () =>
        gridOf(page).evaluate((grid) => {
          const cell = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
          return `${cell?.closest('[role=row]')?.getAttribute('aria-rowindex')}:${cell?.getAttribute('aria-colindex')}`;
        });
      await page.keyboard.press('j');
      await becomes(active, '3:2');
      await page.keyboard.press('k');
      await page.keyboard.press('ArrowRight');
      await becomes(active, '2:3');
      await page.keyboard.press('x');
      await page.getByText('1 selected', { exact: true }).waitFor();
      for (let at = 0; at < 3; at += 1) await page.keyboard.press('Shift+ArrowDown');
      await page.getByText('4 selected', { exact: true }).waitFor();
      await page.keyboard.press('Shift+ArrowUp');
      await page.getByText('3 selected', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('selected', { exact: false }).waitFor({ state: 'detached' });
      await page.keyboard.press('PageDown');
      await until(active, (cell) => cell !== '4:3');
      await page.keyboard.press('End');
      await rowAt(page, COPIES + 1)
        .getByText('First', { exact: true })
        .waitFor();
      await page.keyboard.press('Home');
      await rowAt(page, 1).getByText('Bill number 100000').waitFor();
      // To the head, sorted there.
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowLeft');
      // Keys act on rows that are still on their way.
      const isPressed = Promise.withResolvers<void>();
      await page.route('**/api/resource/Bill?*limit_page_length=100*', async (route) => {
        await isPressed.promise;
        await route.continue();
      });
      await page.keyboard.press('Enter');
      await page.locator('[role=columnheader][aria-sort=ascending]', { hasText: 'Title' }).waitFor();
      await page.keyboard.press('Alt+ArrowDown');
      const menu = page.getByRole('menu');
      await menu
        .locator(':focus')
        .or(menu.and(page.locator(':focus')))
        .waitFor();
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'detached' });
      await page.keyboard.press('/');
      const builder = await openBuilder(page);
      await page.keyboard.press('Escape');
      await builder.waitFor({ state: 'detached' });
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      isPressed.resolve();
      await page.waitForURL(/\/app\/d\/Bill\/BILL-/);
    });
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      await rowAt(page, 1).getByText('Bill number 100000').waitFor();
      // Enter opens the last record although the count is on its way.
      const isPressed = Promise.withResolvers<void>();
      await page.route('**/api/resource/Bill?*include=count*', async (route) => {
        await isPressed.promise;
        await route.continue();
      });
      await gridOf(page).focus();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      isPressed.resolve();
      await page.waitForURL('**/app/d/Bill/BILL-00001');
    });
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      await rowAt(page, 1).getByText('Bill number 100000').waitFor();
      // A key pressed between the jump to a row and its rendering acts on that row.
      await gridOf(page).evaluate((grid) => {
        const press = () => grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        grid.addEventListener('focus', () => queueMicrotask(press));
      });
      await page.getByLabel('Go to row').fill(String(COPIES + 1));
      await page.getByLabel('Go to row').press('Enter');
      await page.waitForURL('**/app/d/Bill/BILL-00001');
    });
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill');
      const search = page.getByRole('searchbox', { name: 'Search these records' });
      await search.fill('number 9999');
      await title(page).getByText('(11)').waitFor();
      await gridOf(page).press('End');
      // The last row is forgotten with the list that it was in.
      await search.fill('number 99999');
      await title(page).getByText('(1)').waitFor();
      await gridOf(page).press('x');
      await page.getByText('1 selected', { exact: true }).waitFor();
    });
  });

  test('handles selection keys pressed before its rows loaded', async () => {
    await story.on({}, async ({ page, open }) => {
      let isPressed = Promise.withResolvers<void>();
      await page.route('**/api/resource/Bill?*limit_page_length=100*', async (route) => {
        await isPressed.promise;
        await route.continue();
      });
      await open('/app/d/Bill');
      await gridOf(page).focus();
      for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
      isPressed.resolve();
      await page.getByText('2 selected', { exact: true }).waitFor();
      await page.keyboard.press('Escape');

      // Of two ranges the later one counts, whichever arrives first.
      await page.getByLabel('Go to row').fill('95');
      await page.getByLabel('Go to row').press('Enter');
      await rowAt(page, 95).getByText('Bill number').waitFor();
      isPressed = Promise.withResolvers();
      // A range begins where a move without Shift ends.
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Shift+PageDown');
      await page.keyboard.press('Shift+PageUp');
      await page.getByText('1 selected', { exact: true }).waitFor();
      isPressed.resolve();
      await page.keyboard.press('PageDown');
      await rowAt(page, 105).getByText('Bill number').waitFor();
      await page.getByText('1 selected', { exact: true }).waitFor();
    });
  });

  test('is stepped through record by record, at its end as at its beginning', () =>
    story.on({}, async ({ page, open }) => {
      await open('/app/d/Bill?q=number');
      await rowAt(page, 1).getByText('Bill number 100000').waitFor();
      const step = async (keys: string, to: string) => {
        await page.keyboard.press(keys);
        await page.getByRole('heading', { name: to, exact: true }).waitFor();
      };
      await page.getByLabel('Go to row').fill('60000');
      await page.getByLabel('Go to row').press('Enter');
      await rowAt(page, 60_000).getByRole('link', { name: 'Bill number 40001' }).click();
      await page.getByRole('heading', { name: 'Bill number 40001', exact: true }).waitFor();
      await step('Alt+ArrowDown', 'Bill number 40000');
      await step('Alt+ArrowUp', 'Bill number 40001');
      // Keys work while a record is loading,
      const arrival = Promise.withResolvers<void>();
      await page.route('**/api/resource/Bill/BILL-9040002*', async (route) => {
        await arrival.promise;
        await route.continue();
      });
      await step('Alt+ArrowUp', 'BILL-9040002');
      await step('Alt+ArrowUp', 'Bill number 40003');
      arrival.resolve();
      // and while the one before is being looked for.
      const isPressed = Promise.withResolvers<void>();
      await page.route(/\/api\/resource\/Bill\?.*limit_page_length=1(&|$)/, async (route) => {
        await isPressed.promise;
        await route.continue();
      });
      await page.keyboard.press('Alt+ArrowDown');
      await page.keyboard.press('Alt+ArrowDown');
      isPressed.resolve();
      await page.getByRole('heading', { name: 'Bill number 40001', exact: true }).waitFor();
    }));
});
