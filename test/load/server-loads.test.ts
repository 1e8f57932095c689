import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { createLoad } from '../../src/load/data-load.ts';
import { runDueLoads } from '../../src/load/server/server-loads.ts';
import { describeEither } from '../support/describe-site.ts';
import { storeRecords, undoRecords } from '../support/load.ts';
import { until } from '../support/until.ts';

const NOTE = {
  name: 'Load Note',
  autoname: 'prompt',
  fields: [{ fieldname: 'title', label: 'Title', fieldtype: 'Data' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
};

describeEither(
  'loads on a server',
  { doctypes: [NOTE], users: { sue: ['System Manager'], joe: [] } },
  (server) => {
    /** The load, once the job of the server has brought it there. */
    const becomes = (name: string, status: string) =>
      until(
        () => server.did('GET', `Data Load/${name}`),
        (load) => load.status === status,
      );
    /** The same, by hand. */
    const runDue = () => runDueLoads(server.site, new AbortController().signal);
    const audited = async (event: string) =>
      (await server.site.database.reader.all(sql`select "name" from "_audit" where "event" = ${event}`))
        .length;

    async function upload(lines: readonly object[], isPrivate = '1'): Promise<string> {
      const form = new FormData();
      form.set('file', new Blob([lines.map((line) => JSON.stringify(line)).join('\n')]), 'notes.ndjson');
      form.set('is_private', isPrivate);
      return (await server.ok('POST', '/api/method/upload_file', { body: form, as: 'sue' })).name;
    }

    const notes = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ doctype: 'Load Note', name: `n${index}`, title: 'x' }));

    test('a System Manager loads an uploaded file in the background, and undoes it', async () => {
      const file = await upload([...notes(3), { doctype: 'User', name: 'eve@example.com' }]);
      const { name } = await server.call('chancery.load.start', { file }, 'sue');
      const load = await becomes(name, 'Done');
      assert.deepEqual(
        [load.status, load.owner, load.inserted, load.failed],
        ['Done', 'sue@example.com', 3, 1],
      );
      assert.deepEqual(await server.call('chancery.load.problems', { name }, 'sue'), [
        {
          ...{ kind: 'error', doctype: 'User', key: 'eve@example.com', row: 4, field: '', value: '' },
          reason: 'User: only Administrator on the command line loads documents of built-in doctypes',
        },
      ]);
      assert.equal((await server.did('GET', 'Load Note/n1')).owner, 'sue@example.com');
      await server.call('chancery.load.undo', { name }, 'sue');
      await becomes(name, 'Undone');
      assert.equal((await server.request('GET', '/api/resource/Load Note/n1')).status, 404);
      assert.deepEqual([await audited('load_started'), await audited('load_undone')], [1, 1]);
    });

    /** A load that no request has started, with further columns. */
    async function stored(
      status: 'Paused' | 'Running' | 'Checking',
      lines: readonly object[],
      runner = '',
    ): Promise<string> {
      const filters = JSON.stringify({ name: await upload(lines) });
      const [{ file_url: file }] = await server.ok(
        'GET',
        `/api/resource/File?filters=${filters}&fields=["file_url"]`,
      );
      return unitOfWork(server.site, ADMINISTRATOR, async (ctx) => {
        const load = { kind: 'Load', mode: 'Upsert', source: 'x', sourceId: 'x', format: 'ndjson' } as const;
        const name = await createLoad(ctx, { ...load, file, status });
        await ctx.db.run(sql`update "Data Load" set "runner" = ${runner} where "name" = ${name}`);
        return name;
      });
    }

    test('a paused load waits until it is resumed', async () => {
      const name = await stored('Paused', notes(2));
      assert.equal(await runDue(), 0);
      assert.equal((await server.rpc('chancery.load.pause', { name })).status, 417);
      await server.call('chancery.load.run', { name });
      assert.equal((await becomes(name, 'Done')).inserted, 2);
    });

    test('a dry run stores nothing, and its load can be run or checked again', async () => {
      const file = await upload(['dry1', 'dry2', ''].map((dry) => ({ doctype: 'Load Note', name: dry })));
      const { name, status } = await server.call('chancery.load.start', { file, dry_run: 1 }, 'sue');
      assert.equal(status, 'Checking');
      const { inserted, failed, done } = await becomes(name, 'Checked');
      assert.deepEqual([inserted, failed, done], [2, 1, 3]);
      assert.equal((await server.request('GET', '/api/resource/Load Note/dry1')).status, 404);
      await server.call('chancery.load.check', { name }, 'sue');
      await becomes(name, 'Checked');
      await server.call('chancery.load.run', { name }, 'sue');
      assert.equal((await becomes(name, 'Done')).inserted, 2);
      await server.call('chancery.load.undo', { name }, 'sue');
      await becomes(name, 'Undone');
    });

    test('a load that has stored records is not checked, but run or undone', async () => {
      const name = await stored('Running', notes(2));
      await runDue();
      // As if an error had ended it.
      await server.site.database.transaction((db) =>
        db.run(sql`update "Data Load" set "status" = 'Failed' where "name" = ${name}`),
      );
      assert.equal((await server.rpc('chancery.load.check', { name })).status, 417);
      await server.call('chancery.load.undo', { name });
      assert.equal((await becomes(name, 'Undone')).undone, 2);
    });

    test('a stopped check has begun nothing', async () => {
      const name = await stored('Checking', notes(1), 'other');
      assert.equal((await server.call('chancery.load.pause', { name })).status, 'Draft');
      assert.equal(await runDue(), 0);
      assert.equal((await server.rpc('chancery.load.undo', { name })).status, 417);
      // As the run of the check does when it leaves.
      await server.site.database.transaction((db) =>
        db.run(sql`update "Data Load" set "runner" = '' where "name" = ${name}`),
      );
      await server.call('chancery.load.run', { name });
      await becomes(name, 'Done');
    });

    test('a run that works on a load keeps others away, until it is silent', async () => {
      const name = await stored('Running', notes(1), 'other');
      assert.equal(await runDue(), 0);
      await server.site.database.transaction((db) =>
        db.run(sql`update "Data Load" set "modified" = '2026-01-01 00:00:00.000000' where "name" = ${name}`),
      );
      await runDue();
      await becomes(name, 'Done');
    });

    test('a System Manager does not change users by an undo of what Administrator loaded', async () => {
      const eve = { doctype: 'User', name: 'eve@example.com', first_name: 'Eve', enabled: 1 };
      const { name } = await storeRecords(server.site, [eve, { doctype: 'Load Note', name: 'eve' }]);
      await server.call('chancery.load.undo', { name }, 'sue');
      assert.match((await becomes(name, 'Failed')).error, /only Administrator on the command line/);
      assert.equal((await server.did('GET', 'User/eve@example.com')).enabled, 1);
      const undone = await undoRecords(server.site, name);
      assert.deepEqual([undone.status, undone.undone], ['Undone', 2]);
    });

    test('refuses others, public files, and changes by hand', async () => {
      const file = await upload(notes(1));
      assert.equal((await server.rpc('chancery.load.start', { file }, 'joe')).status, 403);
      assert.equal((await server.rpc('chancery.load.start', { file, mode: 'All' })).status, 417);
      assert.equal(
        (await server.rpc('chancery.load.start', { file: await upload(notes(1), '0') })).status,
        417,
      );
      const load = await stored('Paused', notes(1));
      assert.equal((await server.rpc('chancery.load.run', { name: load }, 'joe')).status, 403);
      assert.equal((await server.rpc('chancery.load.problems', { name: load }, 'joe')).status, 403);
      const url = `/api/resource/Data Load/${load}`;
      assert.equal((await server.request('PUT', url, { body: { status: 'Done' }, as: 'sue' })).status, 403);
      assert.equal(
        (await server.request('POST', '/api/resource/Data Load', { body: { kind: 'Load' } })).status,
        200,
      );
    });

    test('forgets the ledger of a deleted load', async () => {
      const { name } = await server.call(
        'chancery.load.start',
        { file: await upload(notes(4)), skip_existing: 1 },
        'sue',
      );
      await becomes(name, 'Done');
      const entries = () =>
        server.site.database.reader.all(sql`select "key" from "_load_row" where "load" = ${name}`);
      assert.equal((await entries()).length, 4);
      await server.did('DELETE', `Data Load/${name}`);
      await runDue();
      assert.deepEqual(await entries(), []);
    });
  },
);
