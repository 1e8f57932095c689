import { type ApiKey, newApiKey, storeApiKey } from '../access/api-key.ts';
import { audit } from '../access/audit.ts';
import { digestSecret } from '../access/digest.ts';
import { hashPassword } from '../access/password.ts';
import { storePassword } from '../access/stored-password.ts';
import { UNCLAIMED } from '../access/unclaimed.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { DoctypeRegistry } from '../doctype/doctype.ts';
import type { Context, Site } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { ensureHomeFolders } from '../file/folder.ts';
import { deleteKey } from '../standard/api-key/api-keys.ts';
import { rememberGuessable, requireGuarded } from './guessable.ts';
import { insertRows, type Stamp } from './raw-rows.ts';
import { claimSetting, readSettings, type SiteSettings, writeSetting } from './settings-table.ts';
import { StartError } from './start-error.ts';

/** What the terminal shows once. */
export interface FirstStart {
  /** Null when it came from the configuration or was not made. */
  readonly password: string | null;
  /** `key:secret`; null when it came from the configuration or was not made. */
  readonly apiKey: string | null;
  /** They take the place of those that an earlier start made, and that nobody used. */
  readonly isRenewed: boolean;
}

/** What a start made up, as `UNCLAIMED` holds it. */
interface MadeUp {
  /** Digest of the hash of the password; null when that came from the configuration. */
  readonly password: string | null;
  /** The public part of the API key; null when that came from the configuration. */
  readonly key: string | null;
}

const DONE = 'first_start';
const USERS = 'first_users';
/** The digest of the configured key that was made last. */
const KEY = 'configured_key';

/** Tells the key of `CHANCERY_ADMIN_API_KEY` from those that people made. */
const CONFIGURED = 'CHANCERY_ADMIN_API_KEY';

/** Makes the users Administrator and Guest and the home folders on a new site: what every document may refer to. */
export async function makeFirstDocuments(site: Site, stamp: Stamp): Promise<void> {
  const settings = await readSettings(site.database.reader);
  if (settings.has(DONE) || settings.has(USERS)) return;
  await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    // Another node may have been first after all.
    if (!(await claimSetting(ctx.db, USERS, stamp.now))) return;
    await makeUsers(ctx.db, ctx.doctypes, stamp);
    await ensureHomeFolders(ctx);
  });
}

/** What says that nobody has used what a start made up; null when somebody has. To be read when a start begins. */
export async function readUnclaimed(connection: Connection): Promise<string | null> {
  return (await readSettings(connection)).get(UNCLAIMED) ?? null;
}

/**
 * Makes a password and an API key of Administrator on a new site, and in their place new ones as long as nobody has used
 * them; on any site the configured API key, once for each value. Resolves to what was made up, or null when nothing was.
 * Last of all: whatever else stops a start must not lose what is shown only once.
 * @param unclaimed what `readUnclaimed` gave when this start began: a node that started meanwhile shows its own
 * @throws StartError when what is configured is guessed first and others than this machine can try
 */
export async function firstStart(
  site: Site,
  stamp: Stamp,
  unclaimed: string | null,
): Promise<FirstStart | null> {
  const { config, database } = site;
  const settings = await readSettings(database.reader);
  const isFirst = !settings.has(DONE);
  const left = unclaimed !== null && settings.get(UNCLAIMED) === unclaimed ? unclaimed : null;
  const old: MadeUp | null = left === null ? null : JSON.parse(left);
  const wantsPassword = isFirst || (old !== null && old.password !== null);
  await requireGuarded(database.reader, config, wantsPassword);
  if (!isFirst && old === null && isKeyMade(settings, config)) return null;
  const password = wantsPassword ? (config.adminPassword ?? stamp.random.hash(16)) : null;
  const hash = password === null ? null : await hashPassword(password);
  return unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    const makes = isFirst
      ? await claimSetting(ctx.db, DONE, stamp.now)
      : left !== null && old !== null && (await withdraw(ctx, left, old));
    if (!makes) {
      await storeConfiguredKey(ctx, stamp);
      return null;
    }
    if (hash !== null) await storeFirstPassword(ctx, hash);
    const apiKey = isFirst || old?.key ? await makeFirstKey(ctx, stamp) : null;
    await storeConfiguredKey(ctx, stamp);
    const shown = config.adminPassword === null ? password : null;
    const madeUp: MadeUp = {
      password: shown === null || hash === null ? null : digestSecret(hash),
      key: apiKey?.key ?? null,
    };
    if (madeUp.password !== null || madeUp.key !== null) {
      await writeSetting(ctx.db, UNCLAIMED, JSON.stringify(madeUp));
    }
    if (!isFirst && shown === null && apiKey === null) return null;
    const key = apiKey && `${apiKey.key}:${apiKey.secret}`;
    return { password: shown, apiKey: key, isRenewed: !isFirst };
  });
}

