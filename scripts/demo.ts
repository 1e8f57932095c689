/**
 * `npm run demo`: fills a running server with a few hundred believable records of the bundled crm app and a
 * dashboard of them, through the HTTP API. Records that are there already are skipped, so it can be run again.
 *
 *     npm run demo -- --url http://127.0.0.1:8000 --key <api_key>:<api_secret>
 *
 * Without `--key` it uses CHANCERY_ADMIN_API_KEY.
 */
import { parseArgs } from 'node:util';
import { demoDashboard, demoViews } from './demo-dashboard.ts';
import { type DemoRecord, type DemoSet, demoSets } from './demo-records.ts';

/** Requests under way at a time: enough to share commits, few enough to leave the server to others. */
const CONCURRENCY = 8;

/** Keys asked for in one request: keeps the address well below the size of a request's head. */
const KEYS_PER_REQUEST = 40;

const values = readFlags();
const base = values.url.replace(/\/+$/, '');

if (values.help) {
  console.log('npm run demo -- [--url http://127.0.0.1:8000] --key <api_key>:<api_secret>');
  process.exit(0);
}
if (!values.key.includes(':')) {
  console.error('Give the key that `npm start` printed: npm run demo -- --key <api_key>:<api_secret>');
  process.exit(2);
}

try {
  for (const set of demoSets()) await load(set);
  await loadDashboard();
  await setCurrency();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function readFlags(): { help?: boolean; url: string; key: string } {
  const options = {
    help: { type: 'boolean', short: 'h' },
    url: { type: 'string', default: 'http://127.0.0.1:8000' },
    key: { type: 'string', default: process.env['CHANCERY_ADMIN_API_KEY'] ?? '' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('Two dashes come before the flags: npm run demo -- --key <api_key>:<api_secret>');
    process.exit(2);
  }
}

async function load(set: DemoSet): Promise<void> {
  const existing = await existingKeys(set);
  const missing = set.records.filter((record) => !existing.has(record[set.key]));
  await concurrently(missing, async (record) => {
    const picture = set.picture && { [set.picture.field]: await upload(record, set) };
    await send('POST', resource(set.doctype), { ...record, ...picture });
  });
  console.log(`${set.doctype}: ${missing.length} made, ${set.records.length - missing.length} there already`);
}

async function loadDashboard(): Promise<void> {
  await load({ doctype: 'Saved View', key: 'label', records: demoViews });
  const query = new URLSearchParams({ fields: '["name","label"]', limit_page_length: '1000' });
  const views = await send('GET', `${resource('Saved View')}?${query}`);
  const names = new Map(views.map(({ name, label }) => [label, String(name)]));
  await load({
    doctype: 'Dashboard',
    key: 'label',
    records: [demoDashboard((label) => names.get(label))],
  });
}

/** The amounts of leads are in euros, unless the site has another currency. */
async function setCurrency(): Promise<void> {
  const settings = `${resource('System Settings')}/System%20Settings`;
  const [known] = await send('GET', settings);
  if (!known?.['currency']) await send('PUT', settings, { currency: 'EUR' });
}

/** Uploads the picture of a record; resolves to its address. */
async function upload(record: DemoRecord, { key, picture }: DemoSet): Promise<unknown> {
  if (!picture) return null;
  const [file] = await send('POST', resource('File'), {
    file_name: `${String(record[key]).toLowerCase().replaceAll(' ', '-')}.png`,
    content: picture.draw(record).toString('base64'),
    decode: 1,
    is_private: 1,
  });
  return file?.['file_url'];
}

async function existingKeys({ doctype, key, records }: DemoSet): Promise<ReadonlySet<unknown>> {
  const found = new Set<unknown>();
  for (let start = 0; start < records.length; start += KEYS_PER_REQUEST) {
    const keys = records.slice(start, start + KEYS_PER_REQUEST).map((record) => record[key]);
    const query = new URLSearchParams({
      fields: JSON.stringify([key]),
      filters: JSON.stringify([[key, 'in', keys]]),
      // More than one record may have the key of one of ours.
      limit_page_length: '1000',
    });
    const rows = await send('GET', `${resource(doctype)}?${query}`);
    for (const row of rows) found.add(row[key]);
  }
  return found;
}

function resource(doctype: string): string {
  return `/api/resource/${encodeURIComponent(doctype)}`;
}

/** Resolves to the reply's data as a list. Rejects with the server's own words. */
async function send(method: string, path: string, body?: DemoRecord): Promise<readonly DemoRecord[]> {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `token ${values.key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch((error: unknown) => {
    throw new Error(`No server answers at ${base}: start it with npm start`, { cause: error });
  });
  const text = await response.text();
  if (response.status === 401) throw new Error(`The server at ${base} does not know this key.`);
  if (!response.ok) {
    throw new Error(`${method} ${path.slice(0, 100)}: ${response.status} ${text.slice(0, 500)}`);
  }
  const { data } = JSON.parse(text);
  return Array.isArray(data) ? data : [data];
}

async function concurrently<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
