import type { Connection } from '../../db/database.ts';
import { NEEDED_STEPS } from '../../db/migrate.ts';
import { sql } from '../../db/sql.ts';

/** Facts about the site itself, by key: `_setting`. */
export type SiteSettings = ReadonlyMap<string, string>;

/** In `_setting`: the version of Chancery that last started a server on this data. */
export const VERSION = 'version';

export async function loadSettings(connection: Connection): Promise<SiteSettings> {
  const rows = await connection.all(sql`select "key", "value" from "_setting"`);
  return new Map(rows.map((row) => [String(row['key']), String(row['value'])]));
}

export async function writeSetting(connection: Connection, key: string, value: string): Promise<void> {
  await connection.run(
    sql`insert into "_setting" ("key", "value") values (${key}, ${value})
        on conflict ("key") do update set "value" = excluded."value"`,
  );
}

/**
 * Writes a setting unless it exists; resolves to true when it was written. Of several concurrent nodes, one
 * succeeds.
 */
export async function claimSetting(connection: Connection, key: string, value: string): Promise<boolean> {
  const written = await connection.run(
    sql`insert into "_setting" ("key", "value") values (${key}, ${value}) on conflict ("key") do nothing`,
  );
  return written === 1;
}

/** Resolves to a setting, '' without one. Until the commit, others who call this wait. */
export async function lockSetting(connection: Connection, key: string): Promise<string> {
  const row = await connection.get(
    sql`insert into "_setting" ("key", "value") values (${key}, '')
        on conflict ("key") do update set "value" = "_setting"."value" returning "value"`,
  );
  return String(row?.['value']);
}

/**
 * Raises the doctype version and resolves to it. Until the commit no other node changes a doctype, because
 * each waits for this row.
 */
export function raiseDoctypeVersion(connection: Connection): Promise<number> {
  return raise(connection, 'doctype_version');
}

/** The versions of the doctypes and of System Settings; 0 before the first. */
export async function loadVersions(connection: Connection): Promise<{ doctypes: number; settings: number }> {
  const rows = await connection.all(
    sql`select "key", "value" from "_setting" where "key" in ('doctype_version', 'settings_version')`,
  );
  const found = new Map(rows.map((row) => [row['key'], Number(row['value'])]));
  return { doctypes: found.get('doctype_version') ?? 0, settings: found.get('settings_version') ?? 0 };
}

/** The same, and the steps that code must know to work with this database, in one statement. */
export async function loadVersionsAndNeeds(
  connection: Connection,
): Promise<{ doctypes: number; settings: number; needs: number }> {
  const row = await connection.get(
    sql`select (select "value" from "_setting" where "key" = 'doctype_version') as "doctypes",
          (select "value" from "_setting" where "key" = 'settings_version') as "settings",
          (${NEEDED_STEPS}) as "needs"`,
  );
  const numberOf = (name: string) => Number(row?.[name] ?? 0);
  return { doctypes: numberOf('doctypes'), settings: numberOf('settings'), needs: numberOf('needs') };
}

/**
 * Raises the version of System Settings and resolves to it; other nodes wait for this row until the commit.
 */
export function raiseSettingsVersion(connection: Connection): Promise<number> {
  return raise(connection, 'settings_version');
}

async function raise(connection: Connection, key: string): Promise<number> {
  const row = await connection.get(
    sql`insert into "_setting" ("key", "value") values (${key}, '1')
        on conflict ("key") do update set "value" = cast(cast("_setting"."value" as integer) + 1 as text)
        returning "value"`,
  );
  return Number(row?.['value']);
}

/** Until the commit no other node applies patches or fixtures, because each waits for this row. */
export async function lockApps(connection: Connection): Promise<void> {
  await writeSetting(connection, 'apps_lock', '');
}
