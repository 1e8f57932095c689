/** Moving in from Frappe: what a site has after the import of a backup. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FrappeApp } from 'frappe-js-sdk';
import { COMMAND_LINE } from '../../src/access/audit.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import type { ImportReport } from '../../src/frappe/carry/import-backup.ts';
import { isComplete } from '../../src/frappe/carry/prove.ts';
import { renderReport } from '../../src/frappe/carry/render-report.ts';
import { requireSameZone } from '../../src/frappe/carry/site-load.ts';
import { backupFiles } from '../../src/frappe/input/backup-files.ts';
import { readSiteConfig } from '../../src/frappe/input/site-config.ts';
import { tarFiles } from '../../src/frappe/input/tar.ts';
import { readLoad } from '../../src/load/data-load.ts';
import { undoApplier } from '../../src/load/server/run-claimed.ts';
import { undoLoad } from '../../src/load/undo-load.ts';
import { engineOf } from '../support/describe-site.ts';
import { noRequests, runFrappeclient } from '../support/frappeclient.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { CONTENT, importFolder, makeBackup, makeEncryptedBackup, ZONE } from './support/backup.ts';
import { DUMPS, makeSqlite } from './support/databases.ts';
import { noGpg } from './support/gpg.ts';
import { ANA, PASSPHRASE } from './support/secrets.ts';
import { siteTables } from './support/site.ts';

const directory = mkdtempSync(join(tmpdir(), 'chancery-import-'));
after(() => rm(directory, { recursive: true, force: true }));

/** The tables whose rows are not all here, and why. */
function missingOf({ plan, proof }: ImportReport): string[] {
  return plan.comes.flatMap(({ doctype, rows, becomes }) => {
    const here = proof.tables.find((table) => table.doctype === doctype)?.here ?? 0;
    return becomes === 'definition' || here === rows ? [] : [`${doctype}: ${rows} ${here}`];
  });
}

const differing = ({ proof }: ImportReport) =>
  proof.columns.filter((column) => column.differing > 0).map(({ doctype, column }) => `${doctype}.${column}`);

/** Home and Attachments, two roles and two users are on every site; a row has no parent. */
const NOT_HERE = ['File: 7 5', 'Role: 2 0', 'Sales Invoice Item: 5 4', 'User: 4 2'];

