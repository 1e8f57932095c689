/**
 * `npm run bench:import-file [-- --rows 100000 --engine sqlite|postgres --format csv|ndjson|xlsx]`
 *
 * Imports a file of ten columns through the verbs, with a hook of an app on, into a site of its own with fsync on.
 * The file is made first, and does not count. CPU: of this process, whatever else the machine does. Memory: the
 * growth of the resident set, read every 100 ms.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { COMMAND_LINE } from '../src/access/audit.ts';
import { ADMINISTRATOR } from '../src/access/user.ts';
import { sourceFile } from '../src/cli/source-file.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { FORMATS } from '../src/exchange/line.ts';
import { writeRecords } from '../src/exchange/write-records.ts';
import type { Fields } from '../src/kernel/value.ts';
import { createLoad, readLoad } from '../src/load/data-load.ts';
import { sourceId } from '../src/load/save/file-source.ts';
import { importTargets, inspectFile, planImport } from '../src/load/save/import-plan.ts';
import { runImport } from '../src/load/save/run-import.ts';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { startTestSite } from '../test/support/site.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    engine: { type: 'string', default: 'sqlite' },
    format: { type: 'string', default: 'csv' },
  },
});
const rows = Number(flags.rows);
const engine = flags.engine === 'postgres' ? 'postgres' : 'sqlite';
const format = FORMATS.find((one) => one === flags.format) ?? 'csv';

const TYPES = ['Data', 'Int', 'Float', 'Date', 'Datetime', 'Small Text', 'Check', 'Currency', 'Select'];
const FIELDS = TYPES.map((fieldtype, index) => ({
  fieldname: `f${index}`,
  label: `F ${index}`,
  fieldtype,
  options: fieldtype === 'Select' ? 'Open\nDone' : '',
}));
const DOCTYPE = {
  name: 'Row',
  autoname: 'ROW-.########',
  fields: [...FIELDS, { fieldname: 'kind', label: 'Kind', fieldtype: 'Link', options: 'Kind' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, import: 1 }],
};
const KIND = { name: 'Kind', autoname: 'prompt', fields: [{ fieldname: 'note', fieldtype: 'Data' }] };

async function* documents(): AsyncGenerator<readonly Fields[]> {
  for (let row = 0; row < rows; row += 1_000) {
    yield Array.from({ length: Math.min(1_000, rows - row) }, (_, at) => ({
      ...{ f0: `text of row ${row + at}`, f1: row + at, f2: (row + at) / 8, f3: '2026-03-04' },
      ...{ f4: '2026-03-04 05:06:07', f5: 'a longer text, with "quotes"', f6: at % 2, f7: at * 1.25 },
      ...{ f8: at % 2 ? 'Open' : 'Done', kind: `Kind ${at % 7}` },
    }));
  }
}

const folder = await mkdtemp(join(tmpdir(), 'chancery-bench-'));
const postgres = engine === 'postgres' ? await startPostgres(DURABLE) : null;
if (postgres) process.env['CHANCERY_TEST_POSTGRES'] = postgres.url;
const path = join(folder, `rows.${format}`);
const columns = DOCTYPE.fields.map(({ fieldname }) => ({
  head: fieldname,
  fieldname,
  table: null,
  field: null,
}));
await pipeline(writeRecords(documents(), columns, format, 'Rows'), createWriteStream(path));
let hooks = 0;
const controllers = {
  Row: {
    validate() {
      hooks += 1;
    },
  },
};
const { site, stop, make } = await startTestSite(engine, {
  doctypes: [KIND, DOCTYPE],
  apps: [{ name: 'bench', controllers }],
});
try {
  for (let kind = 0; kind < 7; kind += 1) await make('Kind', { name: `Kind ${kind}` });
  const { size, ...found } = await sourceFile(path);
  const file = { ...found, bytes: size };
  const [user, origin, doctype] = [ADMINISTRATOR, COMMAND_LINE, site.doctypes.get('Row')];
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 100);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const request = {
    mode: 'Insert',
    mapping: {},
    choices: {},
    onError: 'good',
    hooks: true,
    webhooks: true,
  } as const;
  const head = await inspectFile(file, importTargets(user, site.doctypes, doctype), request);
  const options = planImport(doctype, head, request) as unknown as Fields;
  const load = {
    kind: 'Import',
    mode: 'Insert',
    doctype: 'Row',
    format,
    status: 'Running',
    options,
  } as const;
  const sources = { source: file.name, sourceId: sourceId(file, 'Row') };
  const name = await unitOfWork(site, user, (ctx) => createLoad(ctx, { ...load, ...sources }), origin);
  const ended = await runImport({
    ...{ site, load: await readLoad(site.database.reader, name), file, user, origin },
  });
  const seconds = (performance.now() - began) / 1_000;
  clearInterval(watch);
  const spent = process.cpuUsage(cpu);
  console.log(
    `${engine}, ${format} of ${(size / 2 ** 20).toFixed(1)} MiB: ${ended.counts.inserted} documents, ${hooks} hooks, ` +
      `${ended.counts.failed} failed in ${seconds.toFixed(1)} s, CPU of this process ` +
      `${((spent.user + spent.system) / 1e6).toFixed(1)} s, memory +${Math.round((most - before) / 2 ** 20)} MiB`,
  );
} finally {
  await stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}
