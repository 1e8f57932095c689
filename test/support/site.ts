import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey, storeApiKey } from '../../src/access/api-key.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { LoadUi } from '../../src/http/admin/built-ui.ts';
import { createServer, type WireLimits } from '../../src/http/server.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import type { App } from '../../src/site/app.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { ENGINES, type Engine } from './postgres.ts';
import { openWithReader } from './reader.ts';
import { siteDatabase } from './site-database.ts';
import { inTheEnd, PATIENCE } from './until.ts';

export { ENGINES, type Engine };

export interface TestReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  readonly body: Any;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape
type Any = any;
type Ask = (method: string, path: string, options?: RequestOptions) => Promise<Any>;

export interface RequestOptions {
  /** Sent as JSON, unless it is text, bytes or FormData, which go out as they are. */
  readonly body?: unknown;
  /**
   * The first part of the name of a user that the test made, or an Authorization header value; null sends none.
   * Default: Administrator.
   */
  readonly as?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestSite {
  readonly site: OpenSite;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The server that writes; the same, unless `url` is one that only reads. */
  readonly writerUrl: string;
  /** `key:secret` of Administrator. */
  readonly adminKey: string;
  /** Everything the site reported about itself so far. */
  readonly observed: readonly Observation[];
  request(method: string, path: string, options?: RequestOptions): Promise<TestReply>;
  /** A request that must succeed; resolves to the `data` or the `message` of the reply. */
  ok: Ask;
  /** The same, with a path below `/api/resource/`. */
  did(method: string, path: string, body?: unknown, as?: string | null): Promise<Any>;
  /** Makes a document, which must succeed; resolves to it. */
  make(doctype: string, fields: unknown, as?: string | null): Promise<Any>;
  /** Calls a method by POST. */
  rpc(method: string, args?: unknown, as?: string | null): Promise<TestReply>;
  /** The same, and it must succeed; resolves to the `message`. */
  call(method: string, args?: unknown, as?: string | null): Promise<Any>;
  /** The Authorization header value that `as` stands for. */
  keyOf(as: string): string;
  /** Makes a user with these roles and a key; resolves to an Authorization header value. */
  createUser(name: string, roles: readonly string[]): Promise<string>;
  /** Closes the server that writes; one that only reads goes on. */
  stopWriter(): Promise<void>;
  /** Closes server and site and removes the data. */
  stop(): Promise<void>;
}

export interface TestSiteOptions {
  /** Default: none; pass the apps the test needs. */
  readonly apps?: readonly App[];
  readonly config?: Partial<Config>;
  /** The server is one that only reads, and forwards all else to the one that `site` is. SQLite only. */
  readonly reader?: true;
  /** Deliver webhooks. Default false. */
  readonly worker?: boolean;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** The admin UI. Default: as it was built. */
  readonly ui?: LoadUi;
  /** Shorter limits of connections. */
  readonly wire?: Partial<WireLimits>;
  /** Roles that are there from the start, beside those that `doctypes` and `users` name. */
  readonly roles?: readonly string[];
  /** Definitions of doctypes that are there from the start. */
  readonly doctypes?: readonly Readonly<Record<string, unknown>>[];
  /** Users that are there from the start, by the first part of their names, with their roles. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
}

/**
 * How much work sites of tests take at a time: as much as others, but on a machine that is late they refuse
 * nothing.
 */
export const PATIENT: Config['admission'] = { ...DEFAULT_CONFIG.admission, patience: PATIENCE };

const ADMIN_KEY = 'admin-key:admin-secret-0123456789';

/** A whole server on a free port of 127.0.0.1 with a database of its own. */
export async function startTestSite(engine: Engine, options: TestSiteOptions = {}): Promise<TestSite> {
  const data = await mkdtemp(join(tmpdir(), 'chancery-test-'));
  const own = options.config?.database === undefined && options.config?.data === undefined;
  const made = own ? await siteDatabase(engine, data) : null;
  const config: Config = {
    ...DEFAULT_CONFIG,
    port: 0,
    data,
    database: made?.url ?? null,
    // Named, so that another node of a test that takes over this configuration has the same.
    files: join(options.config?.data ?? data, 'files'),
    apps: [],
    adminPassword: 'admin-password',
    adminApiKey: ADMIN_KEY,
    admission: PATIENT,
    logSlowRequests: 0,
    ...options.config,
    webhooks: { ...DEFAULT_CONFIG.webhooks, allow: ['127.0.0.0/8', '::1/128'], ...options.config?.webhooks },
  };
  const observed: Observation[] = [];
  const opening = {
    apps: options.apps ?? [],
    ...(options.clock && { clock: options.clock }),
    observe: (observation: Observation) => void observed.push(observation),
  };
  const pair = options.reader ? await openWithReader(config, opening) : null;
  const site = pair?.writer ?? (await openSite(config, opening));
  const server = createServer(site, options.wire, options.ui);
  const writerUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  if (pair) await server.listenForReaders(pair.socket);
  const front = pair ? createServer(pair.reader, options.wire, options.ui) : server;
  const url = pair ? await front.listen({ host: '127.0.0.1', port: 0 }) : writerUrl;
  if (options.worker) site.startWorker();

  const keys = new Map<string, string>();
  const keyOf = (as: string) => keys.get(as) ?? as;

  async function request(method: string, path: string, options: RequestOptions = {}): Promise<TestReply> {
    const headers = new Headers(options.headers);
    const { as = `token ${ADMIN_KEY}` } = options;
    if (as !== null) headers.set('authorization', keyOf(as));
    const { body } = options;
    const raw =
      body === undefined ||
      typeof body === 'string' ||
      body instanceof FormData ||
      body instanceof Uint8Array;
    if (!raw && !headers.has('content-type')) headers.set('content-type', 'application/json');
    const init: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined
        ? {}
        : { body: raw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
    };
    return inTheEnd(async () => {
      const response = await fetch(url + path, init);
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parse(text) };
    }, `the answer to ${method} ${path}`);
  }

