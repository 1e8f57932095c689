import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, beforeEach, test } from 'node:test';
import { newApiKey, storeApiKey } from '../../src/access/api-key.ts';
import { type Authenticator, createAuthenticator } from '../../src/access/authenticate.ts';
import { digestSecret } from '../../src/access/digest.ts';
import {
  endSession,
  endSessionsOf,
  isCsrfToken,
  startSession,
  USUAL_SESSIONS,
} from '../../src/access/session.ts';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { fill, openTables } from '../support/tables.ts';

const user = parseDoctype({
  name: 'User',
  fields: [
    { fieldname: 'enabled', fieldtype: 'Check' },
    { fieldname: 'roles', fieldtype: 'Table', options: 'Has Role' },
  ],
});
const role = parseDoctype({
  name: 'Role',
  fields: ['disabled', 'desk_access'].map((fieldname) => ({ fieldname, fieldtype: 'Check' })),
});
const hasRole = parseDoctype({
  name: 'Has Role',
  istable: 1,
  fields: [{ fieldname: 'role', fieldtype: 'Link', options: 'Role' }],
});

const [userPermission, docShare] = ['user_permission', 'docshare'].map((file) => {
  const path = new URL(`../../src/standard/doctypes/${file}.json`, import.meta.url);
  return parseDoctype(JSON.parse(readFileSync(path, 'utf8')));
});
assert.ok(userPermission && docShare);
const TABLES = [user, role, hasRole, userPermission, docShare];

const ANN = 'ann@example.com';
const SECRET = 'correct:horse';
const GOOD = `token annkey:${SECRET}`;
const SECOND = 1_000_000;

