/** Places of backups that cannot work, damage that a restore passes over, and copies that would act by themselves. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { bringBack } from '../../src/backup/copies/bring-back.ts';
import { TURNED_OFF } from '../../src/backup/copies/turn-off.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { examineBackups } from '../../src/site/doctor/examine-backups.ts';
import { filesPlaceOf, openStorage } from '../../src/site/open-storage.ts';
import { lackOfSpace } from '../../src/site/space-needed.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { whyImpossible } from '../../src/site/start/restore-site.ts';
import { chancery, flagsOf } from '../support/command.ts';
import { opened, storeText } from '../support/kept-files.ts';

const BILL = {
  name: 'Bill',
  module: 'Core',
  custom: 1,
  autoname: 'hash',
  fields: [{ fieldname: 'of', label: 'Of', fieldtype: 'Data' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
};

let root: string;
let config: Config;
let site: OpenSite;
const place = (name: string) => join(root, name);
const run = (...words: readonly string[]) => chancery(root, words);

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'chancery-faults-'));
  config = { ...DEFAULT_CONFIG, apps: [], data: place('data') };
  site = await openSite(config, { apps: [] });
  await storeText(site, 'kept');
  await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, 'DocType', BILL));
  await backUp('backups');
  await backUp('backups');
});
after(async () => {
  await site.close();
  await rm(root, { recursive: true, force: true });
});

async function backUp(to: string): Promise<void> {
  const { code, stderr } = await run('backup', ...flagsOf(config), '--to', place(to));
  assert.equal(code, 0, stderr);
}

const repositoryIn = (name: string) => Repository.open(diskTarget(place(name)), { key: null, now: Date.now });

const REFUSED: readonly {
  readonly name: string;
  readonly to: () => Promise<string>;
  readonly says: RegExp;
}[] = [
  {
    name: 'on a file system that takes no directories',
    to: async () => '/proc/chancery/backups',
    says: /^The backups cannot be used: \/proc takes no new directories or files\. Choose another directory\.\n$/,
  },
  {
    name: 'below a file',
    to: async () => place('data/chancery.db/backups'),
    says: /is inside the data directory .*, and would be lost with it/,
  },
  {
    name: 'in the data directory',
    to: async () => place('data/backups'),
    says: /^The place of backups is inside the data directory \S+data, and would be lost with it: choose another disk/,
  },
  {
    name: 'among the stored files',
    to: async () => place('data/files/backups'),
    says: /is inside the data directory/,
  },
  {
    name: 'in the data directory by another name',
    async to() {
      await symlink(config.data, place('link'));
      return place('link/backups');
    },
    says: /is inside the data directory/,
  },
  {
    name: 'of something else',
    async to() {
      await mkdir(place('other'));
      await writeFile(place('other/letter.txt'), 'Dear Sam');
      return place('other');
    },
    says: /^The place for backups holds other things: choose an empty one/,
  },
];

for (const { name, to, says } of REFUSED) {
  test(`a place ${name} is refused`, {
    skip: name.includes('takes no') && process.platform !== 'linux',
  }, async () => {
    const { code, stderr } = await run('backup', ...flagsOf(config), '--to', await to());
    assert.equal(code, 1);
    assert.match(stderr, says);
  });
}

test('a restore passes over a damaged later backup, and says so', async () => {
  await backUp('damaged');
  await backUp('damaged');
  const [first = '', second = ''] = await (await repositoryIn('damaged')).names();
  await writeFile(join(place('damaged'), 'backups', second), 'damaged');
  const call = ['restore', first, '--data', place('restored'), '--from', place('damaged')];
  const { code, stdout, stderr } = await run(...call);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    new RegExp(`object backups/${second}: .*\\nA later state of the site could not be read\\. No later`),
  );
  assert.match(stdout, /Each series leaves out 1000 numbers/);
});

test('a dry run refuses the other database engine, and a disk without space', async () => {
  const database = ['--database', 'postgres://127.0.0.1:1/none'];
  const tried = await run(
    ...['restore', '--dry-run', '--data', place('engine'), '--from', place('backups')],
    ...database,
  );
  assert.equal(tried.code, 1, tried.stderr);
  assert.match(
    tried.stdout,
    /The backup is one of SQLite: --database must name such a database\.\n(?:.*\n)*Nothing was changed\. /,
  );

  const empty = { ...config, data: place('space') };
  const storage = await openStorage(filesPlaceOf(empty), systemRandom());
  const repository = await repositoryIn('backups');
  const manifest = await repository.manifest((await repository.names())[0] ?? '');
  const files = { config: empty, place: filesPlaceOf(empty), storage, observe: () => {} };
  assert.deepEqual(await whyImpossible(files, repository, manifest), []);
  const large = { ...manifest, files: { ...manifest.files, bytes: 1e18 } };
  const [why = ''] = await whyImpossible(files, repository, large);
  assert.match(
    why,
    /^There is no space for the restore: \d+ MB are needed in .*space and .*files, and \d+ MB are free\.$/,
  );
  assert.equal(lackOfSpace([{ path: root, bytes: 1 }]), null);
});

test('doctor tells that a place of backups is of no use', async () => {
  const other = { ...config, data: place('other-site') };
  await opened(other, async () => {});
  const foreign = await run('backup', ...flagsOf(other), '--to', place('foreign'));
  assert.equal(foreign.code, 0, foreign.stderr);
  const key = Buffer.alloc(32, 7).toString('base64');
  const cases: readonly [Partial<Config['backup']>, string, RegExp][] = [
    [{ to: place('backups') }, 'ok', /^The newest backup in .* is of /],
    [{ to: place('foreign') }, 'problem', /those of another site/],
    [{ to: place('nothing') }, 'problem', /There are no backups of Chancery in this place/],
    [{ to: place('data/backups') }, 'problem', /inside the data directory/],
    [{ to: place('backups'), key }, 'problem', /are not encrypted/],
    [{ to: place('backups'), every: 1 }, 'problem', /The newest backup is of /],
  ];
  for (const [settings, state, message] of cases) {
    const backup = { ...config.backup, ...settings };
    const [finding] = await examineBackups({ ...config, backup }, site.database.reader);
    assert.equal(finding?.state, state, message.source);
    assert.match(finding?.message ?? '', message);
  }
  assert.deepEqual(await examineBackups(config, site.database.reader), []);
});

/** Documents of a backup that act by themselves. */
const ACTING: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'Document Naming Rule': { name: 'rule', document_type: 'Bill', prefix: 'BILL-', prefix_digits: 5 },
  'OAuth Client': {
    name: 'client',
    app_name: 'Client',
    scopes: 'all openid',
    redirect_uris: 'https://client.example.com/',
    default_redirect_uri: 'https://client.example.com/',
  },
  'Social Login Key': {
    name: 'provider',
    provider_name: 'Provider',
    client_id: 'id',
    client_secret: 'secret',
    base_url: 'https://provider.example.com',
  },
  User: { name: 'gone@example.com', email: 'gone@example.com', first_name: 'Gone', user_type: 'System User' },
  Webhook: {
    name: 'hook',
    webhook_doctype: 'Bill',
    webhook_docevent: 'on_update',
    request_url: 'https://hook.example.com/',
    request_method: 'POST',
    request_structure: 'JSON',
    webhook_json: '{}',
    timeout: 5,
  },
};

