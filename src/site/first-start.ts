import { type ApiKey, newApiKey, storeApiKey } from '../access/api-key.ts';
import { audit } from '../access/audit.ts';
import { digestSecret } from '../access/digest.ts';
import { hashPassword } from '../access/password.ts';
import { storePassword } from '../access/stored-password.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { DoctypeRegistry } from '../doctype/doctype.ts';
import type { Context, Site } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { ensureHomeFolders } from '../file/folder.ts';
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

/**
 * Makes a password and an API key of Administrator on a new site, once and for all; on any site the configured API key,
 * once for each value. Resolves to what was made up, or null when this was not the first start. Last of all: whatever else
 * stops a start must not lose what is shown only once.
 * @throws StartError when what is configured is guessed first and others than this machine can try
 */
export async function firstStart(site: Site, stamp: Stamp): Promise<FirstStart | null> {
  const { config, database } = site;
  const settings = await readSettings(database.reader);
  const isFirst = !settings.has(DONE);
  await requireGuarded(database.reader, config, isFirst);
  if (!isFirst && isKeyMade(settings, config)) return null;
  const password = isFirst ? (config.adminPassword ?? stamp.random.hash(16)) : null;
  const hash = password === null ? null : await hashPassword(password);
  return unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    if (hash === null || !(await claimSetting(ctx.db, DONE, stamp.now))) {
      await storeConfiguredKey(ctx, stamp);
      return null;
    }
    await storePassword(ctx.db, 'Administrator', hash);
    await rememberGuessable(ctx.db, config, hash);
    const apiKey = await storeFirstKey(ctx, stamp);
    return { password: config.adminPassword === null ? password : null, apiKey };
  });
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

async function storeFirstKey(ctx: Context, stamp: Stamp): Promise<string | null> {
  if (ctx.site.config.adminApiKey !== null) {
    await storeConfiguredKey(ctx, stamp);
    return null;
  }
  const { key, secret } = newApiKey(stamp.random);
  await storeKey(ctx, stamp, { key, secret }, 'first start');
  return `${key}:${secret}`;
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
