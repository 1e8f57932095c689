import { cp, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { builtAdminUi } from '../../support/admin-ui.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { STORY_DOCTYPES, STORY_ROLES } from './story-doctypes.ts';

/** The password of every user of the stories. */
export const PASSWORD = 'a lagoon of trombones';
/** Users besides Administrator: a System Manager, and one with each role. */
export const USERS = {
  manager: 'manager@example.com',
  clerk: 'clerk@example.com',
  reader: 'reader@example.com',
};

const KEY = 'story-key:story-secret-0123456789';

/** A server in a process of its own, with the doctypes of the stories, on SQLite in a folder that goes with it. */
export interface StorySite {
  readonly url: string;
  /** `key:secret` of Administrator. */
  readonly key: string;
  /** Asks the API as Administrator, or with another Authorization header. Resolves to `data`, `message` or the body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  ask(method: string, path: string, body?: unknown, as?: string): Promise<any>;
  /** Makes a document; resolves to it. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape
  make(doctype: string, fields: object): Promise<any>;
  /**
   * Copies a stored document so many times, in the database itself: for lists of 100,000. `columns` are SQL
   * over `i`, the number of the copy from 1; `name` is needed. Rows of tables are not copied.
   */
  copies(
    doctype: string,
    of: string,
    count: number,
    columns: { name: string } & Record<string, string>,
  ): void;
  /** The server is gone, as after a crash of the machine; `start` brings it back at the same address. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts one at a port, which may be 0 for any. Its data are a copy of those that the first one of a run of
 * tests made.
 */
export async function startStorySite(port = 0): Promise<StorySite> {
  builtAdminUi();
  const data = await mkdtemp(join(tmpdir(), 'chancery-story-'));
  const templates = process.env['CHANCERY_TEST_TEMPLATES'];
  if (templates === undefined) {
    const site = await startAt(data, port);
    await furnishOrStop(site);
    return site;
  }
  const template = join(templates, 'story');
  if (!(await stat(template).catch(() => null))) await makeTemplate(template);
  await cp(template, data, { recursive: true });
  return startAt(data, port);
}

// Processes that start together may each make one; the first one stays.
async function makeTemplate(path: string): Promise<void> {
  const draft = `${path}-${process.pid}`;
  const site = await startAt(draft, 0);
  await furnishOrStop(site);
  await site.stopServer();
  await rename(draft, path).catch(() => rm(draft, { recursive: true }));
}

async function furnishOrStop(site: StorySite): Promise<void> {
  try {
    await furnish(site);
  } catch (error) {
    await site.stop();
    throw error;
  }
}

async function startAt(data: string, at: number): Promise<StorySite> {
  const start = (port: string): Promise<ServerProcess> =>
    startServerProcess(['--data', data, '--port', port, '--apps', APP], {
      env: {
        CHANCERY_ADMIN_API_KEY: KEY,
        CHANCERY_ADMIN_PASSWORD: PASSWORD,
        CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8',
        CHANCERY_WEBHOOKS_BACKOFF_BASE: '200',
      },
    });
  let server = await start(String(at));
  const { url } = server;

  async function ask(method: string, path: string, body?: unknown, as = `token ${KEY}`) {
    const headers = { authorization: as, 'content-type': 'application/json' };
    const reply = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text.slice(0, 500)}`);
    const parsed = JSON.parse(text);
    return parsed.data ?? parsed.message ?? parsed;
  }
  const make = (doctype: string, fields: object) =>
    ask('POST', `/api/resource/${encodeURIComponent(doctype)}`, fields);

  return {
    url,
    key: KEY,
    ask,
    make,
    copies: (...how) => copyRows(join(data, 'chancery.db'), ...how),
    stopServer: async () => void (await server.end('SIGTERM')),
    startServer: async () => {
      server = await start(new URL(url).port);
    },
    async stop() {
      await server.end('SIGTERM');
      await rm(data, { recursive: true, force: true });
    },
  };
}

const APP = fileURLToPath(new URL('./app/', import.meta.url));

async function furnish({ make }: StorySite): Promise<void> {
  for (const role of STORY_ROLES) await make('Role', { role_name: role });
  for (const doctype of STORY_DOCTYPES) await make('DocType', { module: 'Stories', custom: 1, ...doctype });
  const roles = { manager: ['System Manager'], clerk: ['Clerk'], reader: ['Reader'] };
  for (const [who, email] of Object.entries(USERS)) {
    const has = roles[who as keyof typeof USERS].map((role) => ({ role }));
    await make('User', { email, first_name: who, new_password: PASSWORD, roles: has });
  }
}

function copyRows(
  path: string,
  doctype: string,
  of: string,
  count: number,
  columns: Readonly<Record<string, string>>,
): void {
  const db = new DatabaseSync(path, { timeout: 30_000 });
  try {
    const all = db
      .prepare('select "name" from pragma_table_info(?)')
      .all(doctype)
      .map((row) => String(row['name']));
    const values = all.map((name) => columns[name] ?? `"t"."${name}"`);
    db.prepare(
      `with recursive "n"("i") as (select 1 union all select "i" + 1 from "n" where "i" < ${count})
       insert into "${doctype}" (${all.map((name) => `"${name}"`).join(', ')})
       select ${values.join(', ')} from "n", "${doctype}" as "t" where "t"."name" = ?`,
    ).run(of);
  } finally {
    db.close();
  }
}
