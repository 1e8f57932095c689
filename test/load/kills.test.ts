/** A load is killed again and again: nothing is stored twice, and nothing is missing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { readLoad } from '../../src/load/data-load.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { newLoad, storeOptions } from '../support/load.ts';
import { ENGINES } from '../support/postgres.ts';
import { siteDatabase } from '../support/site-database.ts';
import { someOf } from '../support/some-of.ts';

/** CI's share; a run by hand sets it higher. */
const KILLS = Number(process.env['CHANCERY_TEST_KILLS'] ?? 3);
/** Records between two kills, about. */
const STEP = 60;
const RECORDS = (KILLS + 2) * STEP;
const CHILD = fileURLToPath(new URL('killed-load.ts', import.meta.url));

const DOCTYPES = [
  { name: 'Kill Row', istable: 1, fields: [{ fieldname: 'qty', label: 'Qty', fieldtype: 'Int' }] },
  {
    name: 'Kill',
    autoname: 'KILL-.#####',
    fields: [
      { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
      { fieldname: 'rows', label: 'Rows', fieldtype: 'Table', options: 'Kill Row' },
    ],
  },
];

const lines = Array.from({ length: RECORDS }, (_, index) =>
  JSON.stringify({
    ...{ doctype: 'Kill', name: `KILL-${String(index + 1).padStart(5, '0')}`, title: `t${index}` },
    // Without names, so that a second insertion would succeed.
    rows: [{ qty: 1 }, { qty: 2 }],
  }),
);

for (const engine of someOf(ENGINES, ENGINES.length, 'kills of a load'.length)) {
  test(`${KILLS} kills of a load on ${engine}`, { timeout: 120_000 + 20_000 * KILLS }, async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-kills-'));
    const database = await siteDatabase(engine, data);
    const config = {
      ...DEFAULT_CONFIG,
      apps: [],
      data,
      database: database.url,
      adminPassword: 'admin-password',
    };
    const file = join(data, 'kills.ndjson');
    await writeFile(file, lines.join('\n'));
    const inSite = async <T>(work: (site: OpenSite) => Promise<T>) => {
      const site = await openSite(config);
      return work(site).finally(() => site.close());
    };
    try {
      const load = await inSite(async (site) => {
        await unitOfWork(site, ADMINISTRATOR, (ctx) => site.loadDoctypes(ctx, DOCTYPES));
        return newLoad(site, storeOptions(site));
      });
      let killed = 0;
      for (let run = 0; run <= KILLS; run += 1) {
        const records = run < KILLS ? STEP - 20 : RECORDS;
        const words = [JSON.stringify(config), load, file, String(records), String(run % 7)];
        const child = spawn(process.execPath, ['--conditions=source', CHILD, ...words], { stdio: 'inherit' });
        const [code, signal] = await once(child, 'exit');
        if (signal === 'SIGKILL') killed += 1;
        else assert.deepEqual([run, code], [KILLS, 0]);
      }
      assert.equal(killed, KILLS);
      await inSite(async (site) => {
        const { status, counts } = await readLoad(site.database.reader, load);
        assert.deepEqual([status, counts.inserted, counts.failed], ['Done', RECORDS, 0]);
        const row = await site.database.reader.get(
          sql`select (select count(*) from "Kill") as "documents", (select count(*) from "Kill Row") as "rows",
              (select count(*) from "_load_row" where "load" = ${load}) as "entries",
              (select "current" from "_series" where "key" = 'KILL-') as "series"`,
        );
        const found = Object.fromEntries(
          Object.entries(row ?? {}).map(([key, value]) => [key, Number(value)]),
        );
        assert.deepEqual(found, { documents: RECORDS, rows: 2 * RECORDS, entries: RECORDS, series: RECORDS });
      });
    } finally {
      await database.drop();
      await rm(data, { recursive: true, force: true });
    }
  });
}
