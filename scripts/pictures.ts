/**
 * `npm run docs:pictures`: makes the pictures of the admin UI in docs/images, as the README shows them; with
 * `-- list form`, only these two. Starts a server with the crm app, fills it with the demo, webhooks and files,
 * and looks at it in Chromium.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { openAdminPage } from '../test/browser/support/admin-page.ts';
import { becomes } from '../test/browser/support/becomes.ts';
import { settled } from '../test/browser/support/screens.ts';
import { PASSWORD } from '../test/browser/support/story-site.ts';
import { Windows } from '../test/browser/support/windows.ts';
import { builtAdminUi } from '../test/support/admin-ui.ts';
import { NO_BROWSER, startBrowser } from '../test/support/browser.ts';
import { WebhookReceiver } from '../test/support/receiver.ts';
import { spawnChancery, startServerProcess } from '../test/support/server-process.ts';

const FOLDER = 'docs/images';
const SIZE = { width: 1440, height: 900 };
const USER = 'amara@example.com';
const KEY = 'picture-key:picture-secret-0123456789';
const APPS = 'crm';
/** Of so many deliveries of the support board, the receiver refuses one. */
const REFUSED = 12;

interface Picture {
  readonly name: string;
  readonly theme: 'light' | 'dark';
  /** `{invoice}` stands for the name of a draft with four items. */
  readonly path: string;
  /** Waits for what the picture is of, and opens it. */
  readonly prepare: (page: Page) => Promise<unknown>;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'home',
    theme: 'light',
    path: '',
    prepare: async (page) => {
      // The first steps are no part of it, whether they are all done or not.
      await page.evaluate(() => localStorage.setItem('chancery.first-steps', 'closed'));
      await page.reload();
      await page.getByText('Invoiced by month').waitFor();
      await becomes(() => page.locator('.mantine-Skeleton-root').count(), 0);
    },
  },
  { name: 'list', theme: 'light', path: '/d/Sales%20Invoice', prepare: rowsOf },
  { name: 'form', theme: 'light', path: '/d/Sales%20Invoice/{invoice}', prepare: rowsOf },
  {
    name: 'board',
    theme: 'dark',
    path: '/d/Ticket?as=board',
    prepare: (page) => page.locator('[data-card]').nth(8).waitFor(),
  },
  {
    name: 'designer',
    theme: 'light',
    path: '/doctypes/Ticket',
    prepare: async (page) => {
      await page
        .locator('[data-canvas]')
        .getByRole('button', { name: /^Priority/ })
        .press('Enter');
      await page.getByLabel('Name in the API').waitFor();
    },
  },
  {
    name: 'webhook',
    theme: 'light',
    path: '/webhooks/Bookkeeping',
    prepare: (page) => page.getByText('"amount"').first().waitFor(),
  },
  {
    name: 'deliveries',
    theme: 'dark',
    path: '/deliveries?status=Exhausted',
    prepare: async (page) => {
      await page.locator('tbody button').first().click();
      await page.getByRole('dialog').locator('pre').first().waitFor();
    },
  },
  {
    name: 'permissions',
    theme: 'light',
    path: '/permissions?doctype=Ticket',
    prepare: (page) => page.getByRole('checkbox').nth(8).waitFor(),
  },
  {
    name: 'files',
    theme: 'light',
    path: '/files',
    prepare: (page) => page.getByText('Price list.csv').first().waitFor(),
  },
];

const wanted = process.argv.slice(2);
if (NO_BROWSER) {
  console.error(NO_BROWSER);
  process.exit(1);
}
builtAdminUi();
const data = await mkdtemp(join(tmpdir(), 'chancery-pictures-'));
const receiver = await WebhookReceiver.start();
const env = {
  CHANCERY_ADMIN_API_KEY: KEY,
  CHANCERY_ADMIN_PASSWORD: PASSWORD,
  CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8',
};
const server = await startServerProcess(['--data', data, '--apps', APPS], { env });
try {
  await fill();
  const invoice = await nameOfInvoice();
  const browser = await startBrowser();
  try {
    for (const picture of wanted.length > 0 ? PICTURES.filter(({ name }) => wanted.includes(name)) : PICTURES)
      await take(new Windows(browser), invoice, picture);
  } finally {
    await browser.close();
  }
} finally {
  await server.end('SIGTERM');
  await receiver.close();
  await rm(data, { recursive: true });
}

