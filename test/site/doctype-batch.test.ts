/** Many definitions in one transaction, by `chancery.load_doctypes` and `chancery doctypes load`. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { run } from '../../src/cli/cli.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { writeApp } from '../support/app-folder.ts';
import { countTurns } from '../support/count-turns.ts';
import { describeEither } from '../support/describe-site.ts';
import { ODD_ROW, ODDITIES, oddDefinition } from '../support/odd-definitions.ts';
import { until } from '../support/until.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-batch-'));
after(() => rmSync(root, { recursive: true, force: true }));

const RIGHTS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
/** Few enough that a slow machine loads them well within the time of a request. */
const RING = 40;

const ring = (size: number, name: string) =>
  Array.from({ length: size }, (_, at) => ({
    doctype: 'DocType',
    name: `${name} ${at}`,
    module: 'Rings',
    autoname: 'hash',
    // As in a file of another site.
    owner: 'someone@example.com',
    modified: '2013-01-01 00:00:00',
    docstatus: 0,
    idx: 3,
    fields: [{ fieldname: 'next', fieldtype: 'Link', options: `${name} ${(at + 1) % size}` }],
    permissions: at === 0 ? [...RIGHTS, { role: 'Ring Bearer', read: 1 }] : RIGHTS,
  }));

const APP = writeApp(mkdtempSync(join(root, 'app-')), 'shop', [
  { name: 'Shop', module: 'Shop', fields: [{ fieldname: 'title', fieldtype: 'Data' }], permissions: RIGHTS },
]);
const apps = [{ name: 'shop', doctypes: pathToFileURL(join(APP, 'doctypes/')) }];

