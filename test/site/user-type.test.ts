/** Sites of earlier versions stored the `user_type` of requests: a plan lists the changes, a start makes them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { planSite } from '../../src/site/schema/migration/plan-site.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';

const NOTES = [
  'These users become Website Users and lose the rights of Desk User: none of their roles has desk access: api@example.com, portal@example.com',
  'These users become System Users and get the rights of Desk User: one of their roles has desk access: clerk@example.com',
];

describeEitherEngine('user types of earlier versions', (engine) => {
  const undo: (() => unknown)[] = [];
  after(async () => {
    for (const step of undo) await step();
  });

  test('a plan lists the users whose rights change, and the next start changes them once', async () => {
    const { url, drop } = await freshDatabaseUrl(engine);
    const data = mkdtempSync(join(tmpdir(), 'chancery-user-type-'));
    undo.push(drop, () => rmSync(data, { recursive: true, force: true }));
    const secretKey = Buffer.alloc(32, 7).toString('base64');
    const config = { ...DEFAULT_CONFIG, data, database: url, secretKey, apps: [] };

    const old = await openSite(config, { apps: [] });
    await unitOfWork(old, ADMINISTRATOR, async (ctx) => {
      await createDocument(ctx, 'Role', { role_name: 'Clerk' });
      for (const [name, role] of [['api'], ['portal', 'All'], ['clerk', 'Clerk']]) {
        const roles = role === undefined ? [] : [{ role }];
        await createDocument(ctx, 'User', { email: `${name}@example.com`, first_name: name, roles });
      }
    });
    await old.database.transaction(async (db) => {
      await db.run(sql`update "User" set "user_type" = 'System User' where "name" <> 'Guest'`);
      await db.run(sql`update "User" set "user_type" = 'Website User' where "name" = 'clerk@example.com'`);
      await db.run(sql`update "_setting" set "value" = '1' where "key" like 'app:%'`);
    });
    await old.close();
    assert.deepEqual((await planSite(config, [])).notes, NOTES);

    const warnings: string[] = [];
    const site = await openSite(config, {
      apps: [],
      observe: (observation) => {
        if (observation.kind === 'warning') warnings.push(observation.message);
      },
    });
    undo.unshift(() => site.close());
    assert.deepEqual(
      warnings.filter((message) => message.startsWith('These users')),
      NOTES,
    );
    const users = await site.database.reader.all(sql`select "name", "user_type" from "User" order by "name"`);
    assert.deepEqual(
      new Map(users.map(({ name, user_type }) => [name, user_type])),
      new Map([
        ['Administrator', 'System User'],
        ['Guest', 'Website User'],
        ['api@example.com', 'Website User'],
        ['clerk@example.com', 'System User'],
        ['portal@example.com', 'Website User'],
      ]),
    );
    assert.deepEqual((await planSite(config, [])).notes, []);
  });
});