describeEitherEngine('access authentication', (engine) => {
  const tables = useStarted(() => openTables(engine, TABLES));
  let authenticator: Authenticator;
  let now = 0;
  const clock = { micros: () => now };
  const run = (statement: Sql) => tables.database.transaction((connection) => connection.run(statement));

  before(async () => {
    await migrateSystemTables(tables.database, SYSTEM_STEPS);
  });
  beforeEach(async () => {
    now = 1_800_000_000 * SECOND;
    authenticator = createAuthenticator({
      database: tables.database,
      clock,
      strictUserPermissions: () => false,
    });
    await tables.database.transaction(async (connection) => {
      await connection.run(sql`delete from "_api_key"`);
      await connection.run(sql`delete from "_session"`);
      await fill(connection, user, [
        { name: ANN, enabled: 1 },
        { name: 'off@example.com', enabled: 0 },
        { name: 'bare@example.com', enabled: 1 },
      ]);
      await fill(connection, role, [
        { name: 'Clerk', disabled: 0 },
        { name: 'Retired', disabled: 1, desk_access: 1 },
        { name: 'Spare', disabled: 0, desk_access: 1 },
      ]);
      const row = (name: string, of: string, roleName: string, parenttype = 'User') => ({
        name,
        parent: of,
        parenttype,
        parentfield: 'roles',
        role: roleName,
      });
      await fill(connection, hasRole, [
        row('1', ANN, 'Clerk'),
        row('2', ANN, 'Retired'),
        row('3', ANN, 'Spare', 'Page'),
        row('4', 'off@example.com', 'Clerk'),
      ]);
      const creation = '2026-01-01 00:00:00.000000';
      await storeApiKey(connection, { key: 'annkey', secret: SECRET, user: ANN, label: '', creation });
      await storeApiKey(connection, {
        key: 'barekey',
        secret: 's',
        user: 'bare@example.com',
        label: '',
        creation,
      });
      await storeApiKey(connection, {
        key: 'offkey',
        secret: 's',
        user: 'off@example.com',
        label: '',
        creation,
      });
      await storeApiKey(connection, {
        key: 'lostkey',
        secret: 's',
        user: 'nobody@example.com',
        label: '',
        creation,
      });
    });
  });

  async function refuses(header: string): Promise<void> {
    await assert.rejects(authenticator.fromHeader(header), (error: unknown) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual(
        [error.status, error.type, error.message],
        [401, 'AuthenticationError', 'Invalid credentials'],
      );
      return true;
    });
  }

  const basic = (text: string) => Buffer.from(text).toString('base64');

  test('a key names its user, with the roles that are enabled', async () => {
    for (const header of [
      GOOD,
      `Token annkey:${SECRET}`,
      `  TOKEN   annkey:${SECRET} `,
      `Basic ${basic(`annkey:${SECRET}`)}`,
      `basic ${basic(`annkey:${SECRET}`)}`,
    ]) {
      const found = await authenticator.fromHeader(header);
      assert.equal(found.name, ANN);
      assert.deepEqual(found.roles, new Set(['Guest', 'All', 'Clerk']));
      assert.equal(found.isAdministrator, false);
    }
    assert.deepEqual((await authenticator.fromHeader('token barekey:s')).roles, new Set(['Guest', 'All']));
  });

  test('a role with access to the desk gives Desk User', async () => {
    await run(sql`update "Role" set "desk_access" = 1 where "name" = 'Clerk'`);
    assert.deepEqual(
      (await authenticator.fromHeader(GOOD)).roles,
      new Set(['Guest', 'All', 'Desk User', 'Clerk']),
    );
    await run(sql`update "Role" set "desk_access" = 0 where "name" = 'Clerk'`);
    authenticator.forget();
    assert.deepEqual((await authenticator.fromHeader(GOOD)).roles, new Set(['Guest', 'All', 'Clerk']));
  });

  test('everything else is refused alike', async () => {
    const bad = [
      'token annkey:wrong',
      `token annkey:${SECRET}x`,
      'token annkey:',
      'token annkey',
      'token :',
      'token',
      `token ${ANN}:${SECRET}`,
      'token unknown:s',
      'token offkey:s',
      'token lostkey:s',
      `Bearer annkey:${SECRET}`,
      `bearer ${SECRET}`,
      'Basic !!!',
      `Basic ${basic('annkey')}`,
      `Basic ${basic(`annkey:wrong`)}`,
      `annkey:${SECRET}`,
      'token annkey: correct',
      'x',
      `token annkey:${digestSecret(SECRET)}`,
      "token ' or 1=1 --:x",
      `Basic ${basic('a\0b:c')}`,
      'token \u0000:x',
      `token ${'k'.repeat(10_000)}:s`,
    ];
    for (const header of bad) await refuses(header);
  });

  test('a blank header is Guest', async () => {
    assert.equal((await authenticator.fromHeader(' ')).isGuest, true);
  });

  test('the secret is nowhere in the database', async () => {
    const rows = await tables.database.reader.all(sql`select * from "_api_key"`);
    assert.ok(!JSON.stringify(rows).includes(SECRET));
  });

  test('a revoked key works no longer once forgotten here, nor after a second elsewhere', async () => {
    await authenticator.fromHeader(GOOD);
    await run(sql`update "_api_key" set "enabled" = 0`);
    now += SECOND - 1;
    await authenticator.fromHeader(GOOD);
    now += 1;
    await refuses(GOOD);
    await run(sql`update "_api_key" set "enabled" = 1`);
    await authenticator.fromHeader(GOOD);
    await run(sql`delete from "_api_key"`);
    authenticator.forget();
    await refuses(GOOD);
  });

  test('a disabled user and a changed role show at once after forgetting, and the user object stays while nothing changes', async () => {
    const first = await authenticator.fromHeader(GOOD);
    now += SECOND;
    assert.equal(await authenticator.fromHeader(GOOD), first);
    await run(sql`update "Role" set "disabled" = 1`);
    authenticator.forget();
    assert.deepEqual((await authenticator.fromHeader(GOOD)).roles, new Set(['Guest', 'All']));
    await run(sql`update "User" set "enabled" = 0`);
    authenticator.forget();
    await refuses(GOOD);
  });

  test('storing a key again replaces its secret', async () => {
    const { secret } = newApiKey(systemRandom());
    await tables.database.transaction((connection) =>
      storeApiKey(connection, {
        key: 'annkey',
        secret,
        user: ANN,
        label: 'new',
        creation: '2026-01-01 00:00:00.000000',
      }),
    );
    await refuses(GOOD);
    assert.equal((await authenticator.fromHeader(`token annkey:${secret}`)).name, ANN);
  });

  const start = () => tables.database.transaction((connection) => startSession(connection, clock, ANN));

  test('a session names its user until it is ended', async () => {
    const { sid, csrfToken } = await start();
    assert.match(sid, /^[0-9a-f]{64}$/);
    const found = await authenticator.fromSession(sid);
    assert.equal(found?.user.name, ANN);
    assert.ok(found && isCsrfToken(csrfToken, found.csrfToken) && !isCsrfToken('other', found.csrfToken));
    assert.ok(!JSON.stringify(await tables.database.reader.all(sql`select * from "_session"`)).includes(sid));
    assert.equal(await authenticator.fromSession('unknown'), null);
    await tables.database.transaction((connection) => endSession(connection, sid));
    authenticator.forget();
    assert.equal(await authenticator.fromSession(sid), null);
  });

  test('a session ends after a day without use, and after thirty days in any case', async () => {
    const { sid } = await start();
    for (let used = 0; used < USUAL_SESSIONS.life; used += USUAL_SESSIONS.idle - 1000) {
      assert.ok(await authenticator.fromSession(sid), `at ${used} ms`);
      now += (USUAL_SESSIONS.idle - 1000) * 1000;
    }
    assert.equal(await authenticator.fromSession(sid), null);
    const other = await start();
    now += USUAL_SESSIONS.idle * 1000;
    assert.equal(await authenticator.fromSession(other.sid), null);
    const [row] = await tables.database.reader.all(sql`select count(*) as "count" from "_session"`);
    assert.equal(row?.['count'], 1, 'starting a session cleared the ended one');
  });

  test('all sessions of a user end together, and a disabled user has none', async () => {
    const one = await start();
    const two = await start();
    await run(sql`update "User" set "enabled" = 0`);
    assert.equal(await authenticator.fromSession(one.sid), null);
    await run(sql`update "User" set "enabled" = 1`);
    assert.ok(await authenticator.fromSession(two.sid));
    await tables.database.transaction((connection) => endSessionsOf(connection, ANN));
    authenticator.forget();
    assert.equal(await authenticator.fromSession(one.sid), null);
    assert.equal(await authenticator.fromSession(two.sid), null);
  });
});
