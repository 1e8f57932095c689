/**
 * `npm run bench:import-file [-- --rows 100000 --engine sqlite|postgres --format csv|ndjson|xlsx]`
 *
 * Imports a file of ten columns through the verbs, with a hook of an app on.
 */
import { createWriteStream } from 'node:fs';
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
import { createLoad, type DataLoad, readLoad } from '../src/load/data-load.ts';
import type { SourceFile } from '../src/load/record.ts';
import { importTargets, inspectFile, planImport } from '../src/load/save/import-plan.ts';
import { newImport, runImport } from '../src/load/save/run-import.ts';
import type { OpenSite } from '../src/site/start/open-site.ts';
import { measured, withImportSite } from './import-site.ts';

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

const columns = DOCTYPE.fields.map(({ fieldname }) => ({
  head: fieldname,
  fieldname,
  table: null,
  field: null,
}));
const make = async (folder: string) => {
  const path = join(folder, `rows.${format}`);
  await pipeline(writeRecords(documents(), columns, format, 'Rows'), createWriteStream(path));
  return path;
};

let hooks = 0;
const validate = () => {
  hooks += 1;
};
const apps = [{ name: 'bench', controllers: { Row: { validate } } }];

await withImportSite(engine, { doctypes: [KIND, DOCTYPE], apps }, make, async (server, path) => {
  const { site } = server;
  for (let kind = 0; kind < 7; kind += 1) await server.make('Kind', { name: `Kind ${kind}` });
  const file = await sourceFile(path);
  const { result, seconds, figures } = await measured(() => importFile(site, file));
  console.log(
    `${engine}, ${format} of ${(file.size / 2 ** 20).toFixed(1)} MiB: ${result.counts.inserted} documents, ` +
      `${hooks} hooks, ${result.counts.failed} failed in ${seconds.toFixed(1)} s, ${figures}`,
  );
});

async function importFile(site: OpenSite, file: SourceFile): Promise<DataLoad> {
  const [user, origin, doctype] = [ADMINISTRATOR, COMMAND_LINE, site.doctypes.get('Row')];
  const choice = { mode: 'Insert', mapping: {}, choices: {}, onError: 'good' } as const;
  const request = { ...choice, hooks: true, webhooks: true };
  const head = await inspectFile(file, importTargets(user, site.doctypes, doctype), request);
  const load = newImport(file, 'Row', planImport(doctype, head, request), request);
  const name = await unitOfWork(site, user, (ctx) => createLoad(ctx, { ...load, status: 'Running' }), origin);
  return runImport({ site, load: await readLoad(site.database.reader, name), file, user, origin });
}
