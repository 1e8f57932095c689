/** Entries without a transaction: refusals and exports. Counted, bounded, and never in the way of a request. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { audit, COMMAND_LINE, type Provenance } from '../../src/access/audit.ts';
import { auditApart, settleAudit } from '../../src/access/audit-apart.ts';
import { ADMINISTRATOR, currentUser } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { listDocumentsText } from '../../src/document/list/list.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import { describeEither } from '../support/describe-site.ts';
import { wholeText } from '../support/list-text.ts';

const from = (address: string): Provenance => ({ ...COMMAND_LINE, credential: 'password', address });
const FAILED = { event: 'login_failed', user: '' } as const;

const SITE = { apps: [crm], users: { manager: ['System Manager', 'Sales Manager'] } };

describeEither('audit entries without a transaction', SITE, (site) => {
  beforeEach(async () => {
    await settleAudit(site.site.database);
    await site.site.database.transaction((db) => db.run(sql`delete from "_audit"`));
  });

  async function entries() {
    await settleAudit(site.site.database);
    return site.site.database.reader.all(
      sql`select "event", "user", "address", "reference_doctype", "occurrences", "details" from "_audit" order by "creation", "name"`,
    );
  }

  test('the first of a kind is written at once, more of it are counted', async () => {
    await auditApart(site.site, from('192.0.2.1'), FAILED);
    const now = await site.site.database.reader.all(sql`select "occurrences" from "_audit"`);
    assert.deepEqual(now.map(Object.values), [[1]]);
    for (let n = 0; n < 100; n += 1) void auditApart(site.site, from('192.0.2.1'), FAILED);
    void auditApart(site.site, from('192.0.2.2'), FAILED);
    const told = (await entries()).map((row) => `${row['address']} ${row['occurrences']}`);
    assert.deepEqual(told.sort(), ['192.0.2.1 1', '192.0.2.1 100', '192.0.2.2 1']);
  });

  test('kinds beyond the limit share one entry', async () => {
    for (let n = 0; n < LIMITS.auditKinds + 50; n += 1) {
      void auditApart(site.site, from(`2001:db8::${n}`), FAILED);
    }
    const all = await entries();
    assert.equal(all.length, LIMITS.auditKinds + 1);
    const shared = all.filter((row) => row['address'] === null);
    assert.deepEqual(
      shared.map((row) => row['occurrences']),
      [50],
    );
  });

  test('a log that cannot be written harms nobody', async () => {
    const { database, random } = site.site;
    const transaction = () => Promise.reject(new Error('the disk is full'));
    const full = { ...database, dialect: database.dialect, reader: database.reader, transaction };
    const hash = () => {
      throw new Error('no entropy');
    };
    for (const broken of [{ database: full }, { random: { ...random, hash } }]) {
      const observed: Observation[] = [];
      const observe = (seen: Observation) => observed.push(seen);
      const told = { ...site.site, ...broken, observe };
      await auditApart(told, from('192.0.2.1'), FAILED);
      assert.deepEqual(
        observed.map(({ kind }) => kind),
        ['unexpected'],
      );
      await settleAudit(told.database);
    }
  });

  test('every door to a whole list is an export; a page is none', async () => {
    const all = { doctype: 'Lead', limit_page_length: 0 };
    const body = { ...all, limit_page_length: LIMITS.exportRows };
    const call = (path: string, method = 'GET', sent?: unknown) =>
      site.request(method, path, { as: 'manager', body: sent });
    await call('/api/resource/Lead');
    await call(`/api/resource/Lead?limit_page_length=${LIMITS.exportRows}`);
    await call('/api/method/frappe.client.get_list', 'POST', body);
    assert.deepEqual(await entries(), []);
    for (const [path, method, sent] of [
      ['/api/resource/Lead?limit_page_length=0'],
      [`/api/resource/Lead?limit_page_length=${LIMITS.exportRows + 1}`],
      ['/api/resource/Lead?limit_page_length=0&include=count'],
      [`/api/v2/document/Lead?limit=${LIMITS.exportRows + 1}`],
      ['/api/method/frappe.client.get_list', 'POST', all],
      ['/api/method/frappe.client.get_list?doctype=Lead&limit_page_length=0'],
    ] as const) {
      const reply = await call(path, method, sent);
      assert.equal(reply.status, 200, `${path}: ${reply.text}`);
      const told = (await entries()).at(-1);
      assert.deepEqual([told?.['event'], told?.['user']], ['exported', 'manager@example.com'], path);
      await site.site.database.transaction((db) => db.run(sql`delete from "_audit"`));
    }
    const refused = await site.createUser('seller@example.com', ['Sales User']);
    await settleAudit(site.site.database);
    await site.site.database.transaction((db) => db.run(sql`delete from "_audit"`));
    const reply = await site.request('GET', '/api/resource/Lead?limit_page_length=0', { as: refused });
    assert.equal(reply.status, 403);
    assert.deepEqual(await entries(), []);
  });

  test('what the system lists for itself is none; a list in a transaction is told in it', async () => {
    const everything = { limit_page_length: 0 };
    await wholeText(listDocumentsText(readContext(site.site, ADMINISTRATOR), 'Lead', everything));
    assert.deepEqual(await entries(), []);
    const list = (fail: boolean) =>
      unitOfWork(
        site.site,
        currentUser('manager@example.com', ['System Manager', 'Sales Manager']),
        async (ctx) => {
          await wholeText(listDocumentsText(ctx, 'Lead', everything));
          if (fail) throw new Error('no');
        },
        from('192.0.2.7'),
      );
    await assert.rejects(list(true));
    assert.deepEqual(await entries(), []);
    await list(false);
    assert.deepEqual(
      (await entries()).map((row) => [row['event'], row['address']]),
      [['exported', '192.0.2.7']],
    );
  });

  test('details of any size are bounded, and stay JSON', async () => {
    const details = { small: 'kept', ['x'.repeat(3_000)]: 1, large: 'y'.repeat(5_000), last: 'kept too' };
    const odd = {
      event: 'document_deleted',
      doctype: 'a\u0000b\nc',
      name: '\ud800'.repeat(1_000),
      details,
    } as const;
    await unitOfWork(site.site, ADMINISTRATOR, (ctx) => audit(ctx, odd));
    const [row] = await entries();
    const text = String(row?.['details']);
    assert.ok(text.length <= LIMITS.auditDetailsLength);
    const kept = JSON.parse(text);
    assert.deepEqual(
      [kept.truncated, kept.small, kept.large, kept.last],
      [true, 'kept', undefined, 'kept too'],
    );
    assert.equal(row?.['reference_doctype'], 'a b c');
  });
});
