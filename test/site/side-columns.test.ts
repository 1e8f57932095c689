/** Tables made before documents could be tagged get the columns at the next start, apps' and others alike. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { openSite } from '../../src/site/start/open-site.ts';

const MARKS = ['_user_tags', '_assign', '_liked_by'];

test('a start of this version adds the columns of tags, likes and assignments to every table of documents', async () => {
  const data = mkdtempSync(join(tmpdir(), 'chancery-side-'));
  const config = { ...DEFAULT_CONFIG, data, apps: [] };
  const old = await openSite(config);
  await unitOfWork(old, ADMINISTRATOR, (ctx) =>
    createDocument(ctx, 'DocType', { name: 'Older', fields: [{ fieldname: 'a', fieldtype: 'Data' }] }),
  );
  const { name } = await unitOfWork(old, ADMINISTRATOR, (ctx) => createDocument(ctx, 'Older', { a: '1' }));
  await old.database.transaction(async (db) => {
    for (const table of ['Older', 'User']) {
      for (const mark of MARKS) await db.run(sql`alter table ${ident(table)} drop column ${ident(mark)}`);
    }
    await db.run(sql`update "_setting" set "value" = '1' where "key" like 'app:%' or "key" = 'plan_version'`);
  });
  await old.close();

  const site = await openSite(config);
  try {
    const ctx = readContext(site, ADMINISTRATOR);
    assert.equal((await readDocument(ctx, 'Older', name))['a'], '1');
    assert.equal((await readDocument(ctx, 'User', 'Administrator'))['enabled'], 1);
    const row = await site.database.reader.get(sql`select "_user_tags", "_assign", "_liked_by" from "Older"`);
    assert.deepEqual(Object.values(row ?? {}), [null, null, null]);
  } finally {
    await site.close();
    rmSync(data, { recursive: true, force: true });
  }
});
