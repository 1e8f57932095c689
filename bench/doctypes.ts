/**
 * `npm run bench:doctypes [-- --count 800 --engine postgres --json FILE]`
 *
 * A site with as many doctypes as a large Frappe app, in one cycle of Links: how long it takes to start and to
 * add a field, its memory, the bytes of the first request of the admin UI and of OpenAPI, and how long other
 * requests wait meanwhile. CPU times are stable on a noisy machine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { freePort } from '../test/support/free-port.ts';
import { report } from './results.ts';
import { type Served, serve } from './servers.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '800' },
    engine: { type: 'string', default: 'sqlite' },
    json: { type: 'string' },
  },
});
const COUNT = Number(flags.count);
const FIELDS = 28;
const TYPES = [
  'Data',
  'Select',
  'Check',
  'Currency',
  'Date',
  'Small Text',
  'Section Break',
  'Column Break',
  'Int',
];
/** One in three is a child table of the one before it. */
const isChild = (at: number) => at % 3 === 2;
const nameOf = (at: number) => `Large Business Doctype ${at}`;
const KEY = `bench-doctypes:${'0123456789'.repeat(3)}`;

const rows: (string | number)[][] = [];
const scratch = mkdtempSync(join(tmpdir(), 'chancery-bench-'));
const postgres = flags.engine === 'postgres' ? await startPostgres(DURABLE) : null;
try {
  const app = writeApp(join(scratch, 'app'));
  const site = {
    data: join(scratch, 'data'),
    port: await freePort(),
    environment: {
      CHANCERY_APPS: app,
      CHANCERY_ADMIN_API_KEY: KEY,
      ...(postgres && { CHANCERY_DATABASE: postgres.url }),
    },
    token: `token ${KEY}`,
  };
  for (const start of ['first start', 'second start']) {
    const begun = performance.now();
    const server = await serve(site, `/api/resource/${encodeURIComponent(nameOf(0))}`);
    tell(start, performance.now() - begun, server.cpuMicros(), `${server.rss()} MB resident`);
    if (start === 'second start') await measure(server);
    await server.stop();
  }
  const title = `${flags.engine}, ${COUNT} doctypes`;
  report({ title, head: ['', 'ms', 'CPU ms', ''], rows }, flags.json);
} finally {
  await postgres?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function measure(server: Served): Promise<void> {
  const one = `/api/openapi.json?doctype=${encodeURIComponent(nameOf(1))}`;
  for (const path of ['/api/method/chancery.ui.boot', one, '/api/openapi.json']) {
    for (const encoding of ['identity', 'br']) {
      await timed(server, `${path}, ${encoding}`, async () => {
        const others = longestWait(server);
        const bytes = await bytesOf(server, path, encoding);
        return `${bytes.toLocaleString('en')} bytes; longest wait ${await others()} ms`;
      });
    }
  }
  for (const at of [0, 1, 3]) {
    await timed(server, `add a field to ${nameOf(at)}`, async () => {
      const reply = await fetch(`${server.url}/api/resource/Custom Field`, {
        method: 'POST',
        headers: { authorization: server.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ dt: nameOf(at), fieldname: 'added', fieldtype: 'Data' }),
      });
      return String(reply.status);
    });
  }
  rows.push(['in the end', '', '', `${server.rss()} MB resident`]);
}

/** Sends one request after the other until it is called; resolves to the milliseconds of the longest. */
function longestWait(server: Served): () => Promise<number> {
  let isDone = false;
  const asking = (async () => {
    let longest = 0;
    while (!isDone) {
      const begun = performance.now();
      await bytesOf(server, '/health', 'identity');
      longest = Math.max(longest, performance.now() - begun);
    }
    return Math.round(longest);
  })();
  return () => {
    isDone = true;
    return asking;
  };
}

/** The length of the body on the wire. */
function bytesOf(server: Served, path: string, encoding: string): Promise<number> {
  const headers = { authorization: server.authorization, 'accept-encoding': encoding };
  return new Promise((resolve, reject) => {
    get(server.url + path, { headers, agent: false }, (reply) => {
      let bytes = 0;
      reply.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      reply.once('end', () => resolve(bytes));
    }).once('error', reject);
  });
}

async function timed(server: Served, title: string, work: () => Promise<string>): Promise<void> {
  const [begun, cpu] = [performance.now(), server.cpuMicros()];
  const result = await work();
  tell(title, performance.now() - begun, server.cpuMicros() - cpu, result);
}

function tell(title: string, millis: number, cpuMicros: number, more: string): void {
  rows.push([title, millis, cpuMicros / 1000, more]);
}

function writeApp(folder: string): string {
  mkdirSync(join(folder, 'doctypes'), { recursive: true });
  for (let at = 0; at < COUNT; at += 1) {
    writeFileSync(join(folder, 'doctypes', `${at}.json`), JSON.stringify(definition(at)));
  }
  writeFileSync(
    join(folder, 'app.ts'),
    "import { defineApp } from 'chancery';\n" +
      "export default defineApp({ name: 'large', doctypes: new URL('./doctypes/', import.meta.url) });\n",
  );
  return folder;
}

function definition(at: number): object {
  const target = isChild(at + 1) ? at + 2 : at + 1;
  const table = { fieldname: 'rows', fieldtype: 'Table', options: nameOf(at + 1) };
  const rights = {
    read: 1,
    write: 1,
    create: 1,
    delete: 1,
    report: 1,
    export: 1,
    share: 1,
    print: 1,
    email: 1,
  };
  return {
    doctype: 'DocType',
    name: nameOf(at),
    module: `Module ${at % 20}`,
    autoname: 'hash',
    istable: isChild(at) ? 1 : 0,
    track_changes: 1,
    title_field: 'title',
    search_fields: 'title, field_5',
    fields: [
      { fieldname: 'title', label: 'Title', fieldtype: 'Data', in_list_view: 1, reqd: 1 },
      {
        fieldname: 'next',
        label: 'Next',
        fieldtype: 'Link',
        options: nameOf(isChild(target % COUNT) ? 0 : target % COUNT),
      },
      ...(!isChild(at) && isChild(at + 1) && at + 1 < COUNT ? [table] : []),
      ...Array.from({ length: FIELDS }, (_, index) => fieldOf(index)),
    ],
    permissions: isChild(at)
      ? []
      : ['System Manager', `Manager ${at % 20}`, `User ${at % 20}`].map((role) => ({ role, ...rights })),
  };
}

function fieldOf(index: number): object {
  const fieldtype = TYPES[index % TYPES.length];
  return {
    fieldname: `field_${index}`,
    label: `The Field of Number ${index}`,
    fieldtype,
    ...(fieldtype === 'Select' && { options: '\nDraft\nOpen\nClosed', default: 'Draft' }),
    ...(index % 3 === 0 && { depends_on: 'eval:doc.title && doc.field_1 != "Closed"' }),
    description: index % 4 === 0 ? 'What this field means, in a sentence of usual length.' : '',
  };
}
