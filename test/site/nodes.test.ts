/** Several nodes on one PostgreSQL database. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { announceNode } from '../../src/site/nodes.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { startTestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const PERMISSIONS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const secretKey = Buffer.alloc(32, 7).toString('base64');
const root = mkdtempSync(join(tmpdir(), 'chancery-nodes-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('another node on the same database sees a new doctype', async () => {
  const first = await startTestSite('postgres', { config: { secretKey } });
  const data = join(root, 'second');
  const second = await openSite({ ...first.site.config, data }, { apps: [] });
  try {
    const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
    const body = { name: 'Shared', module: 'Test', fields, permissions: PERMISSIONS };
    assert.equal((await first.request('POST', '/api/resource/DocType', { body })).status, 200);
    const shared = await until(() => second.doctypes.find('Shared'));
    assert.equal(shared?.fieldByName.has('title'), true);
    assert.equal(second.doctypes.version, first.site.doctypes.version);
  } finally {
    await second.close();
    await first.stop();
  }
});

test('a heartbeat notes that the files are in use, so that a standby is never far behind', async () => {
  const { site, stop } = await startTestSite('postgres');
  const used = sql`select "value" from "_setting" where "key" = 'files_used'`;
  const read = async () => Number((await site.database.reader.get(used))?.['value']);
  try {
    const last = await read();
    const yesterday = last - 24 * 60 * 60_000;
    await site.database.transaction((db) =>
      db.run(sql`update "_setting" set "value" = ${String(yesterday)} where "key" = 'files_used'`),
    );
    const { stop: leave } = await announceNode(site, 1);
    await leave();
    assert.ok((await read()) >= last);
  } finally {
    await stop();
  }
});

test('nodes that start at once on an empty database create one site', async () => {
  const database = await freshDatabaseUrl('postgres');
  const open = (name: string) =>
    openSite(
      {
        ...DEFAULT_CONFIG,
        database: database.url,
        data: join(root, name),
        files: join(root, 'files'),
        secretKey,
      },
      { apps: [] },
    );
  const starts = await Promise.allSettled([open('a'), open('b'), open('c')]);
  const sites = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
    const made = sites.filter((site) => site.firstStart !== null);
    assert.equal(made.length, 1, 'one of them made the credentials');
    const header = `token ${made[0]?.firstStart?.apiKey}`;
    for (const site of sites)
      assert.equal((await site.authenticator.fromHeader(header)).name, 'Administrator');
  } finally {
    for (const site of sites) await site.close();
    await database.drop();
  }
});

test('a node with another secret key is refused', async () => {
  const database = await freshDatabaseUrl('postgres');
  const config = { ...DEFAULT_CONFIG, database: database.url };
  const first = await openSite({ ...config, data: join(root, 'first-key') }, { apps: [] });
  await assert.rejects(
    openSite({ ...config, data: join(root, 'other-key') }, { apps: [] }),
    /secrets is missing/,
  );
  await first.close();
  await database.drop();
});
