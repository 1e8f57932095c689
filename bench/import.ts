/**
 * `npm run bench:import [-- --rows 100000 --engine sqlite|postgres]`
 *
 * Loads NDJSON of documents with 40 columns.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { sourceFile } from '../src/cli/source-file.ts';
import { ndjsonSource } from '../src/load/ndjson-source.ts';
import { runLoad } from '../src/load/run-load.ts';
import { storeApplier } from '../src/load/store/store-applier.ts';
import { newLoad, storeOptions } from '../test/support/load.ts';
import { measured, withImportSite } from './import-site.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    engine: { type: 'string', default: 'sqlite' },
  },
});
const rows = Number(flags.rows);
const engine = flags.engine === 'postgres' ? 'postgres' : 'sqlite';

const TYPES = ['Data', 'Int', 'Float', 'Date', 'Datetime', 'Small Text', 'Check', 'Currency'];
const FIELDS = Array.from({ length: 39 }, (_, index) => ({
  fieldname: `f${index}`,
  label: `F ${index}`,
  fieldtype: TYPES[index % TYPES.length] ?? 'Data',
}));
const DOCTYPE = {
  name: 'Row',
  autoname: 'ROW-.########',
  fields: [...FIELDS, { fieldname: 'next', label: 'Next', fieldtype: 'Link', options: 'Row' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
};

function fieldValue(fieldtype: string, row: number): string | number {
  switch (fieldtype) {
    case 'Int':
      return row;
    case 'Float':
      return row / 8;
    case 'Currency':
      return row * 1.25;
    case 'Date':
      return '2026-03-04';
    case 'Datetime':
      return '2026-03-04 05:06:07.000000';
    case 'Check':
      return row % 2;
    default:
      return `text of row ${row}`;
  }
}

function* lines(): Generator<string> {
  const name = (row: number) => `ROW-${String(row).padStart(8, '0')}`;
  for (let row = 1; row <= rows; row += 1) {
    const doc: Record<string, unknown> = {
      doctype: 'Row',
      name: name(row),
      owner: 'jane@example.com',
      creation: '2020-01-02 03:04:05.000000',
      modified: '2021-01-02 03:04:05.000000',
      next: name(1 + ((row * 7_919) % rows)),
    };
    for (const { fieldname, fieldtype } of FIELDS) doc[fieldname] = fieldValue(fieldtype, row);
    yield `${JSON.stringify(doc)}\n`;
  }
}

const make = async (folder: string) => {
  const file = join(folder, 'rows.ndjson');
  await pipeline(lines, createWriteStream(file));
  return file;
};

await withImportSite(engine, { doctypes: [DOCTYPE] }, make, async ({ site }, file) => {
  const options = storeOptions(site);
  const load = await newLoad(site, options);
  const source = ndjsonSource(await sourceFile(file));
  const began = performance.now();
  let applied = began;
  const { result, seconds, figures } = await measured(() =>
    runLoad({
      ...{ site, load, source, applier: storeApplier(options) },
      onProgress: ({ done }) => {
        if (done >= rows) applied = performance.now();
      },
    }),
  );
  const storing = (applied - began) / 1_000;
  console.log(
    `${engine}: ${result.counts.inserted} documents in ${seconds.toFixed(1)} s ` +
      `(${storing.toFixed(1)} s storing, ` +
      `${(seconds - storing).toFixed(1)} s checking links), ${figures}, ${result.brokenLinks} broken links`,
  );
});
