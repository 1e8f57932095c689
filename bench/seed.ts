import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import crm from '../apps/crm/app.ts';
import { storeApiKey } from '../src/access/api-key.ts';
import { ADMINISTRATOR } from '../src/access/user.ts';
import { DEFAULT_CONFIG } from '../src/config/config.ts';
import { createDocument } from '../src/document/verbs/create.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { receiveContent, uploadFile } from '../src/file/upload-file.ts';
import { type OpenSite, openSite } from '../src/site/start/open-site.ts';
import { freePort } from '../test/support/free-port.ts';

import { FIELDS } from './floor-store.ts';

/** A filled site, and the same tickets for the floor. */
export interface Seeded {
  readonly data: string;
  readonly port: number;
  /** Environment of the server: which database. */
  readonly environment: Record<string, string>;
  /** Authorization header of a user who has a role, not Administrator's. */
  readonly token: string;
  readonly names: readonly string[];
  /** A public file of 100 kB. */
  readonly fileUrl: string;
  readonly floorDatabase: string;
  readonly floorUploads: string;
  readonly floorFile: string;
}

const API_KEY = { key: 'benchbenchbench', secret: randomBytes(32).toString('hex') };
const STATUSES = ['Open', 'Open', 'Replied', 'Resolved', 'Closed'];
const PRIORITIES = ['Low', 'Medium', 'High', 'Urgent'];
const THINGS = [
  'printer',
  'scanner',
  'door',
  'invoice',
  'password',
  'projector',
  'heating',
  'coffee machine',
  'lift',
  'badge',
];
const USER = 'bench@example.com';
/** Documents created in one transaction while filling. */
const BATCH = 1_000;

/** Fills a new site with `rows` tickets through the ordinary create, and copies them for the floor. */
export async function seed(scratch: string, postgres: string | null, rows: number): Promise<Seeded> {
  const data = join(scratch, 'data');
  const config = { ...DEFAULT_CONFIG, data, database: postgres };
  const site = await openSite(config, { apps: [crm], observe: () => {} });
  await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    await createDocument(ctx, 'User', {
      email: USER,
      first_name: 'Bench',
      roles: [{ role: 'Support Agent' }],
    });
    await storeApiKey(ctx.db, {
      ...API_KEY,
      user: USER,
      label: 'bench',
      creation: '2026-01-01 00:00:00.000000',
    });
  });
  const names: string[] = [];
  for (let start = 0; start < rows; start += BATCH) {
    await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
      const batch: string[] = [];
      for (let index = start; index < Math.min(start + BATCH, rows); index += 1) {
        batch.push((await createDocument(ctx, 'Ticket', ticket(index))).name);
      }
      ctx.afterCommit(() => void names.push(...batch));
    });
  }
  const bytes = randomBytes(100_000);
  const content = await receiveContent(site, Readable.from([bytes]));
  const upload = { content, fileName: 'bench.bin', fields: new Map<string, string>() };
  const file = await uploadFile(site, upload, (work) => unitOfWork(site, ADMINISTRATOR, work));
  const floorUploads = join(scratch, 'floor');
  mkdirSync(floorUploads);
  writeFileSync(join(floorUploads, 'bench.bin'), bytes);
  const floorDatabase = join(scratch, 'floor.db');
  // What PostgreSQL does by itself within a minute; without it the first queries are planned blindly.
  if (postgres) await site.database.transaction((db) => db.run({ text: 'analyze', values: [] }));
  else await copyTickets(site, floorDatabase);
  await site.close();
  return {
    data,
    port: await freePort(),
    environment: postgres ? { CHANCERY_DATABASE: postgres } : {},
    token: `token ${API_KEY.key}:${API_KEY.secret}`,
    names,
    fileUrl: String(file['file_url']),
    floorDatabase: postgres ?? floorDatabase,
    floorUploads,
    floorFile: 'bench.bin',
  };
}

function ticket(index: number): Record<string, string | undefined> {
  const thing = THINGS[(index * 7) % THINGS.length];
  return {
    subject: `Ticket ${index} about the ${thing}`,
    status: STATUSES[(index * 3) % STATUSES.length],
    priority: PRIORITIES[Math.floor(index / 5) % PRIORITIES.length],
    raised_by: `person${index % 500}@example.com`,
    description: `The ${thing} on floor ${index % 9} has been misbehaving since this morning. `.repeat(4),
  };
}

// The floor has the columns that its queries name, and an index for its order and for its filter.
async function copyTickets(site: OpenSite, file: string): Promise<void> {
  const database = new DatabaseSync(file);
  const columns = [...FIELDS, 'modified_by'];
  database.exec(`pragma journal_mode=wal;
    create table "Ticket" (${columns.map((name) => `"${name}" text`).join(', ')}, "docstatus" integer, "idx" integer, primary key ("name"));
    create index "by_modified" on "Ticket" ("modified", "name");
    create index "by_status" on "Ticket" ("status", "priority", "modified", "name")`);
  const insert = database.prepare(`insert into "Ticket" values (${columns.map(() => '?').join(', ')}, 0, 0)`);
  const rows = await site.database.reader.all({
    text: `select ${columns.map((name) => `"${name}"`).join(', ')} from "Ticket"`,
    values: [],
  });
  database.exec('begin');
  for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
  database.exec('commit; analyze');
  database.close();
}
