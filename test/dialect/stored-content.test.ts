/**
 * Files stored before objects were shared: the same bytes of one privacy become one object, and no url loses
 * its bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { ENGINES } from '../support/site.ts';

for (const engine of ENGINES) {
  test(`files stored before share their objects on ${engine}`, async (t) => {
    const { url, drop } = await freshDatabaseUrl(engine);
    const database = await openDatabase(url);
    t.after(async () => {
      await database.close();
      await drop();
    });
    const step = SYSTEM_STEPS.findIndex(({ name }) => name === 'stored content');
    await migrateSystemTables(database, SYSTEM_STEPS.slice(0, step));
    const files = [
      ['/files/a', 'k2', 'same', 0],
      ['/files/b', 'k1', 'same', 0],
      ['/private/files/a', 'k3', 'same', 1],
      ['/files/c', 'k4', 'other', 0],
    ] as const;
    await database.transaction(async (db) => {
      for (const [fileUrl, key, sha256, isPrivate] of files) {
        await db.run(
          sql`insert into _stored_file (file_url, storage_key, file_name, image_type, sha256, bytes, is_private, created_at)
            values (${fileUrl}, ${key}, 'n', '', ${sha256}, 4, ${isPrivate}, '2026-11-21 10:00:00.000000')`,
        );
      }
    });
    await migrateSystemTables(database, SYSTEM_STEPS);
    const rows = await database.reader.all(
      sql`select file_url, storage_key from _stored_file order by file_url`,
    );
    assert.deepEqual(
      rows.map((row) => [row['file_url'], row['storage_key']]),
      [
        ['/files/a', 'k1'],
        ['/files/b', 'k1'],
        ['/files/c', 'k4'],
        ['/private/files/a', 'k3'],
      ],
    );
    const contents = await database.reader.all(
      sql`select storage_key from _stored_content order by storage_key`,
    );
    assert.deepEqual(
      contents.map((row) => row['storage_key']),
      ['k1', 'k3', 'k4'],
    );
  });
}
