import { type KeyLimits, newApiKey, storeApiKey } from '../../src/access/api-key.ts';
import { startSession } from '../../src/access/session.ts';
import { ident, join, sql } from '../../src/db/sql.ts';
import { defineDocumentMethod, defineMethod } from '../../src/document/verbs/method.ts';
import type { MethodTable } from '../../src/http/ask-method.ts';
import { methodTable } from '../../src/http/methods/methods.ts';
import type { RegisteredRoute } from '../../src/http/route-table.ts';
import { createServer } from '../../src/http/server.ts';
import { defineApp, defineController } from '../../src/site/app.ts';
import { notes } from '../support/notes/app.ts';
import { type Engine, type RequestOptions, startTestSite, type TestSite } from '../support/site.ts';

/** Who is let in but may do next to nothing. What they are answered is in the entries. */
export const WEAK = ['guest', 'ended session', 'nobody', 'read-only', 'elsewhere'] as const;
export type Weak = (typeof WEAK)[number];

/** Who is not let in at all: 401, whatever they ask. */
export const REFUSED = ['disabled', 'expired', 'revoked', 'wrong secret', 'wrong address'] as const;
export type Caller = Weak | (typeof REFUSED)[number];

/** A site, its routes and methods, and everybody who calls them. */
export interface WalkSite {
  readonly site: TestSite;
  readonly routes: readonly RegisteredRoute[];
  readonly methods: MethodTable;
  /** How each caller authenticates. */
  readonly callers: ReadonlyMap<Caller, Pick<RequestOptions, 'as' | 'headers'>>;
  /** Makes a document as Administrator; resolves to it. */
  // biome-ignore lint/suspicious/noExplicitAny: documents as the wire shows them
  make(doctype: string, fields: Readonly<Record<string, unknown>>): Promise<any>;
  /** A new Note; only System Managers and writers of notes reach it. */
  note(fields?: Readonly<Record<string, unknown>>): Promise<string>;
  /** A new private file on a new note: its url. */
  file(): Promise<string>;
  /** Changes when any document of any doctype does. */
  fingerprint(): Promise<string>;
}

/** Methods of an app as apps write them, beside those of the notes. */
const walked = defineApp({
  name: 'walked',
  methods: { 'walked.for_writers': defineMethod({ roles: ['Note Writer'], run: () => 'in' }) },
  controllers: {
    Note: defineController({
      documentMethods: {
        look: defineDocumentMethod({ http: ['GET'], run: (doc) => doc['title'] }),
        stamp: defineDocumentMethod({ run: (doc) => doc['title'] }),
      },
    }),
  },
});

export async function startWalk(engine: Engine): Promise<WalkSite> {
  const site = await startTestSite(engine, { apps: [notes, walked] });
  const server = createServer(site.site);
  await server.ready();
  const routes = server.registeredRoutes;
  await server.close();
  let count = 0;

  const walk: WalkSite = {
    site,
    routes,
    methods: methodTable(site.site),
    callers: await callersOf(site),
    async make(doctype, fields) {
      return site.make(doctype, fields);
    },
    async note(fields = {}) {
      count += 1;
      return (await walk.make('Note', { name: `n-${count}`, title: 'Secret title', ...fields })).name;
    },
    async file() {
      const file = {
        file_name: 'kept.txt',
        content: `kept ${count}`,
        is_private: 1,
        attached_to_doctype: 'Note',
        attached_to_name: await walk.note(),
      };
      return (await walk.make('File', file)).file_url;
    },
    async fingerprint() {
      const { database, doctypes } = site.site;
      const stored = doctypes.all().filter((doctype) => !doctype.is_virtual && !doctype.istable);
      const counted = stored
        .filter(({ name }) => !NOT_WATCHED.has(name))
        .map(
          ({ name }, index) =>
            sql`${index === 0 ? sql`` : sql`union all `}select ${name} as doctype, count(*) as n,
              sum(${ident('_revision')}) as revisions from ${ident(name)}`,
        );
      return JSON.stringify(await database.reader.all(sql`${join(counted, ' ')} order by doctype`));
    },
  };
  await walk.make('DocType', SAFE);
  return walk;
}

/** A doctype with a password, as System Managers keep them. */
const SAFE = {
  name: 'Safe',
  module: 'Notes',
  autoname: 'hash',
  fields: [{ fieldname: 'pin', fieldtype: 'Password' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
};

// What is written about a refusal is no effect of it.
const NOT_WATCHED: ReadonlySet<string> = new Set(['Audit Log']);

const NO_LIMITS: KeyLimits = { expiresAt: 0, readOnly: false, doctypes: [], methods: [], addresses: [] };

async function callersOf(site: TestSite) {
  const { database, random, clock, authenticator } = site.site;
  const key = async (user: string, limits: Partial<KeyLimits> = {}) => {
    const made = newApiKey(random);
    const stored = { ...made, user, label: 'walk', creation: '2026-01-01 00:00:00.000000' };
    await database.transaction((connection) =>
      storeApiKey(connection, { ...stored, limits: { ...NO_LIMITS, ...limits } }),
    );
    return { as: `token ${made.key}:${made.secret}`, key: made.key };
  };
  const manager = 'manager@example.com';
  await site.createUser(manager, ['System Manager', 'Note Writer']);
  await site.createUser('left@example.com', ['System Manager', 'Note Writer']);
  const nobody = await site.createUser('nobody@example.com', []);
  const left = await key('left@example.com');
  const revoked = await key(manager);
  const good = await key(manager);
  const session = (user: string) =>
    database.transaction((connection) => startSession(connection, clock, user, random));
  await session(manager);
  const { sid } = await session('left@example.com');
  await site.ok('PUT', '/api/resource/User/left@example.com', { body: { enabled: 0 } });
  await database.transaction((connection) =>
    connection.run(sql`update "_api_key" set "enabled" = 0 where "api_key" = ${revoked.key}`),
  );
  authenticator.forget();
  return new Map<Caller, Pick<RequestOptions, 'as' | 'headers'>>([
    ['guest', { as: null }],
    ['ended session', { as: null, headers: { cookie: `sid=${sid}` } }],
    ['nobody', { as: nobody }],
    ['read-only', { as: (await key(manager, { readOnly: true })).as }],
    ['elsewhere', { as: (await key(manager, { doctypes: ['Patch Log'] })).as }],
    ['disabled', { as: left.as }],
    ['expired', { as: (await key(manager, { expiresAt: 1_700_000_000_000 })).as }],
    ['revoked', { as: revoked.as }],
    ['wrong secret', { as: `${good.as.slice(0, -1)}x` }],
    ['wrong address', { as: (await key(manager, { addresses: ['192.0.2.0/24'] })).as }],
  ]);
}
