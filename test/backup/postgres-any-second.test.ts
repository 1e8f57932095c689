/** The page docs/guide/backup-postgres.md: a base backup and an archived log restore any second. */
import assert from 'node:assert/strict';
import { chownSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { adopted } from '../support/bound-site.ts';
import { opened, servedText, storeText } from '../support/kept-files.ts';
import { blocksOf } from '../support/page.ts';
import { ENGINES } from '../support/postgres.ts';
import { makeServer, type PostgresServer } from '../support/postgres-cluster.ts';
import { until } from '../support/until.ts';

const PAGE = fileURLToPath(new URL('../../docs/guide/backup-postgres.md', import.meta.url));
const skip = ENGINES.includes('postgres') ? false : 'PostgreSQL is left out';

/** The settings in the block of the page that begins with this one, with another place for the archive. */
function settingsOf(first: string, archive: string): Record<string, string> {
  const block = blocksOf(PAGE).find(({ text }) => text.trim().startsWith(`${first} =`));
  assert.ok(block, first);
  const lines = block.text.trim().split('\n');
  const pairs = lines.map((line) => /^\s*(\w+) = '?(.*?)'?$/.exec(line)?.slice(1) ?? []);
  return Object.fromEntries(pairs.map(([name, value = '']) => [name, value.replaceAll('/archive', archive)]));
}

describe('a base backup and an archived log', { skip }, () => {
  let server: PostgresServer;
  let config: Config;
  const data = mkdtempSync(join(tmpdir(), 'chancery-second-'));
  const archive = () => join(server.directory, 'archive');

  before(async () => {
    server = await makeServer((directory) => settingsOf('wal_level', join(directory, 'archive')));
    const { uid, gid } = statSync(server.directory);
    for (const path of [archive(), join(archive(), 'wal')]) {
      mkdirSync(path);
      chownSync(path, uid, gid);
    }
    await server.node.start();
    config = {
      ...DEFAULT_CONFIG,
      port: 0,
      data,
      files: join(data, 'files'),
      database: `postgres://postgres@${server.node.host}/postgres?unsafe=1&schema=crm`,
      adminPassword: 'admin-password',
    };
  });
  after(async () => {
    await server.stop();
    rmSync(data, { recursive: true });
  });

  const ask = async (text: string) => Object.values((await server.node.ask(text))[0] ?? {})[0];
  const examined = async () => {
    const findings = await examineSite(config, []);
    return findings
      .filter(({ check }) => check === 'archive')
      .map(({ state, message }) => ({ state, message }));
  };

  test('restore a moment with its files, and doctor looks at them', async () => {
    let moment: unknown;
    await opened(config, async (site) => {
      await storeText(site, 'before');
      assert.match((await examined())[1]?.message ?? '', /^No base backup was made/);
      await server.node.copyTo(join(archive(), 'base'));
      await storeText(site, 'kept');
      moment = await ask('select clock_timestamp()::text');
      await storeText(site, 'later');
    });
    const last = await ask('select pg_walfile_name(pg_switch_wal())');
    await until(
      async () => (await ask(`select last_archived_wal >= '${last}' from pg_stat_archiver`)) === true,
    );
    assert.deepEqual(
      (await examined()).map(({ state }) => state),
      ['ok', 'ok'],
    );
    assert.match((await examined())[1]?.message ?? '', /^The last base backup was made 0 days ago/);

    cpSync(config.files ?? '', join(data, 'restored'), { recursive: true });
    const settings = { ...settingsOf('restore_command', archive()), recovery_target_time: String(moment) };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    await server.node.recover(join(archive(), 'base'), lines.join(''));
    await until(async () => (await ask('select pg_is_in_recovery()')) === false);
    config = { ...config, files: join(data, 'restored') };
    await adopted(config);
    const served = await opened(config, async (site) => {
      const files = await site.database.reader.all(
        sql`select "file_url" from "File" where "is_folder" = 0 order by "creation"`,
      );
      return Promise.all(files.map(({ file_url }) => servedText(site, file_url)));
    });
    assert.deepEqual(served, ['before', 'kept']);
  });

  test('doctor tells when the archive takes nothing', async () => {
    renameSync(join(archive(), 'wal'), join(archive(), 'moved'));
    await server.node.ask('create table some_work (); select pg_switch_wal()');
    await until(async () => Number(await ask('select failed_count from pg_stat_archiver')) > 0);
    const [finding] = await examined();
    assert.equal(finding?.state, 'problem');
    assert.match(finding?.message ?? '', /^PostgreSQL fails to archive [0-9A-F]{24} of its log$/);
  });
});
