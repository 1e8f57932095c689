import { storeApiKey } from '../../access/api-key.ts';
import { audit, COMMAND_LINE } from '../../access/audit.ts';
import { isKnownHash } from '../../access/password.ts';
import { PASSWORD_MASK } from '../../access/secret.ts';
import { storePassword } from '../../access/stored-password.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import { sql } from '../../db/sql.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { raiseCounter } from '../../document/naming/series.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { entryKey, knownKeys } from '../../load/ledger.ts';
import { lockSetting, writeSetting } from '../../site/settings/settings-table.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { Scratch, ScratchRow } from '../input/scratch.ts';
import type { Corrections } from './corrections.ts';
import { OWN_USERS } from './records.ts';
import { SEALED, type SourceSecrets } from './secrets.ts';
import type { Tally } from './tally.ts';

/** What became of the credentials of a source. */
export interface CarriedCredentials {
  readonly passwords: number;
  readonly apiKeys: number;
  readonly series: number;
}

/**
 * Brings the passwords and API keys of the users that a load has stored, and the numbers of series, in one transaction.
 * Each user's come once: a later call must not bring back what somebody has revoked meanwhile.
 */
export function carryCredentials(
  site: OpenSite,
  load: string,
  scratch: Scratch,
  secrets: SourceSecrets,
  corrections: Corrections,
  tally: Tally,
): Promise<CarriedCredentials> {
  return unitOfWork(
    site,
    ADMINISTRATOR,
    async (ctx) => {
      let passwords = 0;
      let apiKeys = 0;
      const setting = `frappe_credentials ${load}`;
      const open = openUsers(await lockSetting(ctx.db, setting));
      const refused: string[] = [];
      for (const users of pagesOf(scratch, open)) {
        const keys = users.map((row) => ({ doctype: 'User', key: String(row['name']) }));
        const stored = await knownKeys(ctx.db, load, keys);
        for (const row of users) {
          const key = String(row['name']);
          const entry = stored.get(entryKey({ doctype: 'User', key }));
          if (!entry) refused.push(key);
          // Accounts that were here before, and Administrator, keep their own credentials.
          if (!entry || entry.action === 'skipped' || entry.action === 'kept') continue;
          const name = corrections.link('User', key);
          const known = await ctx.db.get(sql`select "name" from "User" where "name" = ${name}`);
          if (!known) continue;
          if (await carryPassword(ctx, name, secrets.hash(key), tally)) passwords += 1;
          if (await carryKey(ctx, name, row, secrets, tally)) apiKeys += 1;
        }
      }
      await writeSetting(ctx.db, setting, JSON.stringify(refused));
      ctx.dropCaches('users');
      const series = await carrySeries(ctx, scratch);
      return { passwords, apiKeys, series };
    },
    COMMAND_LINE,
  );
}

/** The users whose credentials have not come: those that every call so far has refused; null means all. */
function openUsers(setting: string): ReadonlySet<string> | null {
  if (setting === '') return null;
  const names: unknown = JSON.parse(setting);
  return new Set(Array.isArray(names) ? names.map(String) : []);
}

/** The users of the source, a page at a time. */
function* pagesOf(scratch: Scratch, open: ReadonlySet<string> | null): Generator<readonly ScratchRow[]> {
  if (open?.size === 0 || !scratch.tables.has('tabUser')) return;
  let page: ScratchRow[] = [];
  for (const row of scratch.each(`select * from "tabUser" where ${OWN_USERS} order by rowid`)) {
    if (open?.has(String(row['name'])) === false) continue;
    page.push(row);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

const PAGE = 200;

/** The passwords of this server's own users stay, and so does one that a user has set here. */
async function carryPassword(
  ctx: Context,
  user: string,
  hash: string | null,
  tally: Tally,
): Promise<boolean> {
  if (user === 'Administrator' || user === 'Guest') return false;
  if (hash === null) return false;
  if (!isKnownHash(hash)) {
    tally.add('password of an unknown kind: the user sets a new one', 'User', 'password', user);
    return false;
  }
  const there = await ctx.db.get(sql`select "hash" from "_password" where "user" = ${user}`);
  if (there && there['hash'] !== hash) return false;
  await storePassword(ctx.db, user, hash);
  return true;
}

async function carryKey(
  ctx: Context,
  user: string,
  row: ScratchRow,
  secrets: SourceSecrets,
  tally: Tally,
): Promise<boolean> {
  const key = row['api_key'];
  if (typeof key !== 'string' || key === '' || user === 'Guest') return false;
  const secret = secrets.secret('User', String(row['name']), 'api_secret');
  if (secret === SEALED)
    tally.add('API key whose secret the encryption key does not open', 'User', 'api_key', user);
  if (typeof secret !== 'string') return false;
  const there = await ctx.db.get(sql`select "user" from "_api_key" where "api_key" = ${key}`);
  if (there) return there['user'] === user;
  await storeApiKey(ctx.db, { key, secret, user, label: 'Frappe', creation: timestamp(ctx.site) });
  await audit(ctx, {
    event: 'key_created',
    doctype: 'API Key',
    name: key,
    details: { user, label: 'Frappe' },
  });
  if (user !== 'Administrator') {
    await ctx.db.run(sql`update "User" set "api_secret" = ${PASSWORD_MASK} where "name" = ${user}`);
  }
  return true;
}

async function carrySeries(ctx: Context, scratch: Scratch): Promise<number> {
  if (!scratch.tables.has('tabSeries')) return 0;
  let count = 0;
  for (const { name, current } of scratch.all('select "name", "current" from "tabSeries" order by "name"')) {
    const number = Number(current);
    if (typeof name !== 'string' || !Number.isSafeInteger(number) || number < 1) continue;
    await raiseCounter(ctx.db, name, number);
    count += 1;
  }
  return count;
}