/**
 * Takes back what an earlier start made up. Resolves to false when another node did so first, or when a command changed
 * one of them: whoever did that has the machine, and is not shown others.
 */
async function withdraw(ctx: Context, left: string, { password, key }: MadeUp): Promise<boolean> {
  const taken = await ctx.db.run(
    sql`delete from "_setting" where "key" = ${UNCLAIMED} and "value" = ${left}`,
  );
  if (taken === 0) return false;
  const row = await ctx.db.get(sql`select "hash" from "_password" where "user" = 'Administrator'`);
  const isSame = password === null || password === digestSecret(String(row?.['hash']));
  if (!isSame) return false;
  return key === null || (await deleteKey(ctx, key));
}

async function storeFirstPassword(ctx: Context, hash: string): Promise<void> {
  await storePassword(ctx.db, 'Administrator', hash);
  await rememberGuessable(ctx.db, ctx.site.config, hash);
}

async function makeUsers(connection: Connection, registry: DoctypeRegistry, stamp: Stamp): Promise<void> {
  const users = ['Administrator', 'Guest'].map((name) => ({
    name,
    email: name === 'Administrator' ? 'admin@example.com' : 'guest@example.com',
    first_name: name,
    full_name: name,
    enabled: 1,
    user_type: name === 'Administrator' ? 'System User' : 'Website User',
  }));
  await insertRows(connection, registry.get('User'), users, stamp);
  const role = {
    parent: 'Administrator',
    parenttype: 'User',
    parentfield: 'roles',
    role: 'System Manager',
    idx: 1,
  };
  await insertRows(connection, registry.get('Has Role'), [role], stamp);
}

async function makeFirstKey(ctx: Context, stamp: Stamp): Promise<ApiKey | null> {
  if (ctx.site.config.adminApiKey !== null) return null;
  const made = newApiKey(stamp.random);
  await storeKey(ctx, stamp, made, 'first start');
  return made;
}

async function storeKey(ctx: Context, stamp: Stamp, apiKey: ApiKey, label: string): Promise<void> {
  await storeApiKey(ctx.db, { ...apiKey, user: 'Administrator', label, creation: stamp.now });
  await audit(ctx, {
    event: 'key_created',
    doctype: 'API Key',
    name: apiKey.key,
    details: { user: 'Administrator', label },
  });
}

function configuredKey(config: Config): ApiKey | null {
  if (config.adminApiKey === null) return null;
  const colon = config.adminApiKey.indexOf(':');
  return { key: config.adminApiKey.slice(0, colon), secret: config.adminApiKey.slice(colon + 1) };
}

// What was done to the key since, such as revoking it or giving it another secret, stands: a restart brings nothing back.
function isKeyMade(settings: SiteSettings, { adminApiKey }: Config): boolean {
  return adminApiKey === null || settings.get(KEY) === digestSecret(adminApiKey);
}

async function storeConfiguredKey(ctx: Context, stamp: Stamp): Promise<void> {
  const { db: connection, site } = ctx;
  const wanted = configuredKey(site.config);
  if (!wanted || isKeyMade(await readSettings(connection), site.config)) return;
  const taken = await connection.get(
    sql`select "user" from "_api_key" where "api_key" = ${wanted.key} and "user" <> 'Administrator'`,
  );
  if (taken) {
    throw new StartError(`The key of CHANCERY_ADMIN_API_KEY is ${taken['user']}'s already. Choose another.`);
  }
  await connection.run(
    sql`delete from "_api_key" where "user" = 'Administrator' and "label" = ${CONFIGURED} and "api_key" <> ${wanted.key}`,
  );
  await storeKey(ctx, stamp, wanted, CONFIGURED);
  await writeSetting(connection, KEY, digestSecret(site.config.adminApiKey ?? ''));
}
