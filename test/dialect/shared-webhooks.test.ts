/** Units that share a transaction on PostgreSQL keep nothing of each other's changes before the commit. */
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import pg from 'pg';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import type { Context } from '../../src/document/contract.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { startWebhookSite } from '../support/webhook-site.ts';

const hooks = await startWebhookSite('postgres', {}, {}, false);
after(() => hooks.stop());

test('a webhook whose change was never committed is not remembered', async () => {
  const { name: webhook } = await hooks.webhook();
  const unit = (work: (ctx: Context) => Promise<unknown>) => unitOfWork(hooks.site, ADMINISTRATOR, work);
  // As another process changes it.
  const redirect = (ctx: Context, url: string) =>
    ctx.db.run(sql`update "Webhook" set "request_url" = ${url}, "_revision" = "_revision" + 1
      where "name" = ${webhook}`);
  // The commit of the shared transaction fails.
  const { query } = pg.Client.prototype;
  const doomed = new Set<pg.Client>();
  mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string | pg.QueryConfig) {
    if (typeof config !== 'string' && config.text === DOOM.text) doomed.add(this);
    const fails = config === 'commit' && doomed.delete(this);
    return Reflect.apply(query, this, [fails ? 'rollback' : config]);
  });
  const [changed, inLine] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runs = new Set<string>();
  const refuseAgain = (unit: string) => {
    if (runs.has(unit)) throw new Error('refused');
    runs.add(unit);
  };
  const changing = unit(async (ctx) => {
    await ctx.db.takeTurn?.('series');
    refuseAgain('changing');
    await ctx.db.all(DOOM);
    await redirect(ctx, 'http://127.0.0.1:9/never');
    changed.resolve();
    await inLine.promise;
  });
  await changed.promise;
  const creating = unit(async (ctx) => {
    const turn = ctx.db.takeTurn?.('series');
    inLine.resolve();
    await turn;
    refuseAgain('creating');
    await createDocument(ctx, 'Note', { name: 'shared', title: 'A title' });
  });
  await Promise.all([changing, creating].map((refused) => assert.rejects(refused, /refused/)));
  await unit((ctx) => redirect(ctx, 'http://127.0.0.1:9/later'));
  await hooks.note();
  const [log] = await hooks.logs(webhook);
  assert.equal(log?.['url'], 'http://127.0.0.1:9/later');
});

const DOOM = { text: `select 'doomed' as "word"`, values: [] };
