/** Statements and rows instead of time: a save costs the same however many deliveries of its webhooks wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Connection } from '../../src/db/database.ts';
import { type Statement, sql } from '../../src/db/sql.ts';
import type { Site } from '../../src/document/contract.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { notedDatabase } from '../support/noted-database.ts';
import { startTestSite } from '../support/site.ts';

const NOTE = {
  doctype: 'DocType',
  name: 'Watched Note',
  module: 'Test',
  autoname: 'hash',
  fields: [{ fieldname: 'title', fieldtype: 'Data', label: 'Title' }],
};
const WEBHOOKS = 3;
const WAITING = [0, 10_000];
/** Deliveries that the statement of a save may read for each that it stores: an earlier one, and none. */
const ROWS = 2 * WEBHOOKS;

describeEitherEngine('growth of the webhook queue', (engine) => {
  const started = useStarted(() => startTestSite(engine, { doctypes: [NOTE] }));
  const sent: Statement[] = [];

  test('a save sends as many statements beside many waiting deliveries as beside few', async () => {
    const { database } = started.site;
    const site: Site = Object.create(started.site, { database: { value: notedDatabase(database, sent) } });
    for (let index = 0; index < WEBHOOKS; index += 1) {
      await started.make('Webhook', {
        webhook_doctype: NOTE.name,
        webhook_docevent: 'on_update',
        request_url: `http://127.0.0.1:9/${index}`,
      });
    }
    const save = async (name: string, title: string) => {
      sent.length = 0;
      await unitOfWork(site, ADMINISTRATOR, (ctx) => updateDocument(ctx, NOTE.name, name, { title }));
      return sent.filter(({ text }) => text.includes('"_webhook_'));
    };
    const { name } = await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, NOTE.name, {}));
    await save(name, 'the first reads the webhooks');
    const counts: number[] = [];
    for (const waiting of WAITING) {
      if (waiting > 0) await letWait(waiting);
      const statements = await save(name, `beside ${waiting}`);
      counts.push(statements.length);
      // PostgreSQL may scan a table of a few rows.
      if (waiting > 0) for (const statement of statements) await assertNoScan(statement);
    }
    assert.equal(counts[0], counts[1]);
    assert.ok(Number(counts[0]) > 0);
    await assert.rejects(
      assertNoScan({ text: `select "owner" from "_webhook_delivery" where "owner" = 'x'`, values: [] }),
    );
  });

  /** Copies deliveries under other names, for other documents. */
  async function letWait(least: number): Promise<void> {
    const { database } = started.site;
    for (let made = WEBHOOKS; made < least; made *= 2) {
      const mark = `-${made}`;
      await database.transaction((connection) =>
        connection.run(sql`insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype",
            "reference_document", "user", "order_key", "due_at", "creation", "modified")
          select "name" || ${mark}, "webhook", "event", "reference_doctype",
            "reference_document", "user", "order_key" || ${mark}, "due_at", "creation", "modified"
          from "_webhook_delivery"`),
      );
    }
  }

  /** Runs the statement again and rolls it back. Fails when it reads more rows of deliveries than it needs. */
  async function assertNoScan(statement: Statement): Promise<void> {
    const { database } = started.site;
    if (engine === 'sqlite') {
      const text = `explain query plan ${statement.text}`;
      const plan = await database.reader.all({ text, values: statement.values });
      for (const { detail } of plan) assert.doesNotMatch(String(detail), /^SCAN (?!json_each|CONSTANT)/);
      return;
    }
    const undone = new Error('undone');
    const work = database.transaction(async (connection) => {
      const before = await rowsRead(connection);
      // The names are taken already.
      const values = statement.values.map((value) => String(value).replaceAll(/"(dlv|txt)_/g, '"$1-'));
      await connection.all({ text: statement.text, values });
      const rows = (await rowsRead(connection)) - before;
      assert.ok(rows <= ROWS, `${rows} rows`);
      throw undone;
    });
    await assert.rejects(work, undone);
  }
});

/** The rows of deliveries that this connection of PostgreSQL has read. */
async function rowsRead(connection: Connection): Promise<number> {
  const read = await connection.get(sql`select "seq_tup_read" + coalesce("idx_tup_fetch", 0) as "rows"
    from pg_stat_xact_user_tables where "relname" = '_webhook_delivery' and "schemaname" = ${connection.dialect.schema}`);
  return Number(read?.['rows']);
}
