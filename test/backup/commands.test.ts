/** `chancery backup` beside a running site, and `chancery restore` into an empty place. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { RESTORING } from '../../src/file/site-mark.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { flagsOf, chancery as runCommand } from '../support/command.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { opened, servedText, storeText } from '../support/kept-files.ts';
import { asPostgresAdmin, freshDatabaseUrl } from '../support/postgres.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

describeEitherEngine('backups of a site', (engine) => {
  let root: string;
  let config: Config;
  let site: OpenSite;
  const urls = new Map<string, string>();
  const drops: (() => Promise<void>)[] = [];

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'chancery-backup-'));
    config = await emptyPlace('data');
    site = await openSite(config, { apps: [] });
    await store('first');
  });
  after(async () => {
    await site.close();
    for (const drop of drops) await drop();
    await rm(root, { recursive: true, force: true });
  });

  /** A data directory, and a database, where nothing is yet. */
  async function emptyPlace(name: string): Promise<Config> {
    const config = { ...DEFAULT_CONFIG, apps: [], data: join(root, name) };
    if (engine === 'sqlite') return config;
    const { url: database, drop } = await freshDatabaseUrl(engine);
    drops.push(drop);
    return { ...config, database };
  }

  const backUp = (to: string, settings: object = {}) =>
    succeeded(['backup', ...flagsOf(config), '--to', to], settings);

  const bringKey = ({ data }: Config) => copyFile(join(config.data, 'secret.key'), join(data, 'secret.key'));

  async function store(text: string): Promise<void> {
    urls.set(text, String((await storeText(site, text)).file_url));
  }

  const chancery = (words: readonly string[], settings?: object) => runCommand(root, words, settings);

  async function succeeded(words: readonly string[], settings?: object): Promise<string> {
    const { code, stdout, stderr } = await chancery(words, settings);
    assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  // What does not depend on the engine.
  const onSqlite = engine === 'sqlite' ? test : () => {};
  const place = (name: string) => join(root, name);
  const nameIn = (text: string) => /\d{8}T\d{6}Z-[0-9a-f]{8}/.exec(text)?.[0] ?? '';

  test('a backup is restored with its files, also by its name, and the site starts', async () => {
    const backups = place('backups');
    if (engine === 'postgres') {
      const schema = site.database.dialect.schema;
      await asPostgresAdmin((client) =>
        client.query(`create function "${schema}".added() returns int language sql as 'select 1'`),
      );
    }
    const made = await backUp(backups);
    const leavesOut = made.includes(
      'It leaves out what others have added to the schema: the function added.',
    );
    assert.equal(leavesOut, engine === 'postgres', made);
    assert.match(made, /It holds the state of .*, an? \w+ database of .* and 1 file \(5 bytes\)/);
    assert.ok(
      made.includes(`keep it elsewhere, where a fire here does not reach: ${config.data}/secret.key.`),
      made,
    );
    await store('second');
    await backUp(backups);
    const list = await succeeded(['backup', 'list', '--to', backups]);
    assert.equal(list.trim().split('\n').length, 2);
    assert.match(await succeeded(['backup', 'verify', '--to', backups]), /intact/);
    const rehearsed = await succeeded(['backup', 'rehearse', ...flagsOf(config), '--to', backups]);
    assert.match(rehearsed, /restored \d+ rows, compared \d+ documents, read 2 files: intact/);

    const cases: readonly [string, readonly string[], readonly string[]][] = [
      ['newest', [], ['first', 'second']],
      ['by-name', [nameIn(made)], ['first']],
    ];
    for (const [name, words, texts] of cases) {
      const to = await emptyPlace(name);
      const call = ['restore', ...words, ...flagsOf(to), '--from', backups];
      assert.match(await succeeded([...call, '--dry-run']), /Nothing was changed\. The restore is possible/);
      assert.ok(!existsSync(to.data));
      const told = await succeeded(call);
      assert.ok(told.includes(`put the site's secret.key at ${join(to.data, 'secret.key')}`), told);
      await bringKey(to);
      const found = await opened(to, async (restored) => {
        assert.equal((await restored.database.reader.all(sql`select * from "_backup_hold"`)).length, 0);
        const served = [...urls].map(async ([text, url]) => [text, await servedText(restored, url)] as const);
        return (await Promise.all(served)).flatMap(([text, content]) => (content === text ? text : []));
      });
      assert.deepEqual(found, texts);
    }
  });

  onSqlite(
    'an encrypted backup has the secret keys only when asked, and then brings them along',
    async () => {
      const backups = place('encrypted');
      const settings = { backup: { to: backups, key: KEY } };
      const call = ['backup', ...flagsOf(config), '--with-secret-key'];
      const withoutKey = await chancery([...call, '--to', place('plain')]);
      assert.equal(withoutKey.code, 2);
      assert.match(withoutKey.stderr, /needs encrypted backups/);
      assert.match(await backUp(backups, settings), /secret\.key and the backup key/);
      const made = await succeeded(call, settings);
      assert.match(made, /does not reach: the backup key \(backup\.key\)\./);
      const to = await emptyPlace('keys');
      const lost = await chancery(['restore', ...flagsOf(to), '--from', backups]);
      assert.match(lost.stderr, /the backup key is needed/);
      assert.doesNotMatch(await succeeded(['restore', ...flagsOf(to)], settings), /secret\.key/);
      await opened(to, async (restored) => {
        assert.equal(await servedText(restored, urls.get('first')), 'first');
      });
    },
  );

  test('a restore needs an empty place, and goes on after it was interrupted', async () => {
    const backups = place('again');
    await backUp(backups);
    const overwriting = ['restore', ...flagsOf(config), '--from', backups];
    const inUse = await chancery(overwriting);
    assert.equal(inUse.code, 1);
    assert.match(
      inUse.stderr,
      /needs an empty place\. (?:There is a database|The schema .* is not empty).*There are files in /i,
    );
    const tried = await chancery([...overwriting, '--dry-run']);
    assert.equal(tried.code, 1);
    assert.match(tried.stdout, /The restore is not possible/);

    // A file of the backup cannot be read: the restore ends where a crash would end it.
    const to = await emptyPlace('interrupted');
    await cp(backups, place('broken'), { recursive: true });
    const parts = await readdir(join(place('broken'), 'data'), { recursive: true, withFileTypes: true });
    for (const part of parts) if (part.isFile()) await writeFile(join(part.parentPath, part.name), 'broken');
    const broken = await chancery(['restore', ...flagsOf(to), '--from', place('broken')]);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /^The backup is damaged: object data\//);
    await bringKey(to);
    await assert.rejects(openSite(to, { apps: [] }), /is missing|is empty/);
    // The attempt to start has made a table in the schema.
    const again = engine === 'sqlite' ? to : { ...(await emptyPlace('again')), data: to.data };
    await succeeded(['restore', ...flagsOf(again), '--from', backups]);
    await opened(again, async (restored) => {
      assert.equal(await servedText(restored, urls.get('first')), 'first');
    });
  });

  test('a restore that ended before its files refuses to start, and says why', async () => {
    const data = place('half');
    await cp(config.data, data, { recursive: true });
    for (const name of await readdir(data)) if (/-lock$|\.pid$/.test(name)) await rm(join(data, name));
    const mark = { site: await siteId(), database: RESTORING };
    await writeFile(join(data, 'files', 'chancery-site.json'), JSON.stringify(mark));
    await assert.rejects(
      openSite({ ...config, data }, { apps: [] }),
      /was interrupted.*Run chancery restore again/,
    );
  });

  onSqlite('files that are missing in the backup are named, and all others are restored', async () => {
    const backups = place('holes');
    await backUp(backups);
    const all = await readdir(join(backups, 'files'), { recursive: true, withFileTypes: true });
    const stored = all.filter((entry) => entry.isFile());
    await rm(join(stored[0]?.parentPath ?? '', stored[0]?.name ?? ''));
    const verified = await chancery(['backup', 'verify', '--to', backups]);
    assert.equal(verified.code, 1);
    assert.match(verified.stdout, /object files\/.*: it is missing\n.*: damaged\./);
    const call = ['restore', ...flagsOf(await emptyPlace('hole')), '--from', backups];
    const tried = await chancery([...call, '--dry-run']);
    assert.match(tried.stdout, /Missing in the backup: files\/.*\n(?:.*\n)*.*not possible/);
    const restored = await chancery(call);
    assert.equal(restored.code, 1);
    assert.match(restored.stdout, /does not have its bytes\nFiles that were not restored: 1/);
  });

  onSqlite('pruning keeps the newest, and a moment chooses the backup before it', async () => {
    const backups = place('pruned');
    const first = nameIn(await backUp(backups));
    const second = nameIn(await backUp(backups));
    const call = ['restore', ...flagsOf(await emptyPlace('moment')), '--from', backups, '--dry-run', '--at'];
    const early = await chancery([...call, '2020-01-01']);
    assert.match(early.stderr, /no backup from before that moment/);
    const wrong = await chancery([...call, 'noon']);
    assert.equal(wrong.code, 2);
    assert.ok((await succeeded([...call, '2099-01-01 10:00:00'])).includes(second));
    const keep = { backup: { hourly: 0, daily: 1, weekly: 0, monthly: 0 } };
    assert.match(
      await succeeded(['backup', 'prune', ...flagsOf(config), '--to', backups], keep),
      /^1 backups/,
    );
    const list = await succeeded(['backup', 'list', '--to', backups]);
    assert.ok(list.includes(second) && !list.includes(first), list);
  });

  async function siteId(): Promise<string> {
    const row = await site.database.reader.get(sql`select "value" from "_setting" where "key" = 'site_id'`);
    return String(row?.value);
  }
});