for (const engine of engineOf('import of frappe')) {
  describe(`the import of a MariaDB backup on ${engine}`, () => {
    let server: TestSite;
    let report: ImportReport;
    const folder = makeBackup(DUMPS['mariadb-dump']);
    const key = `token ${ANA.key}:${ANA.secret}`;

    before(async () => {
      server = await startTestSite(engine, { config: { timeZone: ZONE } });
      const config = { value: { ...server.site.config, timeZone: 'UTC' } };
      const elsewhere = Object.create(server.site, { config });
      await assert.rejects(
        importFolder(elsewhere, folder),
        /The times of the source are in Europe\/Zurich, those of this site in UTC/,
      );
      assert.throws(
        () => requireSameZone(null, undefined, ZONE),
        /does not state the time zone .* --source-time-zone/,
      );
      assert.throws(() => requireSameZone(null, 'UTC', ZONE), /are in UTC, those of this site in/);
      requireSameZone(null, ZONE, ZONE);
      // It is interrupted before its first document, and goes on.
      assert.equal(await importFolder(server.site, folder, { signal: AbortSignal.abort() }), null);
      const found = await importFolder(server.site, folder);
      assert.ok(found);
      report = found;
    });
    after(async () => {
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('proves that every value came, but for unsafe HTML', () => {
      assert.deepEqual(missingOf(report), NOT_HERE);
      assert.deepEqual(differing(report), ['Customer.notes']);
      assert.deepEqual(report.proof.secrets, { source: 2, equal: 2 });
      assert.equal(report.documents.failed, 0);
      assert.equal(report.brokenLinks, 3);
      assert.ok(isComplete(report.proof));
    });

    test('says which rows and secrets are missing here', () => {
      const { proof } = report;
      const tables = proof.tables.map((table) => ({
        ...table,
        here: table.doctype === 'Customer' ? table.here - 1 : table.here,
      }));
      const lines = renderReport({ ...report, proof: { ...proof, tables } });
      assert.ok(lines.includes('  Customer: 4 rows there, 3 here; 1 are missing here'), lines.join('\n'));
      assert.equal(isComplete({ ...proof, tables }), false);
      assert.equal(isComplete({ ...proof, secrets: { source: 2, equal: 1 } }), false);
    });

    test('names the customizations that do not fit, and brings the others', async () => {
      assert.deepEqual(report.refused, ['Property Setter Customer-gone-label: Customer has no field gone']);
      const made = { method: 'POST', body: { territory_name: 'South' }, as: key };
      const reply = await server.request(made.method, '/api/resource/Territory', made);
      assert.equal(reply.status, 403);
    });

    test('lists what it changed on the way', () => {
      const changes = report.changes.map(
        ({ what, doctype, field, count }) => `${doctype}.${field} ${what}: ${count}`,
      );
      assert.deepEqual(changes.sort(), [
        'Customer.credit_limit decimal beyond a double: 1',
        'Customer.notes byte 0 taken out of a text: 1',
        'Customer.null long name shortened: 1',
        'Customer.renewal date of zeros: 1',
        'Customer.since date of zeros: 1',
        'Customer.territory link mapped to the name of its document: 2',
        'File.file_url file that the backup does not have: 1',
        'File.file_url file without a File document: 1',
        'Sales Invoice.customer link mapped to the name of its document: 1',
        'Selling Settings.default_territory link mapped to the name of its document: 1',
        'User.password password of an unknown kind: the user sets a new one: 1',
      ]);
    });

    test('documents keep their names, owners, times, docstatus and rows', async () => {
      const invoice = await server.did('GET', 'Sales Invoice/SINV-00007');
      const { name, owner, creation, modified, docstatus, customer, grand_total, items } = invoice;
      assert.deepEqual(
        { name, owner, creation, modified, docstatus, customer, grand_total },
        {
          name: 'SINV-00007',
          owner: ANA.user,
          creation: '2024-03-01 09:10:11',
          modified: '2025-04-02 10:11:12',
          docstatus: 1,
          customer: 'CUST-00001',
          grand_total: 12.34,
        },
      );
      assert.deepEqual(
        items.map((row: { name: string; idx: number; rate: number }) => [row.name, row.idx, row.rate]),
        [
          ['row1', 1, 8],
          ['row2', 2, 0.34],
        ],
      );
      const cancelled = await server.did('GET', 'Sales Invoice/SINV-00008');
      assert.equal(cancelled.docstatus, 2);
      const customer1 = await server.did('GET', 'Customer/CUST-00001');
      assert.equal(customer1.loyalty, 'Gold');
      assert.equal(customer1.territory, 'North');
      assert.equal(customer1.customer_name, 'O\'Brien "& Söhne"');
      assert.equal((await server.did('GET', 'Customer/CUST-00002')).territory, 'Zürich');
    });

    test('series go on behind the last number, and singles have their values', async () => {
      const made = await server.make('Sales Invoice', {
        naming_series: 'SINV-.#####',
        customer: 'CUST-00001',
      });
      assert.equal(made.name, 'SINV-00042');
      const settings = await server.did('GET', 'Selling Settings/Selling Settings');
      assert.deepEqual(
        [settings.default_territory, settings.allow_discount, settings.rate],
        ['North', 1, 2.5],
      );
    });

    test('users sign in with their password, their keys work, and their rights apply', async () => {
      assert.equal(await server.ok('GET', '/api/method/frappe.auth.get_logged_user', { as: key }), ANA.user);
      const seen = await server.did('GET', 'Territory?limit_page_length=10', undefined, key).catch(String);
      assert.deepEqual(seen, [{ name: 'North' }]);
      for (const attempt of [1, 2]) {
        const body = { usr: ANA.user, pwd: ANA.password };
        const reply = await server.request('POST', '/api/method/login', { body, as: null });
        assert.equal(reply.status, 200, `${attempt}: ${reply.text}`);
      }
      const wrong = { usr: ANA.user, pwd: 'ana-secret-2' };
      assert.equal(
        (await server.request('POST', '/api/method/login', { body: wrong, as: null })).status,
        401,
      );
      assert.equal((await server.did('GET', `User/${ANA.user}`)).bio, 'Sells');
      const disabled = await server.did('GET', 'User/bo@example.com');
      assert.equal(disabled.enabled, 0);
    });

    test('an unmodified client of Frappe reads the site with its old key', async () => {
      const app = new FrappeApp(server.url, {
        useToken: true,
        token: () => `${ANA.key}:${ANA.secret}`,
        type: 'token',
      });
      assert.equal(await app.auth().getLoggedInUser(), ANA.user);
      const rows = await app.db().getDocList<{ name: string }>('Sales Invoice', {
        filters: [['docstatus', '=', 2]],
      });
      assert.deepEqual(rows, [{ name: 'SINV-00008' }]);
      const tree = '[["name","descendants of","World"]]';
      const under = await server.did('GET', `Territory?filters=${tree}&order_by=name asc`);
      assert.deepEqual(under, [{ name: 'North' }, { name: 'Zürich' }]);
    });

    test('frappeclient signs in with the old password, and works with the old key', {
      skip: noRequests,
    }, async () => {
      const { user, password, key: apiKey, secret } = ANA;
      const ok = await runFrappeclient([server.url, apiKey, secret, user, password, 'imported']);
      assert.equal(ok, 8);
    });

    test('files have their bytes, their address, and their privacy', async () => {
      const { stored, missing, unused } = report.files;
      assert.deepEqual({ stored, missing, unused }, { stored: 3, missing: 1, unused: 1 });
      assert.equal((await server.request('GET', '/files/copy.png', { as: null })).text, CONTENT);
      const path = encodeURI('/files/Größe 1.txt');
      assert.equal((await server.request('GET', path, { as: null })).text, 'eleven');
      assert.equal((await server.request('GET', '/private/files/red.png', { as: null })).status, 403);
      assert.equal((await server.request('GET', '/private/files/red.png')).text, CONTENT);
      const file = await server.did('GET', 'File/file1');
      assert.deepEqual([file.attached_to_doctype, file.attached_to_name], ['Bottle Label', 'Red']);
    });

    test('history, shares, assignments, tags and likes come; webhooks come disabled', async () => {
      const fields = '["_user_tags","_assign","_liked_by"]';
      const filters = '[["name","=","CUST-00001"]]';
      const [side] = await server.did('GET', `Customer?fields=${fields}&filters=${filters}`);
      assert.deepEqual(side, {
        _user_tags: ',vip',
        _assign: '["bo@example.com"]',
        _liked_by: `["${ANA.user}"]`,
      });
      const comment = await server.did('GET', 'Comment/c1');
      assert.deepEqual([comment.reference_name, comment.comment_email], ['CUST-00001', ANA.user]);
      for (const path of [
        'Version/v1',
        'Deleted Document/d1',
        'DocShare/s1',
        'ToDo/t1',
        'User Permission/up1',
      ])
        assert.ok(await server.did('GET', path), path);
      assert.equal((await server.did('GET', 'Webhook/Invoices')).enabled, 0);
      assert.deepEqual(
        report.plan.webhooks.map(({ webhook, field }) => `${webhook}.${field}`),
        ['Templates.condition', 'Templates.webhook_json'],
      );
    });

    test('a second import of the same backup stores nothing anew', async () => {
      const again = await importFolder(server.site, folder);
      assert.equal(again?.load, report.load);
      assert.deepEqual(again?.refused, []);
      assert.equal((await server.did('GET', 'Custom DocPerm')).length, 1);
      assert.equal(again?.documents.inserted, report.documents.inserted);
      assert.deepEqual([again?.files.stored, again?.files.known], [0, 3]);
      assert.equal((await server.did('GET', 'Customer')).length, 4);
    });

    test('a second import brings back no key and no right that somebody took away', async () => {
      const run = (text: Parameters<typeof sql>[0], ...values: readonly string[]) =>
        server.site.database.transaction((db) => db.run(sql(text, ...values)));
      await run`delete from "_api_key" where "user" = ${ANA.user}`;
      await server.did('PUT', 'DocType/Territory', { permissions: [{ role: 'System Manager', read: 1 }] });
      const again = await importFolder(server.site, folder);
      assert.deepEqual([again?.credentials.passwords, again?.credentials.apiKeys], [0, 0]);
      const mine = '/api/method/frappe.auth.get_logged_user';
      const asAna = { headers: { authorization: key }, as: null };
      assert.equal((await server.request('GET', mine, asAna)).status, 401);
      const { permissions } = await server.did('GET', 'DocType/Territory');
      assert.deepEqual(
        permissions.map(({ role }: { role: string }) => role),
        ['System Manager'],
      );
    });

    test('an undo leaves nothing that a later user of the name inherits', async () => {
      const load = await readLoad(server.site.database.reader, report.load);
      const worker = { user: ADMINISTRATOR, origin: COMMAND_LINE };
      const applier = undoApplier(server.site, load, worker, true);
      await undoLoad({ site: server.site, load: load.name, applier });
      const left = await server.site.database.reader.all(
        sql`select "user" from "_password" where "user" = ${ANA.user}`,
      );
      assert.deepEqual(left, []);
      assert.equal((await server.request('GET', `/api/resource/User/${ANA.user}`)).status, 404);
    });
  });
}

describe('an import of a backup beside what a site has', () => {
  test('leaves the credentials of a user who was here, and files of other documents', async () => {
    const server = await startTestSite('sqlite', { config: { timeZone: ZONE } });
    const folder = makeBackup(DUMPS['mariadb-dump']);
    try {
      await server.did('POST', 'User', { email: ANA.user, first_name: 'Ana', enabled: 1 });
      const form = new FormData();
      form.set('file', new Blob(['local']), 'red.png');
      form.set('is_private', '1');
      const local = await server.ok('POST', '/api/method/upload_file', { body: form });
      assert.equal(local.file_url, '/private/files/red.png');
      await assert.rejects(
        importFolder(server.site, folder),
        /has another file at \/private\/files\/red.png/,
      );
      await server.did('DELETE', `File/${local.name}`);
      assert.ok(await importFolder(server.site, folder));
      const headers = { authorization: `token ${ANA.key}:${ANA.secret}` };
      const reply = await server.request('GET', '/api/resource/User', { headers, as: null });
      assert.equal(reply.status, 401);
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The other forms of a backup, on SQLite. Each has its own trap less or more. */
const FORMS: readonly (readonly [string, () => string])[] = [
  ['a PostgreSQL dump', () => DUMPS.pg_dump],
  [
    'the file of an SQLite site',
    () => {
      const path = join(directory, 'shop.db');
      makeSqlite(path, siteTables());
      return path;
    },
  ],
];

test('a backup whose files gpg has encrypted comes with its files and secrets', { skip: noGpg }, async () => {
  const server = await startTestSite('sqlite', { config: { timeZone: ZONE } });
  const folder = makeEncryptedBackup(DUMPS['mariadb-dump']);
  try {
    const files = backupFiles([folder]);
    for (const [part, read] of [
      ['site_config_backup-enc.json', () => readSiteConfig(files.siteConfig, null)],
      ['private-files-enc.tar', () => tarFiles(files.privateFiles ?? '', null).next()],
    ] as const) {
      await assert.rejects(read, new RegExp(`${part} is encrypted by gpg; .*--passphrase-file`));
    }
    const report = await importFolder(server.site, folder, { passphrase: PASSPHRASE });
    assert.deepEqual(report?.proof.secrets, { source: 2, equal: 2 });
    assert.deepEqual([report?.files.stored, report?.credentials.apiKeys], [3, 1]);
    assert.equal((await server.request('GET', '/private/files/red.png')).text, CONTENT);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

for (const [form, path] of FORMS) {
  test(`the import of ${form} is proved too`, async () => {
    const server = await startTestSite('sqlite', { config: { timeZone: ZONE } });
    const folder = makeBackup(path());
    try {
      const report = await importFolder(server.site, folder);
      assert.ok(report);
      assert.deepEqual(missingOf(report), NOT_HERE);
      assert.deepEqual(differing(report), ['Customer.notes']);
      assert.deepEqual(report.proof.secrets, { source: 2, equal: 2 });
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
