/** Tables that grow by themselves: each loses what is over, a batch at a time, and keeps what is not. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Connection, Database } from '../../src/db/database.ts';
import { ident, join, type SqlValue, sql } from '../../src/db/sql.ts';
import type { FileSite } from '../../src/file/upload-file.ts';
import { formatTimestamp } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { pruneOldRecords } from '../../src/site/start/retention.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Further in the future than anything is kept by default. */
const LATER = 400 * DAY;
const DUE = LIMITS.pruneBatch + 1;

/** A row with a key of its own, from `now`, milliseconds since the epoch. */
type RowAt = (key: string, now: number) => Readonly<Record<string, SqlValue>>;

const TABLES: Readonly<Record<string, RowAt>> = {
  _session: (digest, now) => ({ digest, user: 'u', csrf_token: 'x', created_at: now, last_used_at: now }),
  _oauth_grant: (id, now) => ({ id, client: 'c', user: 'u', created_at: now, expires_at: now + DAY }),
  _token: (digest, now) => ({ digest, kind: 'reset', user: 'u', expires_at: now + DAY }),
  _login_attempt: (key, now) => ({ key, count: 1, until_at: 0, expires_at: now + DAY }),
  _audit: (name, now) => ({
    name,
    creation: formatTimestamp(now * 1000),
    event: 'login',
    outcome: 'Success',
    user: 'u',
    credential: '',
    occurrences: 1,
  }),
};

for (const engine of engineOf('retention')) {
  describe(`bounds of retention on ${engine}`, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine);
    });
    after(() => site.stop());

    async function insert(table: string, rows: readonly Readonly<Record<string, SqlValue>>[]) {
      const columns = join(Object.keys(rows[0] ?? {}).map((name) => ident(name)));
      for (let start = 0; start < rows.length; start += 250) {
        const values = rows
          .slice(start, start + 250)
          .map((row) => sql`(${join(Object.values(row).map((value) => sql`${value}`))})`);
        await site.site.database.transaction((db) =>
          db.run(sql`insert into ${ident(table)} (${columns}) values ${join(values)}`),
        );
      }
    }

    /** The site later, and what each of its statements changes. */
    function later(changed: number[]): FileSite {
      const { site: open } = site;
      const { database } = open;
      const watched: Database = {
        ...database,
        dialect: database.dialect,
        reader: database.reader,
        transaction: (work) =>
          database.transaction((connection) => {
            const counted: Connection = {
              ...connection,
              dialect: connection.dialect,
              run: async (query) => {
                const rows = await connection.run(query);
                changed.push(rows);
                return rows;
              },
            };
            return work(counted);
          }),
      };
      const now = open.clock.micros() + LATER * 1000;
      return { ...open, database: watched, clock: { micros: () => now } };
    }

    for (const [table, rowAt] of Object.entries(TABLES)) {
      test(`expired rows of ${table} are deleted in batches, and others kept`, async () => {
        const now = Math.floor(site.site.clock.micros() / 1000);
        const due = Array.from({ length: DUE }, (_, index) => rowAt(`due ${index}`, now));
        await insert(table, [...due, rowAt('fresh', now + LATER)]);
        const changed: number[] = [];
        assert.ok((await pruneOldRecords(later(changed))) >= DUE);
        assert.ok(Math.max(...changed) <= LIMITS.pruneBatch, `${changed}`);
        assert.ok(changed.includes(LIMITS.pruneBatch), `${changed}`);
        const key = Object.keys(rowAt('', 0))[0] ?? '';
        const left = await site.site.database.reader.all(
          sql`select ${ident(key)} as "key" from ${ident(table)}`,
        );
        assert.deepEqual(
          left.map((row) => row['key']),
          ['fresh'],
        );
      });
    }

    test('sessions end by the current settings', async () => {
      const now = Math.floor(site.site.clock.micros() / 1000);
      await insert('_session', [TABLES['_session']?.('short', now) ?? {}]);
      const open: FileSite = {
        ...site.site,
        settings: { ...site.site.settings, sessionLife: 2 * LATER, sessionIdle: 2 * LATER },
      };
      await pruneOldRecords({ ...later([]), settings: open.settings });
      const rows = await site.site.database.reader.all(
        sql`select "digest" from "_session" where "digest" = 'short'`,
      );
      assert.equal(rows.length, 1);
    });
  });
}
