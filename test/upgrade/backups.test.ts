/** Backups of every format that landed are restored. */

import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BACKUP_FORMAT } from '../../src/backup/store/manifest.ts';
import { chancery, flagsOf } from '../support/command.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { startTestSite } from '../support/site.ts';
import { assertKept } from './answers.ts';
import { listBackups, unpackFixture } from './fixture.ts';
import { clientOf, SITE } from './story.ts';

const fixtures = await listBackups();

describeEitherEngine('formats of backups', (engine) => {
  const own = fixtures.filter((fixture) => fixture.engine === engine);
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'chancery-backups-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  test('the newest fixture has the format of this program', () => {
    assert.equal(
      own.at(-1)?.format,
      BACKUP_FORMAT,
      'The format of backups has changed. `npm run formats` makes its fixture: see test/upgrade/README.md',
    );
  });

  for (const fixture of own)
    test(`a backup of format ${fixture.format} is restored whole`, async () => {
      const [backups, keys, data] = ['backups', 'keys', 'data'].map((name) =>
        join(root, `${fixture.format}-${name}`),
      ) as [string, string, string];
      await unpackFixture(fixture, backups, 'backups');
      const { facts } = await unpackFixture(fixture, keys);
      const { url: database, drop } =
        engine === 'postgres' ? await freshDatabaseUrl(engine) : { url: null, drop: async () => {} };
      try {
        const words = ['restore', ...flagsOf({ data, database }), '--from', backups];
        const settings = engine === 'sqlite' ? { backup: { key: SITE.backupKey } } : {};
        const { code, stderr } = await chancery(root, words, settings);
        assert.equal(code, 0, stderr);
        await copyFile(join(keys, 'secret.key'), join(data, 'secret.key'));
        const site = await startTestSite(engine, { config: { data, database } });
        try {
          await assertKept(site, facts);
          await clientOf(site.url).signIn(SITE.user, SITE.password);
        } finally {
          await site.stop();
        }
      } finally {
        await drop();
      }
    });
});
