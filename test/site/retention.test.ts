/** Old records go, in small batches, by the site's clock; what is kept for ever stays. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { LiveSettings } from '../../src/config/live-settings.ts';
import type { Connection, Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { FileSite } from '../../src/file/upload-file.ts';
import { formatTimestamp } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { pruneOldRecords } from '../../src/site/start/retention.ts';
import { insertRecords } from '../../src/standard/history/records.ts';
import { type HistorySite, historySite } from '../support/history-site.ts';
import { ENGINES } from '../support/site.ts';

const DAY = 24 * 60 * 60 * 1_000_000;

for (const engine of ENGINES) {
  describe(`retention on ${engine}`, () => {
    let site: HistorySite;
    before(async () => {
      site = await historySite()(engine);
    });
    after(() => site.stop());

    /** The site some days from now, with other settings. */
    function later(
      days: number,
      kept: Partial<LiveSettings>,
      webhookLogDays = 0,
      database?: Database,
    ): FileSite {
      const { site: open } = site;
      const now = open.clock.micros();
      return {
        ...open,
        config: { ...open.config, auditDays: 0 },
        settings: { ...open.settings, ...kept, webhookLogDays },
        clock: { micros: () => now + days * DAY },
        ...(database ? { database } : {}),
      };
    }

    /** Records made some days from now. */
    async function keep(doctype: string, count: number, days: number, fields: Record<string, string>) {
      const { site: open } = site;
      const at = formatTimestamp(open.clock.micros() + days * DAY, open.config.timeZone);
      const records = Array.from({ length: count }, () => ({ user: 'Administrator', at, fields }));
      await unitOfWork(open, ADMINISTRATOR, (ctx) => insertRecords(ctx, ctx.doctypes.get(doctype), records));
    }

    const count = async (doctype: string) =>
      (await site.call('frappe.client.get_count', { doctype })) as number;

    test('versions and deleted documents are deleted after their days, not before', async () => {
      await site.did('POST', 'Deal', { name: 'R1' });
      await site.did('PUT', 'Deal/R1', { title: 'x' });
      await keep('Version', 1, 20, { ref_doctype: 'Deal', docname: 'R1', data: '{}', permlevels: '' });
      await keep('Deleted Document', 1, 0, { deleted_doctype: 'Deal', deleted_name: 'R0', data: '{}' });
      const [versions, deleted] = [await count('Version'), await count('Deleted Document')];
      assert.equal(await pruneOldRecords(later(29, { versionDays: 30, deletedDays: 30 })), 0);
      assert.equal(await pruneOldRecords(later(1_000, {})), 0);
      assert.deepEqual([await count('Version'), await count('Deleted Document')], [versions, deleted]);
      await pruneOldRecords(later(31, { versionDays: 30 }));
      assert.deepEqual([await count('Version'), await count('Deleted Document')], [versions - 1, deleted]);
      await pruneOldRecords(later(31, { deletedDays: 30 }));
      assert.deepEqual([await count('Version'), await count('Deleted Document')], [versions - 1, 0]);
    });

    test('comments and likes of users stay; comments of the system are deleted', async () => {
      await site.did('POST', 'Deal', { name: 'R2' });
      const about = { reference_doctype: 'Deal', reference_name: 'R2', content: 'x' };
      await site.did('POST', 'Comment', about);
      for (const comment_type of ['Edit', 'Attachment', 'Assigned', 'Like']) {
        await site.did('POST', 'Comment', { ...about, comment_type });
      }
      await pruneOldRecords(later(8, { activityDays: 7 }));
      assert.deepEqual((await site.comments('R2')).sort(), ['Comment: x', 'Like: x']);
    });

    test('each transaction deletes at most one batch, and others write in between', async () => {
      const total = 2 * LIMITS.pruneBatch + 1;
      await keep('Deleted Document', total, 0, { deleted_doctype: 'Deal', deleted_name: 'R3', data: '{}' });
      const { site: open } = site;
      const batches: number[] = [];
      const watched: Database = {
        ...open.database,
        dialect: open.database.dialect,
        reader: open.database.reader,
        transaction: (work) =>
          open.database.transaction((connection) => {
            const counted: Connection = {
              ...connection,
              dialect: connection.dialect,
              run: async (query) => {
                const rows = await connection.run(query);
                batches.push(rows);
                return rows;
              },
            };
            return work(counted);
          }),
      };
      const [pruned, made] = await Promise.all([
        pruneOldRecords(later(2, { deletedDays: 1 }, 0, watched)),
        site.ask('POST', 'Deal', { name: 'R4' }),
      ]);
      assert.equal(pruned, total);
      assert.equal(made.status, 200);
      const full = batches.filter((rows) => rows > 0);
      assert.deepEqual(full, [LIMITS.pruneBatch, LIMITS.pruneBatch, 1]);
      assert.equal(await count('Deleted Document'), 0);
      const said = site.observed.filter(({ kind }) => kind === 'records_pruned').at(-1);
      assert.deepEqual(said, { kind: 'records_pruned', records: 'Deleted Document', deleted: total });
    });

    test('finished deliveries are deleted after their days with bodies and attempts; waiting ones stay', async () => {
      const { site: open } = site;
      const at = formatTimestamp(open.clock.micros());
      const millis = Math.floor(open.clock.micros() / 1000);
      await open.database.transaction(async (db) => {
        for (const [name, state, done] of [
          ['delivered', 2, millis],
          ['exhausted', 3, millis],
          ['recent', 2, millis + 20 * (DAY / 1000)],
          ['waiting', 0, null],
          ['held', 5, null],
        ] as const) {
          const row = await db.get(
            sql`insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype",
                "reference_document", "user", "order_key", "state", "due_at", "creation", "modified", "done_at")
                values (${name}, 'w', 'on_update', 'Deal', 'R5', 'u', 'k', ${state}, ${millis}, ${at}, ${at}, ${done})
                returning "id"`,
          );
          const id = row?.['id'] ?? null;
          await db.run(
            sql`insert into "_webhook_body" ("delivery", "method", "url", "headers", "body")
                values (${id}, 'POST', 'u', '{}', '{}')`,
          );
          await db.run(
            sql`insert into "_webhook_attempt" ("delivery", "n", "started_at", "duration_ms", "response_status")
                values (${id}, 1, ${at}, 1, 200)`,
          );
        }
      });
      assert.equal(await pruneOldRecords(later(29, {}, 30)), 0);
      assert.equal(await pruneOldRecords(later(31, {}, 30)), 2);
      const left = await site.rows('Webhook Request Log', { webhook: 'w' }, ['name']);
      assert.deepEqual(left.map((row) => row.name).sort(), ['held', 'recent', 'waiting']);
      for (const table of [sql`"_webhook_body"`, sql`"_webhook_attempt"`]) {
        const row = await open.database.reader.get(sql`select count(*) as "rows" from ${table}`);
        assert.equal(row?.['rows'], 3);
      }
    });
  });
}
