/**
 * `npm run bench:permissions [-- --rows 20000 --runs 5 --engine postgres --json FILE]`
 *
 * What permission costs: the same get and the same list of 20 documents for users whom different rules let
 * in, in microseconds for each, and as a ratio to Administrator's, who passes every check. The verbs are
 * called without HTTP, one after the other, so that nothing but the rule makes the difference. SQLite works in
 * this process, so its figures are CPU time. PostgreSQL's are elapsed time.
 */
import { parseArgs } from 'node:util';
import { loadUser } from '../src/access/load-user.ts';
import { ADMINISTRATOR, type CurrentUser } from '../src/access/user.ts';
import { ident, sql } from '../src/db/sql.ts';
import { readContext } from '../src/document/context.ts';
import { listDocumentsText } from '../src/document/list/list.ts';
import { createDocument } from '../src/document/verbs/create.ts';
import { readDocument } from '../src/document/verbs/read.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { defineApp, defineController } from '../src/site/app.ts';
import { startTestSite, type TestSite } from '../test/support/site.ts';
import { report } from './results.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    runs: { type: 'string', default: '5' },
    engine: { type: 'string', default: 'sqlite' },
    json: { type: 'string' },
  },
});
const ROWS = Number(flags.rows);
const RUNS = Number(flags.runs);
/** Calls in one run. */
const CALLS = 500;
/** Regions of the documents; a User Permission names one. */
const REGIONS = 200;

const app = defineApp({
  name: 'bench',
  controllers: { Hooked: defineController({ rowFilter: () => sql`${ident('status')} <> 'Gone'` }) },
});

const site = await startTestSite(flags.engine === 'postgres' ? 'postgres' : 'sqlite', { apps: [app] });
try {
  await define(site);
  await fill(site);
  const all = await askers(site);
  const costs = all.map((): Cost => ({ get: 0, list: 0 }));
  // In turn, so that what else the machine does meets them all.
  for (let run = 0; run <= RUNS; run += 1) {
    for (const [index, asker] of all.entries()) {
      const { get, list } = await measureFor(site, asker);
      const before = costs[index];
      // The first one warms up.
      if (before && run > 0) costs[index] = { get: before.get + get / RUNS, list: before.list + list / RUNS };
    }
  }
  const [first = { get: 1, list: 1 }] = costs;
  const rows = costs.map(({ get, list }, index) => [
    all[index]?.rule ?? '',
    ...[get, get / first.get, list, list / first.list],
  ]);
  const title = `${flags.engine}, ${ROWS} documents, mean of ${RUNS} runs of ${CALLS} calls`;
  report({ title, head: ['rule', 'get us', 'ratio', 'list us', 'ratio'], rows }, flags.json);
} finally {
  await site.stop();
}

interface Asker {
  readonly rule: string;
  readonly user: CurrentUser;
  readonly doctype: string;
}

/** Microseconds for one. */
interface Cost {
  readonly get: number;
  readonly list: number;
}

async function measureFor({ site }: TestSite, { user, doctype }: Asker): Promise<Cost> {
  const list = (length: number, fields: readonly string[]) =>
    listDocumentsText(readContext(site, user), doctype, { fields, limit_page_length: length });
  const fields = ['name', 'title', 'status', 'region', 'modified'];
  const names: { name: string }[] = JSON.parse(String(await list(100, ['name'])));
  if (names.length < 20) throw new Error(`${user.name} finds only ${names.length} documents`);
  const nameAt = (index: number) => names[index % names.length]?.name ?? '';
  const get = await timed((index) => readDocument(readContext(site, user), doctype, nameAt(index)));
  return { get, list: await timed(() => list(20, fields)) };
}

async function timed(work: (index: number) => Promise<unknown>): Promise<number> {
  const started = micros();
  for (let index = 0; index < CALLS; index += 1) await work(index);
  return (micros() - started) / CALLS;
}

function micros(): number {
  if (flags.engine === 'postgres') return performance.now() * 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function define({ site }: TestSite): Promise<void> {
  const fields = [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'status', fieldtype: 'Data' },
    { fieldname: 'region', fieldtype: 'Link', options: 'Region' },
  ];
  const permissions = [
    { role: 'Reader', read: 1 },
    { role: 'Owner', read: 1, create: 1, if_owner: 1 },
  ];
  await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    for (const role_name of ['Reader', 'Owner']) await createDocument(ctx, 'Role', { role_name });
    const region = { name: 'Region', autoname: 'field:title', fields: fields.slice(0, 1) };
    const regional = [{ role: 'All', read: 1 }];
    await createDocument(ctx, 'DocType', { module: 'Bench', ...region, permissions: regional });
  });
  for (const name of ['Case', 'Hooked']) {
    await unitOfWork(site, ADMINISTRATOR, (ctx) =>
      createDocument(ctx, 'DocType', { module: 'Bench', name, autoname: 'hash', fields, permissions }),
    );
  }
}

async function fill({ site, createUser }: TestSite): Promise<void> {
  await createUser('reader@example.com', ['Reader']);
  await createUser('owner@example.com', ['Owner']);
  await createUser('one@example.com', ['Reader']);
  await createUser('hundred@example.com', ['Reader']);
  await createUser('shared@example.com', []);
  const regions = Array.from({ length: REGIONS }, (_, index) => `Region ${index}`);
  await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    for (const title of regions) await createDocument(ctx, 'Region', { title });
    for (const [user, count] of [
      ['one@example.com', 1],
      ['hundred@example.com', 100],
    ] as const) {
      for (const for_value of regions.slice(0, count)) {
        await createDocument(ctx, 'User Permission', { user, allow: 'Region', for_value });
      }
    }
  });
  const owner = await userNamed({ site }, 'owner@example.com');
  for (const doctype of ['Case', 'Hooked']) {
    for (let start = 0; start < ROWS; start += 1000) {
      const names: string[] = [];
      await unitOfWork(site, owner, async (ctx) => {
        for (let index = start; index < Math.min(start + 1000, ROWS); index += 1) {
          const fields = { title: `Case ${index}`, status: 'Open', region: regions[index % REGIONS] };
          names.push((await createDocument(ctx, doctype, fields)).name);
        }
      });
      if (start > 0 || doctype !== 'Case') continue;
      await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
        for (const share_name of names.slice(0, 100)) {
          const share = { share_doctype: doctype, share_name, user: 'shared@example.com', read: 1 };
          await createDocument(ctx, 'DocShare', share);
        }
      });
    }
  }
  // What a database does by itself within a minute; without it the first queries are planned blindly.
  await site.database.transaction((connection) => connection.run({ text: 'analyze', values: [] }));
}

async function askers(at: TestSite): Promise<readonly Asker[]> {
  const as = async (rule: string, name: string, doctype = 'Case'): Promise<Asker> => ({
    rule,
    user: await userNamed(at, `${name}@example.com`),
    doctype,
  });
  return [
    { rule: 'Administrator', user: ADMINISTRATOR, doctype: 'Case' },
    await as('a role', 'reader'),
    await as('a role with if_owner', 'owner'),
    await as('a role and 1 User Permission', 'one'),
    await as('a role and 100 User Permissions', 'hundred'),
    await as('100 shares', 'shared'),
    await as('a role and the rowFilter of a controller', 'reader', 'Hooked'),
  ];
}

async function userNamed({ site }: Pick<TestSite, 'site'>, name: string): Promise<CurrentUser> {
  const user = await loadUser(site.database.reader, name, false);
  if (!user) throw new Error(`there is no user ${name}`);
  return user;
}
