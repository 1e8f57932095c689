/** What an undo leaves: documents that have changed, or that something else needs, and what these need. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LoadMode, readLoad } from '../../src/load/data-load.ts';
import type { SourceRecord } from '../../src/load/record.ts';
import { type LoadRun, runLoad } from '../../src/load/run-load.ts';
import { saveApplier } from '../../src/load/save/save-applier.ts';
import { storeApplier } from '../../src/load/store/store-applier.ts';
import { undoLoad } from '../../src/load/undo-load.ts';
import { describeEither } from '../support/describe-site.ts';
import { logOf, newLoad, sourceOf, storeOptions } from '../support/load.ts';

const permissions = [
  { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, import: 1, share: 1 },
];
const doctypes = [
  {
    ...{ name: 'Stone', autoname: 'prompt', permissions },
    fields: [
      { fieldname: 'text', fieldtype: 'Data' },
      { fieldname: 'code', fieldtype: 'Data', unique: 1 },
      { fieldname: 'next', fieldtype: 'Link', options: 'Stone', on_delete: 'empty' },
      { fieldname: 'under', fieldtype: 'Link', options: 'Stone', on_delete: 'cascade' },
      { fieldname: 'picture', fieldtype: 'Attach' },
    ],
  },
];

describeEither('an undo', { doctypes, users: { sue: ['System Manager'] } }, (server) => {
  type Row = Readonly<Record<string, unknown>>;
  const appliers = {
    'loading operation': (mode: LoadMode) => storeApplier(storeOptions(server.site, { mode })),
    'ordinary import': (mode: LoadMode) =>
      saveApplier({
        ...storeOptions(server.site, { mode }),
        ...{ doctype: server.site.doctypes.get('Stone'), keyField: 'name', hooks: true, webhooks: true },
      }),
  } satisfies Record<string, (mode: LoadMode) => LoadRun['applier']>;

  for (const [kind, applierFor] of Object.entries(appliers)) {
    const prefix = kind[0];
    describe(`of the ${kind}`, () => {
      const named = (name: string) => `${prefix}-${name}`;
      const stone = (name: string, values: Row = {}) => ({ doctype: 'Stone', name: named(name), ...values });
      async function load(records: Parameters<typeof sourceOf>[0], mode: LoadMode = 'Insert') {
        const name = await newLoad(server.site, storeOptions(server.site, { mode }));
        const source = sourceOf(records);
        return runLoad({ site: server.site, load: name, source, applier: applierFor(mode) });
      }
      /** In batches of one record, so that each has its own. */
      const undo = (name: string, signal?: AbortSignal) =>
        undoLoad({
          ...{ site: server.site, load: name, ...(signal && { signal }) },
          applier: (of) => ({ ...applierFor('Insert')(of), batch: 1 }),
        });
      const left = async (undone: { readonly name: string }) =>
        (await logOf(server.site, await readLoad(server.site.database.reader, undone.name))).sort();

      test('keeps documents that have gained a comment, a file, a share or an assignment', async () => {
        const of = ['comment', 'file', 'share', 'assign', 'none'];
        const { name } = await load(of.map((one) => stone(one)));
        const about = (one: string) => ({ reference_doctype: 'Stone', reference_name: named(one) });
        const comment = await server.make('Comment', {
          ...{ comment_type: 'Comment', content: 'x' },
          ...about('comment'),
        });
        const file = await server.make('File', {
          ...{ file_name: `${prefix}.txt`, is_private: 1, content: 'x' },
          ...{ attached_to_doctype: 'Stone', attached_to_name: named('file') },
        });
        await server.call('frappe.share.add', {
          ...{ doctype: 'Stone', name: named('share'), user: 'sue@example.com', read: 1 },
        });
        const assigned = { doctype: 'Stone', name: named('assign'), assign_to: ['sue@example.com'] };
        await server.call('frappe.desk.form.assign_to.add', assigned);
        const undone = await undo(name);
        assert.deepEqual([undone.status, undone.undone, undone.kept], ['Undone', 1, 4]);
        const reasons = await left(undone);
        assert.deepEqual(reasons.slice(0, 2), [
          `undo 1  : Comment ${comment.name} belongs to it`,
          `undo 2  : File ${file.name} belongs to it`,
        ]);
        assert.match(reasons[2] ?? '', /^undo 3 {2}: DocShare \S+ belongs to it$/);
        assert.deepEqual(reasons.slice(3), ['undo 4  : The document has changed since']);
      });

      // A deletion empties `next`, and deletes what has `under`.
      for (const link of ['next', 'under']) {
        test(`keeps a document that cannot get its former values, and what is in ${link} of it`, async () => {
          const [host, fresh] = [`${link} host`, `${link} fresh`];
          const [before, after] = [1, 2].map((code) => named(`${link} ${code}`));
          await server.make('Stone', { name: named(host), code: before });
          for (const [at, rows] of [
            [stone(host, { code: after, [link]: named(fresh) }), stone(fresh)],
            [stone(fresh), stone(host, { code: after, [link]: named(fresh) })],
          ].entries()) {
            const { name } = await load(rows, 'Upsert');
            const taker = named(`${link} taker ${at}`);
            await server.make('Stone', { name: taker, code: before });
            const undone = await undo(name);
            assert.deepEqual([undone.undone, undone.kept], [0, 2]);
            const stays = await server.did('GET', `Stone/${named(host)}`);
            assert.deepEqual([stays.code, stays[link]], [after, named(fresh)]);
            await server.did('DELETE', `Stone/${taker}`);
            await server.did('PUT', `Stone/${named(host)}`, { code: before, [link]: '' });
            await server.did('DELETE', `Stone/${named(fresh)}`);
          }
          await server.did('DELETE', `Stone/${named(host)}`);
        });
      }

      test('keeps a document that was deleted and made anew', async () => {
        const { name } = await load([stone('anew')]);
        await server.did('DELETE', `Stone/${named('anew')}`);
        await server.make('Stone', { name: named('anew'), text: 'mine' });
        const undone = await undo(name);
        assert.deepEqual([undone.undone, undone.kept], [0, 1]);
        assert.deepEqual(await left(undone), ['undo 1  : The document has changed since']);
        assert.equal((await server.did('GET', `Stone/${named('anew')}`)).text, 'mine');
        await server.did('DELETE', `Stone/${named('anew')}`);
      });

      test('keeps what a kept document links to, wherever it is in the load, and goes on after a kill', async () => {
        const { name } = await load([
          ...[stone('to'), stone('changed'), stone('free')],
          stone('between', { next: named('to') }),
        ]);
        await server.did('PUT', `Stone/${named('changed')}`, { next: named('between') });
        const kill = new AbortController();
        kill.abort();
        assert.equal((await undo(name, kill.signal)).status, 'Undoing');
        const undone = await undo(name);
        assert.deepEqual([undone.status, undone.undone, undone.kept], ['Undone', 1, 3]);
        assert.deepEqual(await left(undone), [
          `undo 1  : Stone ${named('between')} links to it`,
          'undo 2  : The document has changed since',
          `undo 4  : Stone ${named('changed')} links to it`,
        ]);
        const links = ['changed', 'between'].map(async (one) => server.did('GET', `Stone/${named(one)}`));
        assert.deepEqual(
          (await Promise.all(links)).map(({ next }) => next),
          [named('between'), named('to')],
        );
      });
    });
  }

  test('takes back comments of the same load, and documents under other names than in the source', async () => {
    const records: readonly SourceRecord[] = [
      { doctype: 'Stone', key: 'a long name', row: 1, values: { name: 'short' } },
      { doctype: 'Stone', key: 'another long name', row: 2, values: { name: 'linking', next: 'short' } },
      {
        ...{ doctype: 'Comment', key: 'c1', row: 3 },
        values: {
          ...{ name: 'c1', comment_type: 'Comment', content: 'x' },
          ...{ reference_doctype: 'Stone', reference_name: 'short' },
        },
      },
    ];
    const source = {
      ...sourceOf([]),
      async *records() {
        yield* records;
      },
    };
    const load = await newLoad(server.site, storeOptions(server.site));
    const applier = appliers['loading operation']('Insert');
    await runLoad({ site: server.site, load, source, applier });
    const undone = await undoLoad({ site: server.site, load, applier });
    assert.deepEqual([undone.undone, undone.kept], [3, 0]);
  });

  test('takes back what a save has added to its document', async () => {
    const { file_url: picture } = await server.make('File', {
      file_name: 'p.txt',
      is_private: 1,
      content: 'x',
    });
    const load = await newLoad(server.site, storeOptions(server.site));
    const applier = appliers['ordinary import']('Insert');
    const source = sourceOf([{ doctype: 'Stone', name: 'pictured', picture }]);
    await runLoad({ site: server.site, load, source, applier });
    const attached = await server.did('GET', 'File?filters=[["attached_to_name","=","pictured"]]');
    assert.equal(attached.length, 1);
    const undone = await undoLoad({ site: server.site, load, applier });
    assert.deepEqual([undone.undone, undone.kept], [1, 0]);
  });

  describe('of rows that change documents', () => {
    const upsert = appliers['ordinary import'];
    /** Imports rows, each with its number as its key, and does something before the undo of all of them at once. */
    async function undoAfter(rows: readonly Row[], between: () => Promise<unknown>) {
      const load = await newLoad(server.site, storeOptions(server.site, { mode: 'Upsert' }));
      const source = {
        ...sourceOf([]),
        async *records() {
          for (const [at, values] of rows.entries())
            yield { doctype: 'Stone', key: `${at}`, row: at, values };
        },
      };
      await runLoad({ site: server.site, load, source, applier: upsert('Upsert') });
      await between();
      return undoLoad({ site: server.site, load, applier: upsert('Upsert') });
    }

    test('keeps what a kept document of several rows links to', async () => {
      const rows = [{ name: 'target' }, { name: 'twice', next: 'target' }, { name: 'twice', text: 'x' }];
      const undone = await undoAfter(rows, () => server.make('Stone', { name: 'outside', next: 'twice' }));
      assert.deepEqual([undone.undone, undone.kept], [1, 2]);
      const { next, text = null } = await server.did('GET', 'Stone/twice');
      assert.deepEqual([next, text], ['target', null]);
    });
  });
});
