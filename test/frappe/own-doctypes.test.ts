/** A backup for a site that has doctypes of its own with the names of the backup's, and documents in them. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import type { ImportReport } from '../../src/frappe/carry/import-backup.ts';
import { chancery, flagsOf } from '../support/command.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { importFolder, makeBackup, ZONE } from './support/backup.ts';
import { DUMPS } from './support/databases.ts';
import { ANA } from './support/secrets.ts';

const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const data = (fieldname: string, fieldtype = 'Data') => ({ fieldname, label: fieldname, fieldtype });
const OWN = [
  {
    ...{ name: 'Customer', autoname: 'prompt', permissions },
    fields: [data('customer_name', 'Small Text'), data('notes', 'Float'), data('loyalty'), data('own')],
  },
  { name: 'Selling Settings', issingle: 1, permissions, fields: [data('default_territory')] },
  { name: 'Stock Tick', issingle: 1, permissions, fields: [data('title')] },
];

describe('an import of a backup into a site with doctypes of the same names', () => {
  let server: TestSite;
  let folder: string;
  let report: ImportReport;

  before(async () => {
    folder = makeBackup(DUMPS['mariadb-dump']);
    server = await startTestSite('sqlite', { config: { timeZone: ZONE }, doctypes: OWN });
    await server.make('Customer', { name: 'CUST-00001', customer_name: 'Mine', own: 'x' });
    await server.did('PUT', 'Selling Settings/Selling Settings', { default_territory: 'Mine' });
  });
  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const loads = () => server.did('GET', 'Data Load');

  test('one of another kind is refused, and the plan says so', async () => {
    const why = /Stock Tick \(it is a single here\)/;
    await assert.rejects(importFolder(server.site, folder, { isKeeping: true }), why);
    const flags = flagsOf(server.site.config);
    const plan = await chancery(folder, ['import', 'frappe', ...backupOf(folder), '--plan', ...flags]);
    assert.equal(plan.code, 0, plan.stderr);
    assert.match(plan.stdout, /^This site has these doctypes already$/m);
    assert.match(plan.stdout, why);
    await server.did('DELETE', 'DocType/Stock Tick');
  });

  test('the others are refused until somebody asks to keep them', async () => {
    await assert.rejects(
      importFolder(server.site, folder),
      /has doctypes of the source already: Customer \(.*notes: Float here, Text Editor there; 4 more fields\), Selling Settings .*--keep-doctypes/,
    );
    assert.deepEqual(await loads(), []);
    assert.equal((await server.request('GET', '/api/resource/DocType/Territory')).status, 404);
  });

  test('with the flag they stay as they are, and the report counts what stays behind', async () => {
    const { fields } = await server.did('GET', 'DocType/Customer');
    const found = await importFolder(server.site, folder, { isKeeping: true });
    assert.ok(found);
    report = found;
    assert.equal(report.documents.failed, 0);
    assert.deepEqual((await server.did('GET', 'DocType/Customer')).fields, fields);
    assert.deepEqual(await server.did('GET', 'Custom Field?filters=[["dt","=","Customer"]]'), []);
    assert.deepEqual(await server.did('GET', 'Property Setter'), []);
    const second = await server.did('GET', 'Customer/CUST-00002');
    assert.deepEqual([second.customer_name, second.notes, second.own], ['NULL', 0, undefined]);
    const [mine, settings] = await Promise.all([
      server.did('GET', 'Customer/CUST-00001'),
      server.did('GET', 'Selling Settings/Selling Settings'),
    ]);
    assert.deepEqual([mine.customer_name, settings.default_territory], ['Mine', 'Mine']);
    const left = report.changes.filter(({ what }) => what.includes('left behind'));
    assert.deepEqual(
      left.map(({ what, doctype, field, count }) => `${doctype}.${field} ${what}: ${count}`).sort(),
      [
        'Customer.credit_limit value left behind: no such field here: 2',
        'Customer.notes value left behind: Float here, Text Editor there: 3',
        'Customer.portal_password value left behind: no such field here: 1',
        'Customer.renewal value left behind: no such field here: 1',
        'Customer.represents value left behind: no such field here: 1',
        'Customer.since value left behind: no such field here: 2',
        'Customer.territory value left behind: no such field here: 4',
        'Customer.website value left behind: no such field here: 1',
      ],
    );
  });

  test('a doctype of the import that has lost a field since is no silent loss either', async () => {
    await importFolder(server.site, folder, { isKeeping: true });
    const { fields } = await server.did('GET', 'DocType/Bottle Label');
    const fewer = fields.filter(({ fieldname }: { fieldname: string }) => fieldname !== 'body');
    await server.did('PUT', 'DocType/Bottle Label', { fields: fewer });
    await assert.rejects(importFolder(server.site, folder), /Bottle Label \(body: no such field here\)/);
  });
});

/** The files of a backup, beside which a command writes others. */
function backupOf(folder: string): string[] {
  return ['database.sql.gz', 'site_config_backup.json'].map(
    (name) => `${folder}/20260101_120000-shop-${name}`,
  );
}

test('a user who is refused at first gets the password and the key when a later call stores the user', async () => {
  const server = await startTestSite('sqlite', { config: { timeZone: ZONE } });
  const folder = makeBackup(DUMPS['mariadb-dump']);
  const setKey = (key: string | null) =>
    server.site.database.transaction((db) =>
      db.run(sql`update "User" set "api_key" = ${key} where "name" = 'Guest'`),
    );
  const signIn = async () => {
    const body = { usr: ANA.user, pwd: ANA.password };
    return (await server.request('POST', '/api/method/login', { body, as: null })).status;
  };
  try {
    await setKey(ANA.key);
    assert.equal((await importFolder(server.site, folder))?.documents.failed, 1);
    assert.equal(await signIn(), 401);
    await setKey(null);
    const again = await importFolder(server.site, folder);
    assert.deepEqual(
      [again?.documents.failed, again?.credentials.passwords, again?.credentials.apiKeys],
      [0, 1, 1],
    );
    assert.equal(await signIn(), 200);
    await server.site.database.transaction((db) =>
      db.run(sql`delete from "_password" where "user" = ${ANA.user}`),
    );
    const third = await importFolder(server.site, folder);
    assert.deepEqual([third?.credentials.passwords, third?.credentials.apiKeys], [0, 0]);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
