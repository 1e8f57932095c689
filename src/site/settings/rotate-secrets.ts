import { audit, COMMAND_LINE } from '../../access/audit.ts';
import { CURRENT_KEY, sealedBy, sealWith, TOKEN_KEY, unseal } from '../../access/seal.ts';
import { placeOf } from '../../access/secret.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { replyPlace } from '../stored-replies.ts';
import { idsInUse, KEYS_IN_USE, TOKEN_PLACE } from './secret-key.ts';
import { loadSettings, writeSetting } from './settings-table.ts';

/** The results of a rotation. */
export interface Rotation {
  /** Values encrypted again. */
  readonly changed: number;
  /** Places of values that no key decrypts. */
  readonly unreadable: readonly string[];
}

interface Sealed {
  /** The authenticated data of the value, and its name for people. */
  readonly place: string;
  readonly value: string;
  /** Replaces exactly this value; 0 when it changed in the meantime. */
  replace(connection: Connection, value: string): Promise<number>;
}

type Page = readonly Sealed[];
type ReadPage = (connection: Connection, last: Sealed | null) => Promise<Page>;

/**
 * Makes the configured key the encrypting one, and encrypts all other values again, in batches, while nodes
 * run. It may be stopped at any point and run again, without repeating finished work.
 */
export async function rotateSecrets(site: Site): Promise<Rotation> {
  const { configured } = site.keys;
  // Transactions that store a secret finish first; later ones use the new key.
  await site.database.transaction(async (db) => {
    await writeSetting(db, CURRENT_KEY, configured.id);
    const ids = new Set([configured.id, ...idsInUse(await loadSettings(db)), ...site.keys.byId.keys()]);
    await writeSetting(db, KEYS_IN_USE, [...ids].join(' '));
    const ctx = { site, db, user: ADMINISTRATOR, origin: COMMAND_LINE };
    await audit(ctx, { event: 'secret_keys_rotated', details: { key: configured.id.slice(0, 8) } });
  });
  let changed = 0;
  const unreadable: string[] = [];
  for (const readPage of PAGES) {
    for await (const page of pages(site, readPage)) {
      changed += await site.database.transaction(async (db) => {
        let done = 0;
        for (const { place, value, replace } of page) {
          if (value.startsWith(sealedBy(configured.id))) continue;
          const clear = tryUnseal(site, value, place);
          if (clear === null) unreadable.push(place);
          else done += await replace(db, sealWith(site, configured, clear, place));
        }
        return done;
      });
    }
  }
  if (unreadable.length === 0) {
    await site.database.transaction((db) => writeSetting(db, KEYS_IN_USE, configured.id));
  }
  return { changed, unreadable };
}

/**
 * The number of stored values per key id (`first` for the first layout), and the values that no key decrypts.
 */
export async function inspectSecrets(
  site: Site,
): Promise<{ readonly byKey: ReadonlyMap<string, number>; readonly unreadable: readonly string[] }> {
  const byKey = new Map<string, number>();
  const unreadable: string[] = [];
  for (const readPage of PAGES) {
    for await (const page of pages(site, readPage)) {
      for (const { place, value } of page) {
        const id = /^2:([0-9a-f]+):/.exec(value)?.[1] ?? 'first';
        byKey.set(id, (byKey.get(id) ?? 0) + 1);
        if (tryUnseal(site, value, place) === null) unreadable.push(place);
      }
    }
  }
  return { byKey, unreadable };
}

async function* pages(site: Site, readPage: ReadPage): AsyncGenerator<Page> {
  let last: Sealed | null = null;
  for (;;) {
    const page: Page = await readPage(site.database.reader, last);
    yield page;
    last = page.at(-1) ?? null;
    if (page.length < LIMITS.rotateBatch) return;
  }
}

function tryUnseal(site: Site, value: string, place: string): string | null {
  try {
    return unseal(site, value, place);
  } catch {
    return null;
  }
}

const PAGES: readonly ReadPage[] = [secrets, replies, tokenKeys];

interface SecretRow extends Sealed {
  readonly at: readonly [doctype: string, name: string, fieldname: string];
}

async function secrets(connection: Connection, last: Sealed | null): Promise<readonly SecretRow[]> {
  const [doctype, name, fieldname] = last && 'at' in last ? (last as SecretRow).at : ['', '', ''];
  const rows = await connection.all(
    sql`select "doctype", "name", "fieldname", "value" from "_secret"
        where ("doctype", "name", "fieldname") > (${doctype}, ${name}, ${fieldname})
        order by "doctype", "name", "fieldname" limit ${LIMITS.rotateBatch}`,
  );
  return rows.map((row) => {
    const at = [String(row['doctype']), String(row['name']), String(row['fieldname'])] as const;
    const value = String(row['value']);
    return {
      at,
      place: placeOf(...at),
      value,
      replace: (db, sealed) =>
        db.run(
          sql`update "_secret" set "value" = ${sealed} where "doctype" = ${at[0]} and "name" = ${at[1]}
              and "fieldname" = ${at[2]} and "value" = ${value}`,
        ),
    };
  });
}

async function replies(connection: Connection, last: Sealed | null): Promise<Page> {
  const after = last ? last.place.slice(replyPlace('').length) : '';
  const rows = await connection.all(
    sql`select "key", "body" from "_reply" where "key" > ${after} and "body" <> '' order by "key"
        limit ${LIMITS.rotateBatch}`,
  );
  return rows.map((row) => {
    const [key, value] = [String(row['key']), String(row['body'])];
    return {
      place: replyPlace(key),
      value,
      replace: (db, sealed) =>
        db.run(sql`update "_reply" set "body" = ${sealed} where "key" = ${key} and "body" = ${value}`),
    };
  });
}

async function tokenKeys(connection: Connection): Promise<Page> {
  const value = (await loadSettings(connection)).get(TOKEN_KEY);
  if (value === undefined) return [];
  const replace: Sealed['replace'] = (db, sealed) =>
    db.run(sql`update "_setting" set "value" = ${sealed} where "key" = ${TOKEN_KEY} and "value" = ${value}`);
  return [{ place: TOKEN_PLACE, value, replace }];
}