describeEither('a batch of definitions', { apps, users: { clerk: ['Desk User'] } }, (site) => {
  const load = (doctypes: unknown, as?: string) => site.rpc('chancery.load_doctypes', { doctypes }, as);

  test('a cycle of doctypes loads, its Links are checked, and its roles exist', async () => {
    const definitions = ring(RING, 'Ring');
    const turns = countTurns();
    const result = await site.call('chancery.load_doctypes', { doctypes: definitions });
    turns.stop();
    assert.ok(turns.count() >= RING, 'other requests have their turn after each definition');
    assert.deepEqual(
      result,
      JSON.parse(JSON.stringify({ created: definitions.map(({ name }) => name), updated: [], notes: [] })),
    );
    const last = await site.make(`Ring ${RING - 1}`, {});
    await site.make(`Ring ${RING - 2}`, { next: last.name });
    const refused = await site.request('POST', '/api/resource/Ring 0', { body: { next: last.name } });
    assert.equal(refused.body.exc_type, 'LinkValidationError');
    assert.equal((await site.did('GET', 'Role/Ring Bearer')).desk_access, 1);
    const stored = await site.did('GET', 'DocType/Ring 7');
    assert.deepEqual([stored.custom, stored.owner], [1, 'Administrator']);
    assert.notEqual(stored.modified, '2013-01-01 00:00:00');
  });

  test('a second load updates, and changes are in the audit log', async () => {
    const [first] = ring(RING, 'Ring');
    const again = { ...first, fields: [...(first?.fields ?? []), { fieldname: 'size', fieldtype: 'Int' }] };
    const result = await site.call('chancery.load_doctypes', { doctypes: [again] });
    assert.deepEqual([result.created, result.updated, result.notes], [[], ['Ring 0'], []]);
    assert.equal((await site.make('Ring 0', { size: 4 })).size, 4);
    const filters = JSON.stringify([['reference_name', '=', 'Ring 0']]);
    const log = await site.request('GET', `/api/resource/Audit Log?filters=${filters}&fields=["event"]`);
    assert.ok(log.text.includes('doctype_changed') && log.text.includes('permissions_changed'), log.text);
  });

  test('oddities are notes in the reply and in doctor, and the doctypes work', async () => {
    const odd = oddDefinition('Odd', ODDITIES);
    const { notes } = await site.call('chancery.load_doctypes', { doctypes: [odd, ODD_ROW] });
    const messages: string[] = notes
      .filter((note: { doctype: string }) => note.doctype === 'Odd')
      .map((note: { message: string }) => note.message);
    const doctor = (await examineSite(site.site.config, apps)).map(({ message }) => message);
    for (const { title, problem, effect, stores } of ODDITIES) {
      const isIt = (text: string) => problem.test(text) && text.endsWith(`; ${effect}`);
      assert.ok(messages.some(isIt), title);
      assert.ok(doctor.filter((text) => text.startsWith('DocType Odd: ')).some(isIt), title);
      const made = await site.make('Odd', { title, ...stores });
      for (const [key, value] of Object.entries(stores ?? {})) assert.equal(made[key], value, key);
    }
  });

  test('a change of a doctype with notes is refused only for new oddities', async () => {
    const stored = await site.did('GET', 'DocType/Odd');
    await site.did('PUT', 'DocType/Odd', { description: 'Changed', fields: stored.fields });
    const fields = [...stored.fields, { fieldname: 'worse', fieldtype: 'Link', options: 'Not There' }];
    const refused = await site.request('PUT', '/api/resource/DocType/Odd', { body: { fields } });
    assert.equal(refused.status, 417);
    assert.match(refused.body.exception, /there is no DocType Not There/);
  });

  test('one definition that cannot be loaded undoes the whole batch, and is named', async () => {
    const sound = { name: 'Sound', fields: [], permissions: [{ role: 'Sound Role', read: 1 }] };
    for (const [wrong, why] of [
      [{ name: 'Wrong', fields: [{ fieldname: 'a', fieldtype: 'Blob' }] }, /Wrong.*Blob|Blob.*Wrong/],
      [{ name: 'Wrong', fields: [{ fieldname: 'a b' }] }, /Wrong/],
      [{ name: 'Wrong', permissions: [{ role: 'All', raed: 1 }] }, /Wrong.*did you mean read/],
      [{ name: 'sound', fields: [] }, /must differ by more than case/],
      [{ name: 'Sound', fields: [] }, /defined more than once/],
      [{ fields: [] }, /Definition 2 is not a DocType/],
      [{ doctype: 'User', name: 'Wrong' }, /Definition 2 is not a DocType/],
      [{ name: '1st', fields: [] }, /1st/],
    ] as const) {
      const refused = await load([sound, wrong]);
      assert.ok(refused.status === 417 || refused.status === 409, refused.text);
      assert.match(refused.text, why);
      const shown: string[] = JSON.parse(refused.body._server_messages);
      for (const message of shown) assert.match(message, /Wrong|[Ss]ound|Definition 2|1st/);
      assert.equal(site.site.doctypes.find('Sound'), undefined);
      assert.equal((await site.request('GET', '/api/resource/Role/Sound Role')).status, 404);
      assert.equal((await site.request('GET', '/api/resource/DocType/Sound')).status, 404);
    }
  });

  test('doctypes of the server and of apps, and virtual ones, stay out with a note', async () => {
    const names = ['User', 'Shop', 'Ghost'];
    const { created, updated, notes } = await site.call('chancery.load_doctypes', {
      doctypes: names.map((name) => ({ name, fields: [], is_virtual: name === 'Ghost' ? 1 : 0 })),
    });
    assert.deepEqual([created, updated], [[], []]);
    assert.deepEqual(
      notes.map(({ message }: { message: string }) => message),
      [
        'it belongs to Chancery itself; this definition is ignored',
        'it is defined by the app shop; this definition is ignored',
        "a virtual doctype needs an app's controller; this definition is ignored",
      ],
    );
    assert.ok(site.site.doctypes.get('User').fieldByName.has('email'));
  });

  test('only System Managers may load definitions', async () => {
    assert.equal((await load([{ name: 'Mine', fields: [] }], 'clerk')).status, 403);
    assert.equal(site.site.doctypes.find('Mine'), undefined);
  });

  test('the command line loads a folder, also beside the running server', async () => {
    const folder = mkdtempSync(join(root, 'files-'));
    for (const definition of [...ring(3, 'File Ring'), oddDefinition('File Odd', ODDITIES.slice(1, 2))]) {
      mkdirSync(join(folder, definition.name), { recursive: true });
      writeFileSync(join(folder, definition.name, 'definition.json'), JSON.stringify(definition));
    }
    writeFileSync(join(folder, 'report.json'), JSON.stringify({ doctype: 'Report', name: 'Other' }));
    const { data, database } = site.site.config;
    const place = ['--data', data, ...(database === null ? [] : ['--database', database])];
    let printed = '';
    const output = { write: (text: string) => (printed += text) };
    const words = ['doctypes', 'load', folder, ...place, '--apps', APP];
    assert.equal(await run(words, { stdout: output, stderr: output }), 0, printed);
    assert.match(printed, /^Note: DocType File Odd: Field to_nothing: there is no DocType Not Installed/m);
    assert.match(printed, /^4 doctypes created, 0 updated, 1 notes\.$/m);
    await until(() => site.site.doctypes.find('File Odd') !== undefined);
    await site.make('File Odd', { to_nothing: 'free text' });
    const nothing = mkdtempSync(join(root, 'empty-'));
    assert.equal(await run(['doctypes', 'load', nothing, ...place], { stdout: output, stderr: output }), 1);
    assert.match(printed, /There is no definition of a doctype in/);
  });
});
