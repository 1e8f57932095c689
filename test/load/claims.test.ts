/** A run stores only while its load is its own: a pause, an undo or another run ends it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import type { LoadOfApplier } from '../../src/load/applier.ts';
import { readLoad } from '../../src/load/data-load.ts';
import { type LoadRun, runLoad } from '../../src/load/run-load.ts';
import { saveApplier } from '../../src/load/save/save-applier.ts';
import { storeApplier } from '../../src/load/store/store-applier.ts';
import { undoLoad } from '../../src/load/undo-load.ts';
import { describeSite } from '../support/describe-site.ts';
import { newLoad, sourceOf, storeOptions } from '../support/load.ts';
import { until } from '../support/until.ts';

const doctypes = [
  {
    ...{ name: 'Step', autoname: 'prompt', fields: [] },
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, import: 1 }],
  },
];

describeSite('the claim of a run', { doctypes }, (server, engine) => {
  const appliers: Readonly<Record<string, () => LoadRun['applier']>> = {
    'loading operation': () => storeApplier(storeOptions(server.site)),
    'ordinary import': () =>
      saveApplier({
        ...storeOptions(server.site),
        ...{ doctype: server.site.doctypes.get('Step'), keyField: 'name', hooks: true, webhooks: true },
      }),
  };
  const steps = async () =>
    (await server.did('GET', 'Step?order_by=name asc')).map(({ name }: { name: string }) => name);
  const clear = async () => {
    for (const name of await steps()) await server.did('DELETE', `Step/${name}`);
  };

  for (const [kind, applierOf] of Object.entries(appliers)) {
    describe(`of the ${kind}`, () => {
      /** Runs a load of three records in three batches, with `interfere` before the second one. */
      const run = (load: string, interfere: (of: LoadOfApplier) => Promise<unknown> = async () => {}) =>
        runLoad({
          ...{ site: server.site, load },
          source: sourceOf(['a', 'b', 'c'].map((name) => ({ doctype: 'Step', name }))),
          applier: (of) => {
            const applier = applierOf()(of);
            const apply: typeof applier.apply = async (records) => {
              if (records[0]?.key === 'b') await interfere(of);
              return applier.apply(records);
            };
            return { ...applier, apply, batch: 1 };
          },
        });
      const undo = (load: string) => undoLoad({ site: server.site, load, applier: applierOf() });
      const create = () => newLoad(server.site, storeOptions(server.site));

      test('a paused load stores nothing more, and goes on where it was', async () => {
        const load = await create();
        const paused = await run(load, () => server.call('chancery.load.pause', { name: load }));
        assert.deepEqual([paused.status, paused.error, paused.counts.inserted], ['Paused', null, 1]);
        assert.deepEqual(await steps(), ['a']);
        const ended = await run(load);
        assert.deepEqual([ended.status, ended.counts.inserted, ended.counts.failed], ['Done', 3, 0]);
        assert.deepEqual(await steps(), ['a', 'b', 'c']);
        await undo(load);
      });

      test('a load that was undone meanwhile leaves nothing', async () => {
        const load = await create();
        const undone = await run(load, () => undo(load));
        assert.deepEqual([undone.status, undone.error, await steps()], ['Undone', null, []]);
      });

      test('a second run takes the load over, and the first one ends without a failure', async () => {
        const load = await create();
        const first = await run(load, () => run(load));
        assert.deepEqual([first.status, first.counts.inserted, first.counts.failed], ['Done', 3, 0]);
        await undo(load);
        const again = await create();
        const runs = await Promise.allSettled([run(again), run(again), run(again)]);
        // One that comes after the end of another is refused.
        for (const one of runs)
          if (one.status === 'rejected') assert.match(String(one.reason), /is Done: it cannot be run/);
        const { status, counts } = await readLoad(server.site.database.reader, again);
        assert.deepEqual([status, counts.inserted, counts.failed], ['Done', 3, 0]);
        await clear();
      });

      test('a pause waits for the records at hand', { skip: engine === 'sqlite' }, async () => {
        const load = await create();
        const order: string[] = [];
        const waiting = () =>
          server.site.database.reader.get(
            sql`select 1 as "one" from pg_locks where locktype = 'tuple' and relation = '"Data Load"'::regclass`,
          );
        let pausing = Promise.resolve<unknown>(null);
        await run(load, (of) =>
          server.site.database.transaction(async (db) => {
            await of.hold(db);
            pausing = server.call('chancery.load.pause', { name: load }).then(() => order.push('paused'));
            await until(waiting, (row) => row !== undefined);
            order.push('stored');
          }),
        );
        await pausing;
        assert.deepEqual(order, ['stored', 'paused']);
        await clear();
      });
    });
  }
});
