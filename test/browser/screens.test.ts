/**
 * Every screen of the admin UI, narrow and from right to left, with hostile texts: nothing that axe, the
 * policy or a budget finds.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { until } from '../support/until.ts';
import type { AdminPage, PageOptions } from './support/admin-page.ts';
import { becomes } from './support/becomes.ts';
import { settled } from './support/screens.ts';
import { describeStory } from './support/story.ts';
import { HOSTILE } from './support/story-doctypes.ts';
import { USERS } from './support/story-site.ts';

/** A walk over all screens may last, on a machine that does other things too. */
const PATIENCE = 600_000;

/** Every address of `admin/src/app/routes.ts` with something to show, and what is said instead of nothing. */
const SCREENS: Readonly<Record<string, string>> = {
  home: '/app',
  doctypes: '/app/doctypes',
  list: '/app/d/Bill',
  'list-empty': '/app/d/Region',
  'list-wide': '/app/d/Wide',
  record: '/app/d/Bill/BILL-00001',
  'record-hostile': '/app/d/Bill/HOSTILE-1',
  'record-everything': '/app/d/Everything/All%20of%20it',
  'record-single': '/app/d/Shop%20Settings/Shop%20Settings',
  'record-missing': '/app/d/Bill/BILL-99999',
  'new-record': '/app/new/Bill',
  'print-format': '/app/d/Print%20Format/Slip',
  import: '/app/import/Buyer',
  load: '/app/loads/LOAD-00001',
  files: '/app/files',
  webhooks: '/app/webhooks',
  webhook: '/app/webhooks/Bills',
  deliveries: '/app/deliveries',
  users: '/app/users',
  user: `/app/users/${encodeURIComponent(USERS.clerk)}`,
  permissions: '/app/permissions?doctype=Bill',
  'permissions-role': '/app/permissions?role=Clerk',
  'permissions-users': '/app/permissions?tab=users',
  'permissions-shares': '/app/permissions?tab=shares',
  'permissions-why': `/app/permissions?tab=why&user=${USERS.clerk}&doctype=Bill&right=delete`,
  api: '/app/api',
  'api-calls': '/app/api/Bill',
  'api-fields': '/app/api/Bill?tab=fields',
  'api-events': '/app/api/Bill?tab=events',
  'api-method': '/app/api?method=frappe.client.get_count',
  profile: '/app/profile',
  'not-found': '/app/nowhere/at/all',
};

describeStory('every screen', (story) => {
  before(async () => {
    const { ask, make } = story.site;
    for (const [index, company] of ['Acme', 'O\'Brien & "Sons"', ...HOSTILE].entries())
      await make('Buyer', { buyer_name: `Buyer ${index}`, company, city: index % 2 ? 'Köln' : 'Zürich' });
    for (let index = 0; index < 30; index += 1)
      await make('Bill', {
        title: HOSTILE[index] ?? `Office supplies ${index}, delivered to the side entrance of the building`,
        buyer: 'Buyer 0',
        status: ['Open', 'Paid'][index % 2],
        items: [{ item: HOSTILE[index] ?? 'Paper', qty: index + 1, rate: 4.5 }],
        docstatus: index % 3 === 0 ? 1 : 0,
      });
    // The server makes texts safe when they are written; these are there as they are.
    const choices = HOSTILE.map((text, index) => `when ${index + 1} then '${text.replaceAll("'", "''")}'`);
    story.site.copies('Bill', 'BILL-00002', HOSTILE.length, {
      name: `printf('HOSTILE-%d', "i")`,
      title: `case "i" ${choices.join(' ')} end`,
      modified: "'2099-01-01 00:00:00.000000'",
    });
    await make('Everything', {
      name: 'All of it',
      data: HOSTILE[0],
      small_text: HOSTILE[1],
      text_editor: '<p>Made <b>bold</b></p>',
      link: 'Buyer 0',
      dynamic_link: 'Buyer 0',
      select: 'a < b',
      table: [{ item: 'Paper', qty: 1, rate: 2 }],
    });
    await make('Wide', { field_1: 'x' });
    await make('Webhook', {
      name: 'Bills',
      __newname: 'Bills',
      webhook_doctype: 'Bill',
      webhook_docevent: 'on_update',
      request_url: 'http://127.0.0.1:9/hook',
      enabled: 1,
    });
    await make('Print Format', {
      ...{ name: 'Slip', doc_type: 'Bill' },
      parts: [
        { type: 'Section', label: HOSTILE[0] },
        { type: 'Field', fieldname: 'buyer', label: HOSTILE[1] },
        { type: 'Column' },
        { type: 'Field', fieldname: 'items' },
        { type: 'Text', content: `<p>${HOSTILE[2]}</p>` },
      ],
    });
    const { file_url } = await make('File', {
      ...{ file_name: 'buyers.csv', is_private: 1 },
      content: `buyer_name,email\nzoe,"${(HOSTILE[0] ?? '').replaceAll('"', '""')}"\n`,
    });
    await ask('POST', '/api/method/chancery.import.start', { doctype: 'Buyer', file_url, dry_run: 1 });
    await make('File', { file_name: `${HOSTILE[0]}.txt`.replaceAll('/', '∕'), content: 'x', is_private: 1 });
  });

  /** Walks over all screens in one window; fails with all that was found, screen by screen. */
  async function walk(options: PageOptions, look: (admin: AdminPage) => Promise<void>): Promise<void> {
    await story.on(options, async (admin) => {
      // Of the screen of a document that there is not.
      admin.expect(/status of 404/);
      const found: string[] = [];
      for (const [name, path] of Object.entries(SCREENS)) {
        try {
          await admin.open(path);
          await settled(admin.page);
          await admin.screenshot(name);
          await look(admin);
          await admin.axe();
          await admin.assertClean();
        } catch (error) {
          found.push(`${name}: ${error instanceof Error ? error.message : error}`);
        }
      }
      assert.equal(found.length, 0, found.join('\n\n'));
    });
  }

  test('320 pixels wide and from right to left', { timeout: PATIENCE }, () =>
    walk({ width: 320, height: 640, locale: 'ar' }, async ({ page }) => {
      await becomes(() => page.evaluate(() => document.documentElement.dir), 'rtl');
      await until(
        () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        (pixels) => pixels <= 0,
        'no pixels wider than the screen',
      );
    }),
  );
});
