/** Places and databases that cannot be used: every command says why in one line, and what to do. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { spawnChancery } from '../support/server-process.ts';
import { someOf } from '../support/some-of.ts';

const made: string[] = [];
after(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'chancery-unusable-'));
  made.push(path);
  return path;
}

/** A data directory whose database holds this. */
function dataWith(content: string | Buffer): string {
  const data = folder();
  writeFileSync(join(data, 'chancery.db'), content);
  return data;
}

/** A data directory with a site in it. */
async function dataWithSite(): Promise<string> {
  const data = folder();
  await (await openSite({ ...DEFAULT_CONFIG, data, apps: [] })).close();
  return data;
}

async function refuses(
  argv: readonly string[],
  said: RegExp,
  through: readonly string[] = [],
): Promise<void> {
  const done = await spawnChancery([...argv, '--apps='], { input: 'orchid under glass\n', through }).finished;
  assert.equal(done.code, 1, `${argv}: ${done.stdout}${done.stderr}`);
  assert.match(done.stderr, said);
  assert.equal(done.stderr.trim().split('\n').length, 1, done.stderr);
  assert.ok(!done.stderr.includes('    at '), done.stderr);
}

const RESTORE = 'Restore it from a backup, or choose another directory with --data.';
const HEADER = Buffer.concat([Buffer.from('SQLite format 3\0', 'latin1'), Buffer.alloc(8_176, 0xa5)]);

describe('a file that is not a database', () => {
  const data = dataWith('no database at all '.repeat(500));
  const commands = [
    ['serve', '--port', '0'],
    ['migrate'],
    ['migrate', '--plan'],
    ['doctor'],
    ['doctor', '--deep', '--json'],
    ['api-key', 'list'],
    ['user', 'list'],
    ['user', 'set-password', 'Administrator'],
    ['secrets', 'check'],
    ['secrets', 'rotate'],
    ['files', 'check'],
    ['files', 'move', join(tmpdir(), 'nowhere')],
    ['explain', '--user', 'Administrator', '--doctype', 'User'],
  ];
  for (const argv of someOf(commands, 3)) {
    test(`chancery ${argv.join(' ')}`, () =>
      refuses(
        [...argv, '--data', data],
        new RegExp(`cannot open the SQLite database .*: file is not a database. ${RESTORE}`),
      ));
  }

  test('chancery config prints the known settings, with a warning', async () => {
    const { code, stdout, stderr } = await spawnChancery(['config', '--data', data]).finished;
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).data, data);
    assert.match(stderr, /^Warning: System Settings cannot be read\. .*file is not a database/);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  });
});

const COMMANDS = someOf([['serve', '--port', '0'], ['doctor'], ['user', 'list']], 2);

describe('other things in the place of a database, or of its directory', () => {
  const text = join(dataWith('text'), 'chancery.db');
  const directory = folder();
  mkdirSync(join(directory, 'chancery.db'));
  for (const [what, data, said] of [
    [
      'noise behind a header',
      dataWith(HEADER),
      /cannot open the SQLite database .*(?:malformed|not a database)/,
    ],
    ['a directory', directory, /The database cannot be used: .*chancery\.db is not a file\./],
  ] as const) {
    for (const argv of COMMANDS) {
      test(`${what}: chancery ${argv[0]}`, () => refuses([...argv, '--data', data], said));
    }
  }

  for (const [what, data, said] of [
    ['a file', text, /The data directory cannot be used: .*chancery\.db is a file, not a directory\./],
    [
      'a path below a file',
      join(text, 'below'),
      /The data directory cannot be used: .*chancery\.db is a file/,
    ],
    ['a place where nothing can be made', '/proc/chancery', /The data directory cannot be used: /],
  ] as const) {
    const skip = data.startsWith('/proc') && process.platform !== 'linux';
    test(`${what} as data directory: chancery serve`, { skip }, () =>
      refuses(['serve', '--port', '0', '--data', data], said),
    );
  }

  test('a file in the place of the directory of files, or of the database', async () => {
    const start = ['serve', '--port', '0', '--data', folder()];
    const said =
      /cannot be written: \S+chancery\.db is a file, not a directory\. Choose another directory\.$/m;
    await refuses([...start, '--files', text], said);
    await refuses([...start, '--files', join(text, 'below')], said);
    await refuses(
      [...start, '--database', `sqlite:${join(text, 'below.db')}`],
      /The directory of the database cannot be used: \S+chancery\.db is a file, not a directory\./,
    );
  });

  test('a PostgreSQL that does not answer: chancery serve, doctor, user list', async () => {
    const database = 'postgres://user:hush@127.0.0.1:1/none';
    const said = /^(?!.*hush)cannot use the PostgreSQL database 127\.0\.0\.1:1\/none: .*ECONNREFUSED/;
    for (const argv of COMMANDS) await refuses([...argv, '--data', folder(), '--database', database], said);
  });
});