  const ok: Ask = async (method, path, options) => {
    const { status, text, body } = await request(method, path, options);
    const isDone = status === 200 || (status === 202 && method === 'DELETE');
    assert.ok(isDone, `${method} ${path}: ${status} ${text}`);
    return body?.data ?? body?.message;
  };
  const did: TestSite['did'] = (method, path, body, as) => ok(method, `/api/resource/${path}`, { body, as });
  const make: TestSite['make'] = (doctype, body, as) => did('POST', doctype, body, as);
  const rpc: TestSite['rpc'] = (method, body = {}, as) =>
    request('POST', `/api/method/${method}`, { body, as });
  const call: TestSite['call'] = (method, body = {}, as) => ok('POST', `/api/method/${method}`, { body, as });

  async function createUser(name: string, roles: readonly string[]): Promise<string> {
    const { key, secret } = newApiKey(site.random);
    await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
      await createDocument(ctx, 'User', {
        email: name,
        first_name: name.split('@')[0],
        roles: roles.map((role) => ({ role })),
      });
      await storeApiKey(ctx.db, {
        key,
        secret,
        user: name,
        label: 'test',
        creation: '2026-01-01 00:00:00.000000',
      });
    });
    const header = `token ${key}:${secret}`;
    keys.set(name.split('@')[0] ?? name, header);
    return header;
  }

  async function stop(): Promise<void> {
    if (pair) await front.close();
    await pair?.reader.close();
    await server.close();
    await site.close();
    await made?.drop();
    await rm(data, { recursive: true, force: true });
  }

  const { roles = [], doctypes = [], users = {} } = options;
  const permissions = doctypes.flatMap((doctype) => (doctype['permissions'] ?? []) as { role: string }[]);
  const named = [...roles, ...permissions.map(({ role }) => role), ...Object.values(users).flat()];
  const known = await site.database.reader.all(sql`select "name" from "Role"`);
  for (const role_name of new Set(named).difference(new Set(known.map(({ name }) => name))))
    await make('Role', { role_name });
  for (const doctype of doctypes) await make('DocType', { module: 'Test', ...doctype });
  for (const [user, given] of Object.entries(users)) await createUser(`${user}@example.com`, given);
  return {
    site,
    url,
    writerUrl,
    adminKey: ADMIN_KEY,
    observed,
    request,
    ok,
    did,
    make,
    rpc,
    call,
    keyOf,
    createUser,
    stopWriter: () => server.close(),
    stop,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
