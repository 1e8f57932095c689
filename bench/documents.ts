/**
 * `npm run bench:documents`: what large documents and many creations at once take over HTTP, on both engines.
 * Client and server share a process here, so the figures are upper bounds. Milliseconds, median of three.
 * `--json FILE` writes the results.
 */
import { parseArgs } from 'node:util';
import { ENGINES, startTestSite, type TestSite } from '../test/support/site.ts';
import { median } from './load.ts';
import { report } from './results.ts';

const { values: flags } = parseArgs({ options: { json: { type: 'string' } } });
const ROWS = 10_000;
const CREATIONS = 1_000;
const RUNS = 3;
const EVERYTHING = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];

interface Sheet {
  readonly name: string;
  readonly rows: { qty: number }[];
}

const rows = Array.from({ length: ROWS }, (_, index) => ({
  item: `item ${index}`,
  qty: index,
  rate: index / 4,
}));

/** Milliseconds of each run, of each engine, by what was done. */
const times = new Map<string, number[][]>();
for (const [column, engine] of ENGINES.entries()) {
  const site = await startTestSite(engine);
  try {
    await define(site);
    for (let run = 0; run < RUNS; run += 1) await measureOnce(site, column);
  } finally {
    await site.stop();
  }
}
report(
  {
    title: `Milliseconds, median of ${RUNS} runs`,
    head: ['', ...ENGINES],
    rows: [...times].map(([what, took]) => [what, ...took.map((runs) => median(runs, (each) => each))]),
  },
  flags.json,
);

async function measureOnce(site: TestSite, column: number): Promise<void> {
  async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work();
    const columns = times.get(what) ?? ENGINES.map(() => []);
    columns[column]?.push(performance.now() - started);
    times.set(what, columns);
    return result;
  }
  const made = await timed(`a document with ${ROWS} child rows: create`, () =>
    send(site, 'POST', '/api/resource/Sheet', { title: 'a', rows }),
  );
  const path = `/api/resource/Sheet/${made.name}`;
  const read = await timed('read it', () => send(site, 'GET', path));
  const changed = read.rows.map((row) => ({ ...row, qty: row.qty + 1 }));
  const saved = await timed('update all rows', () => send(site, 'PUT', path, { rows: changed }));
  const [first, ...rest] = saved.rows;
  await timed('update one row', () => send(site, 'PUT', path, { rows: [{ ...first, qty: -7 }, ...rest] }));
  const names = await timed(`${CREATIONS} documents of one series created at once`, () =>
    Promise.all(Array.from({ length: CREATIONS }, () => send(site, 'POST', '/api/resource/Sheet', {}))),
  );
  const distinct = new Set(names.map((doc) => doc.name)).size;
  if (distinct !== CREATIONS) throw new Error(`${CREATIONS - distinct} names were given twice`);
}

async function send(site: TestSite, method: string, path: string, body?: unknown): Promise<Sheet> {
  const reply = await site.request(method, path, body === undefined ? {} : { body });
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`);
  return reply.body.data;
}

async function define(site: TestSite): Promise<void> {
  const types = [
    {
      name: 'Sheet Row',
      istable: 1,
      fields: [
        { fieldname: 'item', fieldtype: 'Data', reqd: 1 },
        { fieldname: 'qty', fieldtype: 'Int' },
        { fieldname: 'rate', fieldtype: 'Currency' },
      ],
    },
    {
      name: 'Sheet',
      autoname: 'SH-.#####',
      fields: [
        { fieldname: 'title', fieldtype: 'Data' },
        { fieldname: 'rows', fieldtype: 'Table', options: 'Sheet Row' },
      ],
      permissions: EVERYTHING,
    },
  ];
  for (const type of types) await send(site, 'POST', '/api/resource/DocType', { module: 'Bench', ...type });
}
