/** How often a change waits for PostgreSQL, and with which statements: one more of either shows here. */

import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { startTestSite } from '../support/site.ts';

const common = {
  doctype: 'DocType',
  module: 'Test',
  fields: [{ fieldname: 'title', fieldtype: 'Data', label: 'Title', unique: 1 }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
  track_changes: 1,
};
const now = Date.now() * 1000;
const { site, make, stop } = await startTestSite('postgres', {
  clock: { micros: () => now },
  doctypes: [
    { ...common, name: 'Counted', autoname: 'C-.#####' },
    { ...common, name: 'Random', autoname: 'hash' },
  ],
});
after(stop);
// Time stands still, because some questions are asked once in half a second.
mock.method(performance, 'now', () => 1e9);

const TABLES = ['_webhook_delivery', 'Webhook', 'Version', '_series', 'Counted', 'Random', '_commit'];
/** The commit, and the token that tells of it. */
const COMMIT = ['2 insert _commit', '2 commit'];

interface Transaction {
  /** Each with the number of the round trip in which it was sent. */
  readonly statements: string[];
  answered: number;
}

const running = new WeakMap<pg.Client, Transaction>();
let committed: readonly string[] = [];
const { query } = pg.Client.prototype;
mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string | pg.QueryConfig) {
  const text = typeof config === 'string' ? config : config.text;
  if (text.startsWith('begin')) running.set(this, { statements: [], answered: 0 });
  const transaction = running.get(this) ?? { statements: [], answered: 0 };
  const { statements } = transaction;
  const trip = transaction.answered + 1;
  const table = TABLES.find((name) => text.includes(`"${name}"`)) ?? '';
  statements.push(`${trip} ${text.split(' ')[0]} ${table}`.trim());
  if (text === 'commit' && /Counted|Random/.test(statements.join())) committed = statements;
  const answer: Promise<unknown> = Reflect.apply(query, this, [config]);
  const note = () => {
    transaction.answered = trip;
  };
  answer.then(note, note);
  return answer;
});

const create = (doctype: string, title: string) =>
  unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, doctype, { title }));
const update = (name: string, title: string) =>
  unitOfWork(site, ADMINISTRATOR, (ctx) => updateDocument(ctx, 'Counted', name, { title }));

// Answers of one round trip may come in two parts, and the statements between them count as answered early.
async function assertCommitted(
  expected: readonly string[],
  change: (title: string) => Promise<unknown>,
): Promise<void> {
  for (let tries = 0; tries < 20 && !isDeepStrictEqual(committed, expected); tries += 1) {
    await change(`change ${tries}`);
  }
  assert.deepEqual(committed, expected);
}

await create('Counted', 'the first asks for rules of names and for followers');

test('a creation with a series waits twice', async () => {
  const expected = ['1 begin', '1 insert _series', '1 select Webhook', '2 insert Counted', ...COMMIT];
  await assertCommitted(expected, (title) => create('Counted', title));
});

test('a creation with a random name waits twice', async () => {
  const expected = ['1 begin', '1 insert Random', '1 select Webhook', ...COMMIT];
  await assertCommitted(expected, (title) => create('Random', title));
});

test('a change waits twice', async () => {
  const { name } = await create('Counted', 'second');
  const changed = ['1 begin', '1 select Counted', '1 select Webhook', '2 update Counted', '2 insert Version'];
  await assertCommitted([...changed, ...COMMIT], (title) => update(name, `updated, ${title}`));
  await make('Webhook', {
    webhook_doctype: 'Counted',
    webhook_docevent: 'on_update',
    request_url: 'http://127.0.0.1:9/',
  });
  // The first reads the webhook.
  await assertCommitted([...changed, '2 with _webhook_delivery', ...COMMIT], (title) =>
    update(name, `delivered, ${title}`),
  );
});

test('an error that nobody waited for reaches the caller as if they had', async () => {
  const refused = { type: 'UniqueValidationError', message: 'Title must be unique' };
  const { name } = await create('Counted', 'free');
  await create('Counted', 'taken');
  await assert.rejects(create('Counted', 'taken'), refused);
  await assert.rejects(update(name, 'taken'), refused);
  // An error of the work that came later is not the one to report.
  const later = unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    await createDocument(ctx, 'Counted', { title: 'taken' });
    throw new Error('later');
  });
  await assert.rejects(later, refused);
});