/** Doctypes with a switch whose documents do nothing by themselves. */
const HARMLESS = ['Letter Head', 'Print Format', 'Role'];

test('every doctype with a switch is one that copies turn off, or one that does nothing by itself', () => {
  const found = site.doctypes
    .all()
    .filter(({ istable, issingle, rowsFrom }) => !istable && !issingle && rowsFrom === 'table')
    .filter(({ fields }) =>
      fields.some(
        ({ fieldname, fieldtype }) => fieldtype === 'Check' && /^(?:enable|disable)d?(?:_|$)/.test(fieldname),
      ),
    )
    .map(({ name }) => name);
  assert.deepEqual(found.sort(), [...TURNED_OFF.keys(), ...HARMLESS].sort());
  assert.deepEqual(Object.keys(ACTING), [...TURNED_OFF.keys()]);
});

for (const [name, values] of Object.entries(ACTING)) {
  test(`a copy of ${name} is turned off`, async () => {
    const { field, off } = TURNED_OFF.get(name) ?? assert.fail();
    const doctype = site.doctypes.get(name);
    const kept = {
      name: String(values['name']),
      docstatus: 0,
      values: { ...values, [field]: 1 - off },
      files: [],
    };
    const repository = { openFile: async () => null };
    const brought = await bringBack({ site, repository, backup: 'b', doctype }, kept);
    assert.ok(brought.notes.includes('turned off'), brought.notes.join());
    const row = await site.database.reader.get(
      sql`select ${ident(field)} as "state" from ${ident(name)} where "name" = ${brought.name ?? ''}`,
    );
    assert.equal(row?.['state'], off);
  });
}
