/**
 * `npm run bench:series [-- --runs 7 --documents 1000 --json FILE]`
 *
 * Creates documents of one series and documents with random names in turns, on a PostgreSQL of its own with fsync on,
 * 32 at once. Units of work in this process, without HTTP. The figure is the rate of the series as a ratio to the rate
 * of random names of the turn before. A first round warms up and does not count.
 */
import { parseArgs } from 'node:util';
import { ADMINISTRATOR } from '../src/access/user.ts';
import { createDocument } from '../src/document/verbs/create.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { startTestSite } from '../test/support/site.ts';
import { quantile } from './load.ts';
import { report } from './results.ts';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    documents: { type: 'string', default: '1000' },
    json: { type: 'string' },
  },
});
const documents = Number(flags.documents);
const AT_ONCE = 32;

const postgres = await startPostgres(DURABLE);
process.env['CHANCERY_TEST_POSTGRES'] = postgres.url;
const doctype = (name: string, autoname: string) => ({
  doctype: 'DocType',
  module: 'Bench',
  name,
  autoname,
  fields: [{ fieldname: 'title', fieldtype: 'Data', label: 'Title' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
});
const { site, stop } = await startTestSite('postgres', {
  doctypes: [doctype('Counted', 'C-.######'), doctype('Random', 'hash')],
});

/** Documents per second. */
async function rateOf(name: string): Promise<number> {
  let left = documents;
  const began = performance.now();
  const createSome = async () => {
    for (; left > 0; ) {
      left -= 1;
      await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, name, { title: 'a title' }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createSome));
  return (1_000 * documents) / (performance.now() - began);
}

try {
  const rates: { readonly random: number; readonly counted: number }[] = [];
  for (let run = 0; run <= Number(flags.runs); run += 1) {
    const rate = { random: await rateOf('Random'), counted: await rateOf('Counted') };
    if (run > 0) rates.push(rate);
  }
  const row = await site.database.reader.get({
    text: `select count(*) as "documents", max("name") as "last" from "Counted"`,
    values: [],
  });
  if (row?.['last'] !== `C-${String(row?.['documents']).padStart(6, '0')}`) throw new Error('there is a gap');
  const cells = (figures: readonly number[]) => [quantile(figures, 0.5), Math.max(...figures)];
  report(
    {
      title: `postgres, ${flags.runs} rounds of ${documents} creations each, ${AT_ONCE} at once`,
      head: ['', 'median', 'best'],
      rows: [
        ['random names, creations/s', ...cells(rates.map(({ random }) => random))],
        ['one series, creations/s', ...cells(rates.map(({ counted }) => counted))],
        ['one series to random names', ...cells(rates.map(({ random, counted }) => counted / random))],
      ],
    },
    flags.json,
  );
} finally {
  await stop();
  await postgres.stop();
}
