/**
 * The SQL that the server sends, for each database: `statements/*.sql` shows what a change does to it. Renew
 * them with `npm test -- --test-update-snapshots test/dialect/statements.test.ts`, and read the difference.
 */

import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Statement } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import type { Context, Site } from '../../src/document/contract.ts';
import { countDocuments, listDocuments, listDocumentsText } from '../../src/document/list/list.ts';
import { listPage } from '../../src/document/list/list-page.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { renameDocument } from '../../src/document/verbs/rename.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { ListParameters } from '../../src/query/list-query.ts';
import { OUTBOX } from '../../src/webhook/queue/outbox-statements.ts';
import { POSTGRES } from '../../src/webhook/queue/postgres-statements.ts';
import { SQLITE } from '../../src/webhook/queue/sqlite-statements.ts';
import { DOCTYPES } from '../document/doctypes.ts';
import { openMemorySite, STAFF } from '../support/memory-site.ts';
import { notedDatabase } from '../support/noted-database.ts';
import { ENGINES } from '../support/postgres.ts';

const QUEUE = { sqlite: SQLITE, postgres: POSTGRES };
const invoice = { customer: 'Acme', code: 'C', items: [{ item: 'A', ship_to: 'Acme' }] };
const list = (parameters: ListParameters) => (ctx: Context) => listDocuments(ctx, 'Invoice', parameters);

const READS: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  'a list': (ctx) => listDocumentsText(ctx, 'Invoice', {}),
  'a list of all fields': list({ fields: ['*'], order_by: 'due asc, total desc', limit_start: 20 }),
  'a list without a limit': (ctx) =>
    listDocumentsText({ ...ctx, user: ADMINISTRATOR }, 'Customer', { limit_page_length: 0 }),
  filters: list({
    filters: { status: 'Open', total: ['>', 5], due: ['between', ['2026-01-01', '2026-02-01']] },
  }),
  texts: list({
    filters: [
      ['note', 'like', '%a%'],
      ['code', 'not in', ['a', 'b']],
      ['paid_at', 'is', 'set'],
    ],
  }),
  'either filter': list({
    filters: { docstatus: 0 },
    or_filters: [
      ['status', '=', 'Paid'],
      ['total', '<', 1],
    ],
  }),
  'a filter on child rows': list({ filters: [['Invoice Item', 'qty', '>', 1]] }),
  'fields of a linked document': list({
    fields: ['customer.email'],
    filters: [['customer.disabled', '=', 0]],
  }),
  'child rows': list({ fields: ['name', 'items.item'] }),
  'an expanded link': list({ fields: ['name', 'customer'], expand: ['customer'] }),
  groups: list({
    fields: ['status', 'sum(total) as sum', 'count(name) as n'],
    group_by: 'status',
    order_by: 'sum desc',
  }),
  'a page and its count': (ctx) =>
    listPage(ctx, 'Invoice', { order_by: 'due desc', limit: 2, include: 'count,cursor' }),
  'a count': (ctx) => countDocuments(ctx, 'Invoice', { filters: { status: 'Open' } }),
  'a document': (ctx) => readDocument(ctx, 'Invoice', 'INV-00001'),
  'a single document': (ctx) => readDocument(ctx, 'Preferences', 'Preferences'),
};

const WRITES: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  'a creation': (ctx) => createDocument(ctx, 'Customer', { customer_name: 'Acme', email: 'a@example.com' }),
  'a creation with rows and a series': (ctx) => createDocument(ctx, 'Invoice', invoice),
  'a change': (ctx) => updateDocument(ctx, 'Invoice', 'INV-00001', { note: 'n', items: [{ item: 'B' }] }),
  'a password': (ctx) => createDocument(ctx, 'Memo', { name: 'M', token: 'secret' }),
  'a single saved': (ctx) => updateDocument(ctx, 'Preferences', 'Preferences', { color: 'red' }),
  'a submission': (ctx) => updateDocument(ctx, 'Invoice', 'INV-00001', { docstatus: 1 }),
  'a cancellation': (ctx) => updateDocument(ctx, 'Invoice', 'INV-00001', { docstatus: 2 }),
  'a new name': (ctx) => renameDocument(ctx, 'Customer', 'Acme', 'Beta'),
  'a deletion': (ctx) => deleteDocument(ctx, 'Invoice', 'INV-00001', {}),
};

for (const engine of ENGINES) {
  test(`the SQL for ${engine} is that of the last commit`, async (t) => {
    const open = await openMemorySite(engine, { doctypes: DOCTYPES });
    after(() => open.stop());
    const sent: Statement[] = [];
    const site: Site = Object.create(open, { database: { value: notedDatabase(open.database, sent) } });
    const parts: string[] = [];
    const note = async (title: string, work: () => Promise<unknown>) => {
      sent.length = 0;
      await work();
      parts.push([`-- ${title}`, ...sent.map(({ text }) => `${text};`)].join('\n'));
    };
    const writes = Object.entries(WRITES).map(
      ([title, work]) =>
        () =>
          note(title, () => unitOfWork(site, STAFF, work)),
    );
    const reads = Object.entries(READS).map(
      ([title, work]) =>
        () =>
          note(title, () => work(readContext(site, STAFF))),
    );
    // What is read was created, and not deleted.
    for (const step of [...writes.slice(0, 2), ...reads, ...writes.slice(2)]) await step();
    for (const [name, statement] of [...Object.entries(OUTBOX), ...Object.entries(QUEUE[engine])])
      if (!name.startsWith(engine === 'sqlite' ? 'postgres' : 'sqlite'))
        parts.push(`-- queue: ${name}\n${statement};`);
    const path = fileURLToPath(new URL(`statements/${engine}.sql`, import.meta.url));
    t.assert.fileSnapshot(`${parts.join('\n\n')}\n`, path, { serializers: [String] });
  });
}
