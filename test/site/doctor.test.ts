import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { describeTable } from '../../src/db/describe.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { countDocuments, listDocuments } from '../../src/document/list/list.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import type { Finding } from '../../src/site/doctor/finding.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { engineOf } from '../support/describe-site.ts';
import { type Engine, freshDatabaseUrl } from '../support/postgres.ts';

const PART = {
  name: 'Part',
  fields: [
    { fieldname: 'kind', fieldtype: 'Data' },
    { fieldname: 'weight', fieldtype: 'Float' },
    { fieldname: 'note', fieldtype: 'Text' },
  ],
};

for (const engine of engineOf('doctor')) {
  test(`${engine}: doctor names the index for a slow query`, async () => {
    const config = await freshConfig(engine);
    let site = await openSite(config, { apps: [] });
    await unitOfWork(site, ADMINISTRATOR, async (ctx) => createDocument(ctx, 'DocType', PART));
    await site.database.transaction((db) =>
      db.run(sql`insert into "Part" ("name", "creation", "modified", "kind", "note")
        select 'p' || a.i || '-' || b.i, '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000', 'k' || (a.i % 7), 'n'
        from ${numbers(engine)} a, ${numbers(engine)} b`),
    );
    // Beside the running server, which has listed nothing yet.
    assert.deepEqual(about(await examineSite(config, []), 'slow queries'), [['ok', undefined]]);
    const ctx = readContext(site, ADMINISTRATOR);
    for (const kind of ['k1', 'a secret value']) {
      await listDocuments(ctx, 'Part', { filters: { kind }, order_by: 'weight desc' });
    }
    await countDocuments(ctx, 'Part', { filters: [['note', 'like', '%nothing%']] });
    await site.close();

    const [advice, ...others] = (await examineSite(config, [])).filter(
      ({ check }) => check === 'slow queries',
    );
    assert.deepEqual(others, []);
    assert.equal(advice?.state, 'advice');
    assert.deepEqual(advice.index?.fields, ['kind', 'weight']);
    assert.equal(advice.index?.count, 2);
    assert.equal(advice.remedy, 'in the DocType Part: "indexes": [["kind","weight"]]');
    assert.ok(!JSON.stringify(advice).includes('secret value'));

    site = await openSite(config, { apps: [] });
    const indexes = advice.index?.indexes;
    await unitOfWork(site, ADMINISTRATOR, async (unit) =>
      updateDocument(unit, 'DocType', 'Part', { indexes }),
    );
    const table = await describeTable(site.database.reader, 'Part');
    assert.ok(table?.indexes.some(({ columns }) => columns.join() === 'kind,weight,name'));
    await site.close();
    assert.deepEqual(about(await examineSite(config, []), 'slow queries'), [['ok', undefined]]);
  });

  test(`${engine}: doctor finds missing parts and exits with 1`, async () => {
    const config = await freshConfig(engine);
    const site = await openSite(config, { apps: [] });
    const healthy = await examineSite(config, []);
    // The servers of tests may run without fsync, for speed.
    const states = healthy.filter(({ check }) => check !== 'disk space' && check !== 'durability');
    assert.deepEqual(new Set(states.map(({ state }) => state)), new Set(['ok']));
    assert.ok(healthy.some(({ check }) => check === 'durability'));
    assert.ok(healthy.some(({ check }) => check === 'disk space'));

    const users = await describeTable(site.database.reader, 'User');
    const [index] = users?.indexes.filter(({ columns }) => columns[0] === 'modified') ?? [];
    assert.ok(index);
    await site.database.transaction(async (db) => {
      await db.run(sql`drop index ${ident(index.name)}`);
      await db.run(sql`insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype", "reference_document",
        "user", "order_key", "due_at", "creation", "modified") values ('d', 'w', 'e', 'T', 't', 'u', 'o', 1,
        '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000')`);
    });
    await site.close();
    await rm(join(config.data, 'secret.key'));
    const findings = await examineSite(config, []);
    assert.deepEqual(about(findings, 'indexes'), [
      ['problem', 'stop the server and run chancery migrate --plan'],
    ]);
    assert.equal(about(findings, 'secret key')[0]?.[0], 'problem');
    assert.equal(about(findings, 'webhooks')[0]?.[0], 'problem');
  });

  test(`${engine}: doctor reports the tables of an older version and leaves their contents alone`, async () => {
    const config = await freshConfig(engine);
    const site = await openSite(config, { apps: [] });
    await site.database.transaction(async (db) => {
      await db.run(sql`alter table "Custom Field" drop column "enforce_on_server"`);
      await db.run(sql`update "_setting" set "value" = 'older' where "key" = 'app:standard'`);
    });
    await site.close();
    assert.deepEqual(about(await examineSite(config, []), 'tables'), [
      ['problem', 'start the server once, or run chancery migrate'],
    ]);
    await (await openSite(config, { apps: [] })).close();
    assert.deepEqual(about(await examineSite(config, []), 'tables'), [['ok', undefined]]);
  });
}

test('without a site doctor checks nothing and creates nothing', async () => {
  const config = await freshConfig('sqlite');
  await assert.rejects(examineSite(config, []), /There is no site/);
});

function about(findings: readonly Finding[], check: Finding['check']): [string, string | undefined][] {
  return findings.filter((each) => each.check === check).map(({ state, remedy }) => [state, remedy]);
}

function numbers(engine: string) {
  return engine === 'sqlite'
    ? sql`(with recursive s(i) as (select 1 union all select i + 1 from s where i < 200) select i from s)`
    : sql`(select i from generate_series(1, 200) as s(i))`;
}

async function freshConfig(engine: Engine): Promise<Config> {
  const { url, drop } = await freshDatabaseUrl(engine);
  const data = await mkdtemp(join(tmpdir(), 'chancery-doctor-'));
  after(async () => {
    await drop();
    await rm(data, { recursive: true, force: true });
  });
  // Less than any list takes.
  const lists = { ...DEFAULT_CONFIG.lists, slowAfter: Number.MIN_VALUE };
  return { ...DEFAULT_CONFIG, data, database: url, apps: [], lists };
}
