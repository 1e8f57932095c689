import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import crm from '../apps/crm/app.ts';
import { storeApiKey } from '../src/access/api-key.ts';
import { ADMINISTRATOR } from '../src/access/user.ts';
import { DEFAULT_CONFIG } from '../src/config/config.ts';
import { sql } from '../src/db/sql.ts';
import type { CompositeIndex } from '../src/doctype/composite-indexes.ts';
import { createDocument } from '../src/document/verbs/create.ts';
import { readStored } from '../src/document/verbs/read.ts';
import { updateDocument } from '../src/document/verbs/update.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { buildIndexes, leaveIndexes } from '../src/site/schema/migration/build-indexes.ts';
import { type OpenSite, openSite } from '../src/site/start/open-site.ts';
import { retentionRules } from '../src/standard/history/retention.ts';
import { freePort } from '../test/support/free-port.ts';
import type { Seeded } from './seed.ts';

/** A filled site, and work on it beside its server. */
export interface Place extends Pick<Seeded, 'data' | 'port' | 'environment' | 'token'> {
  readonly site: OpenSite;
  /** Declares the indexes of Ticket beside the automatic ones, and waits until they are built. */
  index(indexes: readonly CompositeIndex[]): Promise<void>;
  /** Stores so many old versions, and deletes them as retention does. */
  prune(versions: number): Promise<void>;
  close(): Promise<void>;
}

/** Rows of one insert. */
const BATCH = 250_000;
const THINGS = ['printer', 'scanner', 'door', 'invoice', 'password', 'projector', 'heating', 'lift', 'badge'];
const USER = 'bench@example.com';

/** The name of a copied ticket. */
export const copyName = (index: number) => `copy-${index}`;

/** Opens the site of a schema of PostgreSQL, and creates it with a user and a key if it is new. */
export async function openFilled(scratch: string, database: string): Promise<Place> {
  const data = join(scratch, 'data');
  const secretKey = Buffer.alloc(32, 7).toString('base64');
  const site = await openSite(
    { ...DEFAULT_CONFIG, data, database, secretKey },
    { apps: [crm], observe: () => {} },
  );
  const key = { key: randomBytes(8).toString('hex'), secret: randomBytes(32).toString('hex') };
  await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    const known = await ctx.db.get(sql`select 1 as "one" from "User" where "name" = ${USER}`);
    if (!known)
      await createDocument(ctx, 'User', {
        email: USER,
        first_name: 'Bench',
        roles: [{ role: 'Support Agent' }],
      });
    await storeApiKey(ctx.db, { ...key, user: USER, label: 'bench', creation: '2026-01-01 00:00:00.000000' });
  });
  return {
    site,
    data,
    port: await freePort(),
    environment: { CHANCERY_DATABASE: database, CHANCERY_SECRET_KEY: secretKey, CHANCERY_APPS: 'crm' },
    token: `token ${key.key}:${key.secret}`,
    index: (indexes) => declareIndexes(site, indexes),
    prune: (versions) => pruneVersions(site, versions),
    close: () => site.close(),
  };
}

async function declareIndexes(site: OpenSite, indexes: readonly CompositeIndex[]): Promise<void> {
  const value = JSON.stringify(indexes);
  const setter = { doctype_or_field: 'DocType', doc_type: 'Ticket', property: 'indexes', value };
  await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    const name = 'Ticket-main-indexes';
    if (await readStored(ctx, 'Property Setter', name)) {
      await updateDocument(ctx, 'Property Setter', name, { value });
    } else await createDocument(ctx, 'Property Setter', setter);
  });
  await buildIndexes(site.database, site.doctypes, () => {}, 'wait');
}

async function pruneVersions(site: OpenSite, versions: number): Promise<void> {
  await site.database.transaction((db) =>
    db.run({
      text: `insert into "Version" ("name", "creation", "modified", "ref_doctype", "docname", "data")
        select 'old-' || i, '2001-01-01', '2001-01-01', 'Ticket', 'copy-' || i, repeat('x', 200)
        from generate_series(1, ${versions}) as i`,
      values: [],
    }),
  );
  const days = { ...site, settings: { ...site.settings, versionDays: 3_650 } };
  for (const rule of retentionRules(days)) {
    if (rule.records === 'Version') while ((await rule.prune()) > 0);
  }
}

/** Fills the table of tickets, unless it is filled, without the ordinary create, and builds its indexes afterwards. */
export async function fillTickets(site: OpenSite, rows: number): Promise<void> {
  const { database } = site;
  const last = copyName(rows - 1);
  if (await database.reader.get(sql`select 1 as "one" from "Ticket" where "name" = ${last}`)) return;
  const indexes = await database.reader.all(
    sql`select c.relname as "name" from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = '"Ticket"'::regclass and left(c.relname, 4) = '_ix_'`,
  );
  await database.transaction(async (db) => {
    for (const { name } of indexes) await db.run({ text: `drop index "${name}"`, values: [] });
    await leaveIndexes(db);
  });
  const things = `(array[${THINGS.map((thing) => `'${thing}'`).join()}])[1 + i % ${THINGS.length}]`;
  for (let from = 0; from < rows; from += BATCH) {
    const to = Math.min(from + BATCH, rows);
    const time = `timestamp '2020-01-01' + i * interval '20 seconds'`;
    await database.transaction((db) =>
      db.run({
        text: `insert into "Ticket" ("name", "owner", "modified_by", "creation", "modified", "subject", "status",
            "priority", "raised_by", "description")
          select 'copy-' || i, 'Administrator', 'Administrator', ${time}, ${time},
            'Ticket ' || i || ' about the ' || ${things},
            (array['Open', 'Open', 'Replied', 'Resolved', 'Closed'])[1 + i % 5],
            (array['Low', 'Medium', 'High', 'Urgent'])[1 + i / 5 % 4],
            'person' || i % 5000 || '@example.com',
            repeat('It has been misbehaving since this morning. ', 4)
          from generate_series(${from}, ${to - 1}) as i`,
        values: [],
      }),
    );
  }
  await buildIndexes(database, site.doctypes, () => {}, 'wait');
  await database.transaction((db) => db.run({ text: 'analyze "Ticket"', values: [] }));
}
