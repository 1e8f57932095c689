import type { Page } from 'playwright-core';
import type { AdminPage } from './admin-page.ts';
import { control } from './form-page.ts';
import { LIST_VIEW_STATES } from './list-view-states.ts';
import type { ScreenState } from './screen-state.ts';

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { level: 1, name });
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click();
const dialog = (page: Page, name?: string | RegExp) =>
  page.getByRole('dialog', name === undefined ? {} : { name }).waitFor();
/** BILL-00001 and every third one after it are submitted. */
const DRAFT = '/d/Bill/BILL-00002';
const bills = (page: Page) => page.locator('[role="row"][aria-rowindex="4"]');

/**
 * Every screen, and what opens on it. Those that leave something unsaved open in a dialog, or stand before a
 * screen that asks nothing.
 */
export const SCREEN_STATES: readonly ScreenState[] = [
  { name: 'home', path: '', ready: (page) => page.locator('canvas').nth(1) },
  { name: 'doctypes', path: '/doctypes', ready: heading('Doctypes') },
  { name: 'designer-fields', path: '/doctypes/Bill', ready: (page) => page.locator('[data-canvas]') },
  ...['naming', 'permissions', 'links', 'list', 'settings', 'json'].map((tab) => ({
    name: `designer-${tab}`,
    path: `/doctypes/Bill?tab=${tab}`,
    ready: (page: Page) => page.getByRole('tabpanel').locator('button, input, h2').first(),
  })),
  {
    name: 'designer-selected',
    path: '/doctypes/User',
    ready: (page) => page.locator('[data-canvas]'),
    prepare: async (page) => {
      await page
        .locator('[data-canvas]')
        .getByRole('button', { name: /^Email/ })
        .first()
        .press('Enter');
      await page.getByLabel('Name in the API').waitFor();
    },
  },
  { name: 'designer-new', path: '/doctypes/new', ready: heading('New doctype') },
  { name: 'list', path: '/d/Bill', ready: bills },
  {
    name: 'list-chosen',
    path: '/d/Bill',
    ready: bills,
    prepare: async (page) => {
      await page
        .getByRole('checkbox', { name: /^Select BILL/ })
        .first()
        .click();
      await page.getByRole('toolbar', { name: 'Selected records' }).waitFor();
    },
  },
  {
    name: 'list-filter',
    path: '/d/Bill',
    ready: bills,
    prepare: async (page) => {
      await button(page, 'Filter');
      await dialog(page, /^Filter/);
    },
  },
  {
    name: 'list-columns',
    path: '/d/Bill',
    ready: bills,
    prepare: async (page) => {
      await button(page, 'Columns');
      await dialog(page, /^Columns/);
    },
  },
  {
    name: 'list-views',
    path: '/d/Bill',
    ready: bills,
    prepare: async (page) => {
      await button(page, 'Views');
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'list-export',
    path: '/d/Bill',
    ready: bills,
    prepare: async (page) => {
      await button(page, 'More');
      await page.getByRole('menuitem', { name: 'Export…' }).click();
      await dialog(page, /^Export \d/);
    },
  },
  ...LIST_VIEW_STATES,
  { name: 'import', path: '/import/Buyer', ready: heading('Import buyers') },
  { name: 'list-empty', path: '/d/Region', ready: (page) => page.getByText('No regions yet') },
  { name: 'list-wide', path: '/d/Wide', ready: heading(/Wide/) },
  { name: 'form-draft', path: DRAFT, ready: (page) => control(page, 'title') },
  {
    name: 'form-marks',
    path: DRAFT,
    ready: (page) => control(page, 'title'),
    prepare: async (page) => {
      await button(page, 'Share');
      await button(page, 'Add a tag');
      await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('next');
    },
  },
  {
    name: 'notifications',
    path: DRAFT,
    ready: (page) => control(page, 'title'),
    prepare: async (page) => {
      await page.getByRole('button', { name: /^Notifications/ }).click();
      await dialog(page, 'Notifications');
    },
  },
  {
    name: 'form-submitted',
    path: '/d/Bill/BILL-00004',
    ready: heading('Office supplies for Orchard Dairy'),
  },
  {
    name: 'form-everything',
    path: '/d/Everything/All%20of%20it',
    ready: (page) => control(page, 'data'),
  },
  {
    name: 'form-single',
    path: '/d/Shop%20Settings/Shop%20Settings',
    ready: (page) => control(page, 'motto'),
  },
  {
    name: 'form-missing',
    path: '/d/Bill/BILL-99999',
    ready: (page) =>
      page
        .getByRole('alert')
        .or(page.getByText(/not found/i))
        .first(),
    expects: /status of 404/,
  },
  {
    name: 'grid-edit',
    path: DRAFT,
    ready: (page) => page.getByRole('grid', { name: /Items/ }).or(page.getByRole('list', { name: /Items/ })),
    prepare: async (page) => {
      const grid = page.getByRole('grid', { name: /Items/ });
      if (await grid.isVisible()) {
        await grid.focus();
        await page.keyboard.press('F2');
        await page.locator('[role="gridcell"] input').first().waitFor();
      } else {
        // On a phone, rows are cards, and a card opens the form of its row.
        await page.getByRole('list', { name: /Items/ }).getByRole('button').first().click();
        await dialog(page);
      }
    },
  },
  {
    name: 'link-picker',
    path: '/new/Bill',
    ready: heading('New Bill'),
    prepare: async (page) => {
      await control(page, 'buyer').click();
      await page.getByRole('option', { name: /Maple Bakery/ }).waitFor();
    },
  },
  {
    name: 'link-search',
    path: '/new/Bill',
    ready: heading('New Bill'),
    prepare: async (page) => {
      await control(page, 'buyer').click();
      await page.getByRole('option', { name: 'Advanced search' }).click();
      await page.getByRole('dialog').getByText('Maple Bakery').waitFor();
    },
  },
  {
    name: 'link-create',
    path: '/new/Bill',
    ready: heading('New Bill'),
    prepare: async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await control(page, 'buyer').fill('a new one');
      await page.getByRole('option', { name: 'New Buyer “a new one”' }).click();
      await page.getByRole('dialog', { name: 'New Buyer' }).getByLabel('Company').waitFor();
    },
  },
  {
    name: 'form-errors',
    path: '/new/Bill',
    ready: heading('New Bill'),
    prepare: async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await button(page, 'Save');
      await page.locator('[aria-invalid="true"]').first().waitFor();
    },
    expects: /status of 417/,
  },
  { name: 'files', path: '/files', ready: (page) => page.getByText('Opening hours.md').first() },
  {
    name: 'files-tiles',
    path: '/files',
    ready: (page) => page.getByText('Opening hours.md').first(),
    prepare: async (page) => {
      await page.getByRole('radiogroup', { name: 'How files are shown' }).getByText('Tiles').click();
      await page.getByRole('gridcell', { name: /Opening hours/ }).waitFor();
    },
  },
  {
    name: 'files-dialog',
    path: '/files',
    ready: (page) => page.getByText('Opening hours.md').first(),
    prepare: async (page) => {
      await page.keyboard.press('n');
      await dialog(page);
    },
  },
  { name: 'webhooks', path: '/webhooks', ready: heading('Webhooks') },
  { name: 'webhook', path: '/webhooks/Bookkeeping', ready: (page) => page.getByText('"amount"').first() },
  {
    name: 'webhook-stats',
    path: '/webhooks/Bookkeeping?tab=stats',
    ready: (page) => page.locator('canvas').first(),
  },
  { name: 'new-webhook', path: '/new-webhook', ready: heading('New webhook') },
  { name: 'deliveries', path: '/deliveries', ready: (page) => page.locator('tbody tr').nth(3) },
  {
    name: 'deliveries-drawer',
    path: '/deliveries?status=Exhausted',
    ready: (page) => page.locator('tbody tr').first().getByText('Given up'),
    prepare: async (page) => {
      await page.locator('tbody button').first().click();
      await page.getByRole('dialog', { name: 'Delivery' }).getByText('Attempt 1').waitFor();
    },
  },
  {
    name: 'dashboards',
    path: '/dashboards',
    ready: (page) => page.getByRole('link', { name: 'Bills', exact: true }),
  },
  {
    name: 'dashboard-edit',
    path: '/dashboards',
    ready: heading('Dashboards'),
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Bills', exact: true }).click();
      await button(page, 'Edit');
      await page.getByRole('button', { name: /^Move Billed by month/ }).waitFor();
    },
  },
  {
    name: 'dashboard-card',
    path: '/dashboards',
    ready: heading('Dashboards'),
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Bills', exact: true }).click();
      await button(page, 'Edit');
      await button(page, 'Add card');
      await dialog(page, 'Add a card');
    },
  },
  { name: 'users', path: '/users', ready: (page) => page.getByRole('link', { name: 'clerk' }).first() },
  {
    name: 'user',
    path: '/users/clerk@example.com',
    ready: (page) => page.getByText('Cash desk').first(),
  },
  {
    name: 'user-key',
    path: '/users/clerk@example.com',
    ready: (page) => page.getByText('Cash desk').first(),
    prepare: async (page) => {
      await button(page, 'New key');
      await dialog(page);
    },
  },
  {
    name: 'permissions',
    path: '/permissions?doctype=Bill',
    ready: (page) => page.getByRole('grid', { name: 'Permissions of Bill' }),
  },
  {
    name: 'permissions-role',
    path: '/permissions?role=Clerk',
    ready: (page) => page.getByRole('grid', { name: 'Permissions of Clerk' }),
  },
  {
    name: 'permissions-add',
    path: '/permissions?doctype=Bill',
    ready: (page) => page.getByRole('grid', { name: 'Permissions of Bill' }),
    prepare: async (page) => {
      await button(page, 'Add role');
      await dialog(page, /^Add a role/);
    },
  },
  {
    name: 'permissions-users',
    path: '/permissions?tab=users',
    ready: (page) => page.getByRole('heading', { name: 'No user permissions' }),
  },
  {
    name: 'permissions-shares',
    path: '/permissions?tab=shares',
    ready: (page) => page.getByText('Everyone who is signed in'),
    prepare: async (page) => {
      await button(page, 'Share a record');
      await dialog(page, 'Share a record');
    },
  },
  {
    name: 'permissions-why',
    path: '/permissions?tab=why&user=clerk@example.com&doctype=Bill&right=delete',
    ready: (page) => page.getByRole('heading', { name: /^No. clerk/ }),
  },
  { name: 'api', path: '/api', ready: (page) => page.getByRole('link', { name: 'bulk_delete' }) },
  { name: 'api-calls', path: '/api/Bill', ready: (page) => page.getByRole('region', { name: 'Request' }) },
  { name: 'api-fields', path: '/api/Bill?tab=fields', ready: (page) => page.getByText('buyer_city') },
  {
    name: 'api-events',
    path: '/api/Bill?tab=events',
    ready: (page) => page.getByRole('region', { name: 'Body', exact: true }),
  },
  {
    name: 'api-method',
    path: '/api?method=frappe.client.get_count',
    ready: (page) => page.getByRole('region', { name: 'Request' }),
  },
  { name: 'system-health', path: '/system', ready: (page) => page.getByText(/^SQLite \d/) },
  { name: 'system-jobs', path: '/system/jobs', ready: (page) => page.getByText('Delete expired records') },
  {
    name: 'system-settings',
    path: '/system/settings?section=files',
    ready: (page) => page.getByText('Largest file (MB)'),
  },
  {
    name: 'system-audit',
    path: '/system/audit',
    ready: (page) => page.getByRole('region', { name: 'Audit log' }),
  },
  {
    name: 'system-audit-drawer',
    path: '/system/audit?event=user_created',
    ready: (page) => page.getByText(/^Created the user/).first(),
    prepare: async (page) => {
      await page.locator('tbody button').first().click();
      await dialog(page, 'Audit entry');
    },
  },
  {
    name: 'system-sign-ins',
    path: '/system/sign-ins',
    ready: (page) => page.getByRole('region', { name: 'Attempts' }),
  },
  { name: 'system-queries', path: '/system/queries', ready: heading('Slow queries') },
  { name: 'system-errors', path: '/system/errors', ready: heading('Errors') },
  { name: 'profile', path: '/profile', ready: heading('Profile') },
  {
    name: 'palette',
    path: '/doctypes',
    ready: heading('Doctypes'),
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'shortcuts',
    path: '/doctypes',
    ready: heading('Doctypes'),
    prepare: async (page) => {
      await page.keyboard.press('?');
      await dialog(page, 'Keyboard shortcuts');
    },
  },
  { name: 'not-found', path: '/nowhere/at/all', ready: heading('Page not found') },
];

/** Goes to a screen without loading the page again, as a link does, and opens what is to be seen. */
export async function show({ page }: AdminPage, { path, ready, prepare }: ScreenState): Promise<void> {
  await page.keyboard.press('Escape');
  await page.evaluate((to) => history.pushState(null, '', to), `/app${path}`);
  const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
  const there = ready(page);
  await there.or(leave).first().waitFor();
  if (await leave.isVisible()) await leave.getByRole('button', { name: /leave/i }).last().click();
  await there.waitFor();
  await prepare?.(page);
  await settled(page);
}

/** Waits until a screen has all its data. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
