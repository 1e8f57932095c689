/** A rehearsal restores the newest backup into a scratch place, and finds what a restore would suffer from. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { backUp } from '../../src/backup/backup.ts';
import { engineOf } from '../../src/backup/engines.ts';
import type { Manifest } from '../../src/backup/store/manifest.ts';
import { openTarget } from '../../src/backup/store/open-target.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import { sql } from '../../src/db/sql.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { type BackupRun, backupState } from '../../src/site/backup-runs.ts';
import { databaseUrl } from '../../src/site/data-directory.ts';
import { rehearseSite } from '../../src/site/start/rehearse-site.ts';
import { describeEither } from '../support/describe-site.ts';
import { storeText } from '../support/kept-files.ts';
import { notes } from '../support/notes/app.ts';

/** A storage key without an object. */
const LOST = 'ab/0123456789-0123456789abcdef0123456789abcdef';

describeEither('a rehearsal', { apps: [notes] }, (site, engine) => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'chancery-rehearsal-'));
    for (const name of ['one', 'two', 'three']) await site.make('Note', { name, title: `Note ${name}` });
    await storeText(site.site, 'a stored text');
  });
  after(() => rm(root, { recursive: true, force: true }));

  /** A place with one backup of the site. */
  async function backedUp(): Promise<{ place: string; repository: Repository; manifest: Manifest }> {
    const place = await mkdtemp(join(root, 'place-'));
    const target = await openTarget({ kind: 'disk', root: place }, () => {});
    const repository = await Repository.open(target, { key: null, now: Date.now, site: 'this' });
    const url = databaseUrl(site.site.config);
    const { manifest } = await backUp({
      ...{ site: site.site, repository, secretKeys: null },
      engine: engineOf(url, systemClock()),
    });
    return { place, repository, manifest };
  }

  /** The manifest again, changed, as a newer backup. */
  async function again(repository: Repository, manifest: Manifest, change: Partial<Manifest>): Promise<void> {
    const name = manifest.name.replace(/^\d{4}/, '2999');
    await repository.putManifest({ ...manifest, ...change, name });
  }

  async function failed(repository: Repository): Promise<string> {
    const run = await rehearseSite(site.site, repository);
    assert.equal(run.status, 'Failed', JSON.stringify(run));
    await nothingLeft();
    return run.problems.join('\n');
  }

  async function nothingLeft(): Promise<void> {
    if (engine === 'sqlite') return assert.ok(!existsSync(join(site.site.config.data, 'rehearsal')));
    const found = await site.site.database.reader.all(
      sql`select nspname from pg_namespace where nspname like '%\\_rehearsal'`,
    );
    assert.deepEqual(found, []);
  }

  test('succeeds with an intact backup, is recorded, and leaves nothing', async () => {
    const { repository, manifest } = await backedUp();
    const run: BackupRun = await rehearseSite(site.site, repository);
    assert.deepEqual(run.problems, []);
    assert.equal(run.status, 'Succeeded');
    assert.equal(run.backup, manifest.name);
    assert.equal(run.files, 1);
    assert.ok((run.documents ?? 0) > 3, JSON.stringify(run));
    await nothingLeft();
    const [recorded] = await site.ok('GET', '/api/resource/Backup Run?fields=["*"]');
    assert.partialDeepStrictEqual(recorded, {
      kind: 'Rehearsal',
      status: 'Succeeded',
      backup: manifest.name,
      files: 1,
    });
    const state = await backupState(site.site.database.reader, site.site);
    assert.equal(state.moment, manifest.moment);
    assert.equal(state.rehearsal?.status, 'Succeeded');
  });

  test('ends when the server stops, leaves nothing, and is not recorded', async () => {
    const { repository } = await backedUp();
    const runs = async () => (await site.did('GET', 'Backup Run')).length;
    const before = await runs();
    const stop = new AbortController();
    const get = repository.getPart.bind(repository);
    // It has begun.
    repository.getPart = (id) => {
      stop.abort(new Error('the server stops'));
      return get(id);
    };
    await assert.rejects(rehearseSite(site.site, repository, stop.signal), /the server stops/);
    await nothingLeft();
    assert.equal(await runs(), before);
  });

  test('is skipped while the store of backups is away', async () => {
    const { repository } = await backedUp();
    repository.getPart = () =>
      Promise.reject(new ServiceError('ServiceUnavailableError', 'The backup store is not available'));
    const run = await rehearseSite(site.site, repository);
    assert.deepEqual(
      [run.status, run.problems],
      ['Skipped', ['could not run: The backup store is not available']],
    );
    await nothingLeft();
  });

  test('finds a missing blob', async () => {
    const { place, repository } = await backedUp();
    const [fan = ''] = await readdir(join(place, 'files'));
    await rm(join(place, 'files', fan), { recursive: true });
    assert.match(await failed(repository), /^files\/\w+ is missing$/m);
  });

  test('finds a damaged part of the database', async () => {
    const { place, repository, manifest } = await backedUp();
    const parts =
      'pages' in manifest.database
        ? manifest.database.parts
        : manifest.database.tables.flatMap((one) => one.parts);
    const id = parts[0] ?? '';
    await writeFile(join(place, 'data', id.slice(0, 2), id), 'something else');
    assert.match(await failed(repository), new RegExp(id));
  });

  test('finds that the newest backup is damaged, though the one before it is not', async () => {
    const { place, repository, manifest } = await backedUp();
    await again(repository, manifest, {});
    const newest = manifest.name.replace(/^\d{4}/, '2999');
    await writeFile(join(place, 'backups', newest), 'something else');
    assert.match(await failed(repository), new RegExp(newest));
  });

  test('finds a flipped page', { skip: engine !== 'sqlite' && 'PostgreSQL backs up rows' }, async () => {
    const { repository, manifest } = await backedUp();
    assert.ok('pages' in manifest.database);
    const { parts, pageSize } = manifest.database;
    const part = Buffer.from(await repository.getPart(parts[0] ?? ''));
    // The heads of these pages tell what is on them.
    for (let page = 20; page < 40; page += 1) part.fill(0xff, page * pageSize, page * pageSize + 100);
    const flipped = await repository.putPart(part);
    await again(repository, manifest, {
      database: { ...manifest.database, overlay: [], parts: [flipped, ...parts.slice(1)] },
    });
    assert.match(await failed(repository), /the restored database: /);
  });

  test('finds a table with other rows than were counted', async () => {
    const { repository, manifest } = await backedUp();
    await again(repository, manifest, { rows: { ...manifest.rows, Note: 4 } });
    assert.match(await failed(repository), /^Note has 3 rows, and the backup counted 4$/m);
  });

  test('finds a document that differs from that of the site', async () => {
    const { repository } = await backedUp();
    await site.site.database.transaction((db) =>
      db.run(sql`update "Note" set "title" = 'Changed behind' where "name" = 'two'`),
    );
    assert.match(
      await failed(repository),
      /^Note two: title differs from the site, where nobody has changed it since$/m,
    );
  });

  test('finds a row without its file', async () => {
    const database = site.site.database;
    await database.transaction(async (db) => {
      await db.run(
        sql`insert into "_stored_content" ("storage_key", "sha256", "is_private", "bytes") values (${LOST}, ${'a'.repeat(64)}, 1, 5)`,
      );
      await db.run(sql`update "File" set "file_url" = '/private/files/nowhere.txt' where "is_folder" = 0`);
    });
    const { repository } = await backedUp();
    const problems = await failed(repository);
    assert.match(problems, /^the stored file ab\/0123456789-\w+ is not in the backup$/m);
    assert.match(problems, /^File \w+ names no stored file$/m);
  });
});
