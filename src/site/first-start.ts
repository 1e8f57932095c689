import { digestSecret, newApiKey, storeApiKey } from '../access/api-key.ts';
import { hashPassword } from '../access/password.ts';
import { storePassword } from '../access/stored-password.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { DoctypeRegistry } from '../doctype/doctype.ts';
import type { Site } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { ensureHomeFolders } from '../file/folder.ts';
import { insertRows, type Stamp } from './raw-rows.ts';
import { claimSetting, readSettings } from './settings-table.ts';
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
 * Makes a password and an API key of Administrator on a new site; on any site the configured API key. Resolves to what
 * was made up, or null when this was not the first start. Last of all: whatever else stops a start must not lose what
 * is shown only once.
 */
export async function firstStart(site: Site, stamp: Stamp): Promise<FirstStart | null> {
  const { config, database } = site;
  const isFirst = !(await readSettings(database.reader)).has(DONE);
  if (!isFirst && (await hasConfiguredKey(database.reader, config))) return null;
  const password = isFirst ? (config.adminPassword ?? stamp.random.hash(16)) : null;
  const hash = password === null ? null : await hashPassword(password);
  return unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    if (hash === null || !(await claimSetting(ctx.db, DONE, stamp.now))) {
      await storeConfiguredKey(ctx.db, config, stamp);
      return null;
    }
    await storePassword(ctx.db, 'Administrator', hash);
    const apiKey = await storeFirstKey(ctx.db, config, stamp);
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

async function storeFirstKey(connection: Connection, config: Config, stamp: Stamp): Promise<string | null> {
  if (config.adminApiKey !== null) {
    await storeConfiguredKey(connection, config, stamp);
    return null;
  }
  const { key, secret } = newApiKey(stamp.random);
  await storeApiKey(connection, {
    key,
    secret,
    user: 'Administrator',
    label: 'first start',
    creation: stamp.now,
  });
  return `${key}:${secret}`;
}

interface Configured {
  readonly key: string;
  readonly secret: string;
}

function configuredKey(config: Config): Configured | null {
  if (config.adminApiKey === null) return null;
  const colon = config.adminApiKey.indexOf(':');
  return { key: config.adminApiKey.slice(0, colon), secret: config.adminApiKey.slice(colon + 1) };
}

async function hasConfiguredKey(connection: Connection, config: Config): Promise<boolean> {
  const wanted = configuredKey(config);
  if (!wanted) return true;
  const row = await connection.get(
    sql`select "api_key" from "_api_key" where "api_key" = ${wanted.key} and "user" = 'Administrator'
        and "secret_digest" = ${digestSecret(wanted.secret)} and "enabled" = 1`,
  );
  return row !== undefined;
}

async function storeConfiguredKey(connection: Connection, config: Config, stamp: Stamp): Promise<void> {
  const wanted = configuredKey(config);
  if (!wanted) return;
  const taken = await connection.get(
    sql`select "user" from "_api_key" where "api_key" = ${wanted.key} and "user" <> 'Administrator'`,
  );
  if (taken) {
    throw new StartError(`The key of CHANCERY_ADMIN_API_KEY is ${taken['user']}'s already. Choose another.`);
  }
  await connection.run(
    sql`delete from "_api_key" where "user" = 'Administrator' and "label" = ${CONFIGURED} and "api_key" <> ${wanted.key}`,
  );
  await storeApiKey(connection, { ...wanted, user: 'Administrator', label: CONFIGURED, creation: stamp.now });
}
