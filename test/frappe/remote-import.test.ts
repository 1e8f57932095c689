import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../src/cli/cli.ts';
import type { Comparison } from '../../src/frappe/remote/follower.ts';
import { importSite } from '../../src/frappe/remote/import-site.ts';
import { openRemote, planRemote } from '../../src/frappe/remote/open-remote.ts';
import { readRemoteSchema } from '../../src/frappe/remote/read-remote-schema.ts';
import { RemoteSite } from '../../src/frappe/remote/remote-site.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { describeEither } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const permissions = [{ role: 'Mechanic', read: 1, write: 1, create: 1, delete: 1 }];
const DOCTYPES = [
  { name: 'Part', istable: 1, fields: [{ fieldname: 'qty', fieldtype: 'Float' }] },
  {
    ...{ name: 'Machine', autoname: 'prompt', permissions },
    fields: [
      { fieldname: 'label', fieldtype: 'Data' },
      { fieldname: 'next', fieldtype: 'Link', options: 'Machine' },
      { fieldname: 'parts', fieldtype: 'Table', options: 'Part' },
    ],
  },
  {
    name: 'Meter',
    autoname: 'autoincrement',
    permissions,
    fields: [{ fieldname: 'at', fieldtype: 'Datetime' }],
  },
  { name: 'Shop', issingle: 1, permissions, fields: [{ fieldname: 'motto', fieldtype: 'Data' }] },
];

interface Pair {
  readonly from: TestSite;
  readonly to: TestSite;
  stop(): Promise<void>;
}

const startPair = async (engine: Parameters<typeof startTestSite>[0]): Promise<Pair> => {
  const config = { timestampPrecision: 'microseconds' } as const;
  const users = { reader: ['Desk User'], ann: ['Mechanic'] };
  const from = await startTestSite(engine, { doctypes: DOCTYPES, users, config });
  const to = await startTestSite(engine, { config });
  return { from, to, stop: async () => void (await Promise.all([from.stop(), to.stop()])) };
};