const isRoot = process.getuid?.() === 0;
// Another user cannot keep compiled code where we do, and a start without it takes seconds.
const compiled = folder();
chmodSync(compiled, 0o777);
const NOBODY = [
  ...['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
  ...['env', `NODE_COMPILE_CACHE=${compiled}`],
];
const READ_ONLY = [
  ...['unshare', '--user', '--map-root-user', '--mount'],
  ...['sh', '-c', 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'],
];

describe('a site that this user may not use', () => {
  let data: string;
  before(async () => {
    data = await dataWithSite();
  });

  const others = { skip: !isRoot || spawnSync('setpriv', [...NOBODY.slice(1), 'true']).status !== 0 };
  for (const argv of COMMANDS) {
    test(`data of another user: chancery ${argv[0]}`, others, () =>
      refuses(
        [...argv, '--data', data],
        /cannot be used: \S+ belongs to user 0, and this process runs as user 65534\. Run it as user 0, or/,
        NOBODY,
      ),
    );

    const mounts = spawnSync(READ_ONLY[0] ?? '', [...READ_ONLY.slice(1), tmpdir(), 'true']).status === 0;
    test(`a read-only file system: chancery ${argv[0]}`, { skip: !mounts }, () =>
      refuses(
        [...argv, '--data', data],
        /cannot be used: \S+ is on a read-only file system\. Mount it writable/,
        [...READ_ONLY, data],
      ),
    );
  }

  test('a database file that is read-only', others, async () => {
    const mine = await dataWithSite();
    for (const name of [mine, join(mine, 'secret.key')]) spawnSync('chown', ['65534:65534', name]);
    chmodSync(join(mine, 'chancery.db'), 0o444);
    for (const argv of COMMANDS) {
      await refuses([...argv, '--data', mine], /cannot be used: \S+chancery\.db belongs to user 0/, NOBODY);
    }
    spawnSync('chown', ['65534:65534', join(mine, 'chancery.db')]);
    const start = ['serve', '--port', '0', '--data', mine];
    await refuses(
      start,
      /The permissions of \S+chancery\.db keep its owner out\. Change them: chmod u\+rwX/,
      NOBODY,
    );
    chmodSync(join(mine, 'chancery.db'), 0o644);
    await refuses(start, /The database cannot be locked: \S+chancery\.db-lock belongs to user 0/, NOBODY);
  });

  test('files created by root do not lock out the owner', others, async () => {
    const mine = await dataWithSite();
    rmSync(join(mine, 'chancery.db-lock'));
    spawnSync('chown', ['-R', '65534:65534', mine]);
    for (const command of [['migrate'], ['secrets', 'rotate']]) {
      for (const through of [[], NOBODY, [], NOBODY]) {
        const done = await spawnChancery([...command, '--data', mine, '--apps='], { through }).finished;
        assert.equal(done.code, 0, done.stderr);
      }
    }
  });
});
