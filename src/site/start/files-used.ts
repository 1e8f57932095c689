import type { Database } from '../../db/database.ts';
import { sharedMillis } from '../../db/shared-clock.ts';
import { sql } from '../../db/sql.ts';
import { FILES_USED, isSameMark, parseMark, renderMark, type SiteMark } from '../../file/site-mark.ts';
import type { Storage } from '../../file/storage.ts';
import type { Clock } from '../../kernel/clock.ts';
import { loadSettings } from '../settings/settings-table.ts';

/**
 * How much older than the files a database may be; milliseconds. A standby of PostgreSQL that takes over may lack the
 * last commits, and its servers must start.
 */
const LAG = { sqlite: 0, postgres: 5 * 60_000 };

/**
 * Notes in the database, and then in the mark of its files, that a server uses both at this moment: at its start and at
 * its stop. A database whose note is older than that of its files is a copy from before.
 */
export async function noteUse(
  database: Database,
  storage: Pick<Storage, 'readMark' | 'writeMark'>,
  bound: SiteMark,
  clock: Clock,
): Promise<void> {
  const mark = parseMark(await storage.readMark());
  // The files may have been given to another database meanwhile. An older database does not become the newest one.
  if (!mark || !isSameMark(mark, bound) || (await isOlder(database, mark))) return;
  const used = await database.transaction(async (db) => {
    const now = sharedMillis(db, clock);
    // It grows even if the clock is set back.
    const row = await db.get(
      sql`insert into "_setting" ("key", "value") values (${FILES_USED}, cast(${now} as text))
        on conflict ("key") do update set "value" = cast(
          case when cast("_setting"."value" as bigint) < ${now} then ${now}
            else cast("_setting"."value" as bigint) + 1 end as text)
        returning "value"`,
    );
    return Number(row?.['value']);
  });
  await storage.writeMark(renderMark({ ...mark, used }), { replace: true });
}

/** Whether the database is an earlier state of the one that used these files last. */
export async function isOlder(database: Database, mark: SiteMark): Promise<boolean> {
  if (mark.used === 0) return false;
  // Read after the mark, because a server writes it before.
  const used = Number((await loadSettings(database.reader)).get(FILES_USED) ?? 0);
  return used + LAG[database.dialect.name] < mark.used;
}