describeEither('a running site is imported', startPair, (pair) => {
  const remote = (key = pair.from.adminKey) =>
    new RemoteSite({ origin: pair.from.url, key, clock: systemClock(), random: systemRandom() });
  const signal = new AbortController().signal;
  const importAll = async (isKnown = false, isOverwriting = false, isKeeping = false) => {
    const source = await openRemote(remote());
    const given = { site: pair.to.site, source, signal, timeZone: 'UTC', tell: () => {} };
    const imported = await importSite({ ...given, isOverwriting, isKeeping }, isKnown);
    assert.ok(imported);
    return { ...imported, files: await imported.carryFiles() };
  };
  const machine = (name: string) => pair.to.did('GET', `Machine/${name}`);
  /** The answers of both sites. */
  const both = async (path: string) => Promise.all([pair.from, pair.to].map((site) => site.did('GET', path)));

  test('its definitions are read, and what the key may not read is told', async () => {
    const schema = await readRemoteSchema(remote());
    assert.deepEqual([schema.user, schema.isSystemManager], ['Administrator', true]);
    const fields = schema.rows('DocField').filter(({ parent }) => parent === 'Machine');
    assert.deepEqual(
      fields.map(({ fieldname, fieldtype, options }) => [fieldname, fieldtype, options]).toSorted(),
      [
        ['label', 'Data', undefined],
        ['next', 'Link', 'Machine'],
        ['parts', 'Table', 'Part'],
      ],
    );
    const limited = await readRemoteSchema(remote(pair.from.keyOf('reader').replace('token ', '')));
    assert.deepEqual([limited.user, limited.isSystemManager], ['reader@example.com', false]);
    assert.ok(limited.unreadable.has('Webhook'));
  });

  test('all comes as it was: documents, rows, numbers, singles, users, files', async () => {
    const { from, to } = pair;
    await from.make('Machine', { name: 'A', label: 'a', parts: [{ qty: 1.5 }, { qty: 2 }] }, 'ann');
    await from.make('Machine', { name: 'B/1 ü', label: 'b', next: 'A' });
    await from.did('PUT', 'Machine/A', { next: 'B/1 ü' });
    for (const at of ['2026-01-02 03:04:05', '2026-01-02 03:04:06']) await from.make('Meter', { at });
    await from.did('PUT', 'Shop/Shop', { motto: 'fix it' });
    for (const [name, isPrivate] of [
      ['open.txt', '0'],
      ['se cret.txt', '1'],
    ] as const) {
      const form = new FormData();
      form.set('file', new Blob([`bytes of ${name}`]), name);
      for (const [key, value] of [
        ['is_private', isPrivate],
        ['doctype', 'Machine'],
        ['docname', 'A'],
      ] as const)
        form.set(key, value);
      await from.ok('POST', '/api/method/upload_file', { body: form });
    }
    const plan = planRemote(await openRemote(remote()), null);
    const counts = Object.fromEntries(plan.comes.map(({ doctype, rows }) => [doctype, rows]));
    assert.deepEqual([counts['Machine'], counts['Meter'], counts['Shop'], counts['User']], [2, 2, 1, 2]);

    const { load, files, follower } = await importAll();
    assert.deepEqual([load.counts.failed, load.brokenLinks, files.stored, files.missing], [0, 0, 2, []]);
    for (const path of ['Machine/A', 'Machine/B%2F1%20ü', 'Meter/2', 'Shop/Shop']) {
      const [there, here] = await both(path);
      assert.deepEqual(here, there, path);
    }
    assert.deepEqual((await to.did('GET', 'User/ann@example.com')).roles.length, 1);
    const listed = await both(
      'File?filters=[["is_folder","=",0]]&fields=["name","file_url","is_private","attached_to_name"]',
    );
    assert.deepEqual(listed[1], listed[0]);
    for (const { file_url: url } of listed[1]) {
      assert.equal((await to.request('GET', url)).text, (await from.request('GET', url)).text);
      assert.equal(
        (await to.request('GET', url, { as: null })).status,
        url.startsWith('/private') ? 403 : 200,
      );
    }
    const compared = await follower.compare();
    assert.ok(
      compared.isAgreed,
      JSON.stringify([...compared.counts, ...compared.conflicts, compared.stored]),
    );
  });

  test('what changes there follows: changes, deletions, renames with the links to them', async () => {
    const { from, to } = pair;
    const { follower, carryFiles } = await importAll(true);
    await from.did('PUT', 'Machine/A', { label: 'a2', parts: [{ qty: 9 }] });
    await from.make('Machine', { name: 'C', next: 'A' });
    await from.did('DELETE', 'Meter/1');
    const [file] = await from.did(
      'GET',
      'File?filters=[["file_name","=","open.txt"]]&fields=["name","file_url"]',
    );
    await from.did('DELETE', `File/${file.name}`);
    const round = await follower.poll();
    assert.deepEqual([round.failed, round.removed, [...round.refused]], [0, 1, []]);
    for (const path of ['Machine/A', 'Machine/C']) {
      const [there, here] = await both(path);
      assert.deepEqual(here, there, path);
    }
    assert.equal((await to.request('GET', '/api/resource/Meter/1')).status, 404);

    await from.ok('POST', '/api/method/frappe.client.rename_doc', {
      body: { doctype: 'Machine', old_name: 'A', new_name: 'Z' },
    });
    // A deleted File leaves no record.
    await follower.compare();
    assert.equal((await to.request('GET', file.file_url)).status, 404);
    assert.equal((await machine('C')).next, 'Z');
    assert.equal((await to.request('GET', '/api/resource/Machine/A')).status, 404);
    await carryFiles();
    const last = await follower.compare();
    assert.ok(last.isAgreed, told(last));
  });

  test('the command plans, imports, and says whether both sides agree', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-remote-'));
    const keyFile = join(folder, 'frappe.key');
    await writeFile(keyFile, `${pair.from.adminKey}\n`);
    let said = '';
    const stream = { write: (text: string) => (said += text) };
    const source = ['--key-file', keyFile, '--source-time-zone', 'UTC'];
    const command = (...flags: string[]) =>
      run(['import', 'frappe', pair.from.url, ...source, '--data', folder, ...flags], {
        ...{ stdout: stream, stderr: stream },
      });
    assert.equal(await command('--plan'), 0, said);
    assert.match(said, /^ {2}Machine: 3 \(doctype\)$/m);
    assert.doesNotMatch(said, new RegExp(pair.from.adminKey.split(':')[1] ?? '-'));
    assert.equal(
      await run(['migrate', '--data', folder, '--apps', ''], { stdout: stream, stderr: stream }),
      0,
      said,
    );
    assert.equal(await command('--apps', '', '--until-agreed', '--interval', '1s'), 0, said);
    assert.match(said, /^Names and counts agree: \d+ documents of \d+ doctypes\.$/m);
    await writeFile(keyFile, 'wrong:key');
    assert.equal(await command('--plan'), 1);
    assert.match(said, /refused frappe\.auth\.get_logged_user: 401/);
    await rm(folder, { recursive: true });
  });

  test('what changed here is not overwritten, and forbids agreement', async () => {
    const { follower } = await importAll(true);
    await pair.to.did('PUT', 'Machine/C', { label: 'here' });
    await pair.from.did('PUT', 'Machine/C', { label: 'there' });
    assert.deepEqual([...(await follower.poll()).conflicts], ['Machine C']);
    const { load } = await importAll();
    assert.equal(load.counts.failed, 1);
    assert.equal((await machine('C')).label, 'here');
    assert.equal((await follower.compare()).isAgreed, false);

    const overwriting = await importAll(true, true);
    await overwriting.follower.compare();
    assert.equal((await machine('C')).label, 'there');
    const last = await overwriting.follower.compare();
    assert.ok(last.isAgreed, told(last));
  });

  test('a field that is new there is no silent loss: the import names it, and goes on when asked', async () => {
    const { fields } = await pair.from.did('GET', 'DocType/Machine');
    const more = [...fields, { fieldname: 'color', label: 'Color', fieldtype: 'Data' }];
    await pair.from.did('PUT', 'DocType/Machine', { fields: more });
    await pair.from.make('Machine', { name: 'Painted', color: 'red' });
    await assert.rejects(importAll(), /Machine \(color: no such field here\)\. With --keep-doctypes/);
    const { changes } = await importAll(false, false, true);
    assert.equal((await machine('Painted')).color, undefined);
    const left = changes.filter(({ what }) => what === 'value left behind: no such field here');
    assert.deepEqual(left, [{ ...left[0], doctype: 'Machine', field: 'color', examples: ['Painted'] }]);
  });
});

function told({ counts, conflicts, refused, ...round }: Comparison): string {
  return JSON.stringify([...counts, ...conflicts, ...refused, round]);
}