async function take(
  windows: Windows,
  invoice: string,
  { name, theme, path, prepare }: Picture,
): Promise<void> {
  const admin = await openAdminPage(windows, server, { ...SIZE, theme, user: USER, patience: 60_000 });
  await admin.open(`/app${path.replace('{invoice}', invoice)}`);
  await prepare(admin.page);
  await settled(admin.page);
  // 256 colours are enough, and take a third of the bytes.
  const picture = sharp(await admin.page.screenshot()).png({ palette: true, effort: 10 });
  await picture.toFile(join(FOLDER, `${name}.png`));
  await admin.close();
  console.log(`${FOLDER}/${name}.png`);
}

/** Makes webhooks, then the records of the demo, which they report, and files. */
async function fill(): Promise<void> {
  let count = 0;
  receiver.decide = ({ path }) => (path === '/support-board' && ++count % REFUSED === 1 ? 500 : 'ok');
  const { origin } = new URL(receiver.url);
  await make('Webhook', {
    __newname: 'Bookkeeping',
    webhook_doctype: 'Sales Invoice',
    webhook_docevent: 'on_submit',
    request_url: `${origin}/bookkeeping`,
    condition: 'doc.grand_total > 100',
    webhook_data: [
      { fieldname: 'name', key: 'number' },
      { fieldname: 'customer', key: 'customer' },
      { fieldname: 'grand_total', key: 'amount' },
    ],
  });
  for (const [name, doctype] of [
    ['Support board', 'Ticket'],
    ['Newsletter', 'Lead'],
  ] as const)
    await make('Webhook', {
      __newname: name,
      webhook_doctype: doctype,
      webhook_docevent: 'after_insert',
      request_url: `${origin}/${name.toLowerCase().replace(' ', '-')}`,
      max_retries: 0,
    });
  const demo = [process.execPath, '--import=./scripts/ready.mjs', '--conditions=source', 'scripts/demo.ts'];
  const { code, stderr } = await spawnChancery(['--url', server.url, '--key', KEY], { command: demo })
    .finished;
  if (code !== 0) throw new Error(stderr);
  const roles = [{ role: 'System Manager' }, { role: 'Sales User' }];
  await make('User', {
    email: USER,
    first_name: 'Amara',
    last_name: 'Okafor',
    new_password: PASSWORD,
    roles,
  });
  const created = await ask('POST', 'method/chancery.api_key.create', { user: USER, label: 'Pictures' });
  const { api_key, api_secret } = (created as { message: Record<string, string> }).message;
  const own = `${api_key}:${api_secret}`;
  for (const folder of ['Contracts', 'Invoices', 'Press'])
    await ask(
      'POST',
      'method/frappe.core.api.file.create_new_folder',
      { file_name: folder, folder: 'Home' },
      own,
    );
  for (const [file_name, lines, is_private] of [
    ['Price list.csv', 400, 0],
    ['Terms of delivery.txt', 9_000, 1],
    ['Opening hours.md', 40, 1],
  ] as const)
    await ask(
      'POST',
      'resource/File',
      { file_name, content: `${file_name}\n`.repeat(lines), is_private, folder: 'Home' },
      own,
    );
}

/** The demo makes invoices at the same time, so their numbers differ. */
async function nameOfInvoice(): Promise<string> {
  const filters = encodeURIComponent('{"remarks":"Order 5052"}');
  const { data } = (await ask('GET', `resource/Sales%20Invoice?filters=${filters}`)) as {
    data: { name: string }[];
  };
  if (!data[0]) throw new Error('the demo has no Order 5052');
  return data[0].name;
}

function make(doctype: string, fields: object): Promise<unknown> {
  return ask('POST', `resource/${encodeURIComponent(doctype)}`, fields);
}

async function ask(method: 'GET' | 'POST', path: string, body?: object, key = KEY): Promise<unknown> {
  const reply = await fetch(`${server.url}/api/${path}`, {
    method,
    headers: { authorization: `token ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

function rowsOf(page: Page): Promise<void> {
  return page.locator('[role="grid"] [role="row"]').nth(2).waitFor();
}
