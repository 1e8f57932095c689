/**
 * The floor: what bare node:http over node:sqlite needs for the same requests on the same data, with SQLite building
 * the JSON and one commit for all creates of a tick. No permissions, no checks, no hooks: nobody should run it, it
 * only shows what the machine can do.
 *
 *   node bench/floor.ts <database file> <upload directory>
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pipeline } from 'node:stream';

const [file = 'floor.db', uploads = '.'] = process.argv.slice(2);
const database = new DatabaseSync(file);
const writer = new DatabaseSync(file);
for (const connection of [database, writer]) {
  connection.exec('pragma journal_mode=wal; pragma synchronous=full; pragma busy_timeout=5000');
}

const FIELDS = [
  'name',
  'subject',
  'status',
  'priority',
  'raised_by',
  'description',
  'owner',
  'creation',
  'modified',
];
const pair = (field: string) =>
  field === 'creation' || field === 'modified'
    ? `'${field}', substr("${field}", 1, 19)`
    : `'${field}', "${field}"`;
const object = (fields: readonly string[]) => `json_object(${fields.map(pair).join(', ')})`;
const page = (where: string) => `select '[' || coalesce(group_concat(j), '') || ']' as json from (
  select ${object(['name', 'subject', 'status', 'priority', 'modified'])} as j from "Ticket" ${where}
  order by "modified" desc, "name" desc limit ? offset ?)`;

const get = database.prepare(`select ${object(FIELDS)} as json from "Ticket" where "name" = ?`);
const list = database.prepare(page(''));
const filter = database.prepare(page('where "status" = ? and "priority" = ?'));
const like = database.prepare(page('where "subject" like ?'));
const insert = writer.prepare(
  `insert into "Ticket" (${FIELDS.map((field) => `"${field}"`).join(', ')}, "modified_by", "docstatus", "idx")
   values (${FIELDS.map(() => '?').join(', ')}, 'bench', 0, 0)`,
);
const update = writer.prepare('update "Ticket" set "priority" = ?, "modified" = ? where "name" = ?');

const digest = createHash('sha256')
  .update(process.env['BENCH_TOKEN'] ?? '')
  .digest();
const verdicts = new Map<string, boolean>();
function authorised(request: IncomingMessage): boolean {
  const header = request.headers.authorization ?? '';
  let verdict = verdicts.get(header);
  if (verdict === undefined) {
    verdict = timingSafeEqual(createHash('sha256').update(header).digest(), digest);
    verdicts.set(header, verdict);
  }
  return verdict;
}

// One transaction for every write that waits: each answer follows the shared commit.
let waiting: { run: () => void; done: () => void }[] = [];
function write(run: () => void, done: () => void): void {
  waiting.push({ run, done });
  if (waiting.length === 1) setImmediate(commit);
}
function commit(): void {
  const group = waiting;
  waiting = [];
  writer.exec('begin immediate');
  for (const unit of group) unit.run();
  writer.exec('commit');
  for (const unit of group) unit.done();
}

function reply(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function text(statement: StatementSync, ...values: (string | number)[]): string {
  return String(statement.get(...values)?.['json']);
}

function readBody(request: IncomingMessage, done: (body: Record<string, string>) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())));
}

const now = () => new Date().toISOString().replace('T', ' ').replace('Z', '000');

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://floor');
  if (url.pathname.startsWith('/files/')) {
    const path = join(uploads, url.pathname.slice(7).replaceAll('/', ''));
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': statSync(path).size,
    });
    pipeline(createReadStream(path), response, () => {});
    return;
  }
  if (!authorised(request)) {
    response.writeHead(401).end();
    return;
  }
  if (request.method === 'POST' && url.pathname === '/upload') {
    const name = randomBytes(8).toString('hex');
    pipeline(request, createWriteStream(join(uploads, name), { flush: true }), () =>
      reply(response, `{"message":{"name":"${name}"}}`),
    );
    return;
  }
  if (request.method === 'POST') {
    readBody(request, (body) => {
      const name = randomBytes(5).toString('hex');
      const at = now();
      const row = { ...body, name, owner: 'bench', creation: at, modified: at } as Record<string, string>;
      write(
        () => insert.run(...FIELDS.map((field) => row[field] ?? null)),
        () => reply(response, JSON.stringify({ data: row })),
      );
    });
    return;
  }
  const name = decodeURIComponent(url.pathname.slice('/api/resource/Ticket/'.length));
  if (request.method === 'PUT') {
    readBody(request, (body) =>
      write(
        () => update.run(body['priority'] ?? '', now(), name),
        () => reply(response, `{"data":${text(get, name)}}`),
      ),
    );
    return;
  }
  if (name !== '') {
    reply(response, `{"data":${text(get, name)}}`);
    return;
  }
  const kind = url.searchParams.get('kind');
  const start = Number(url.searchParams.get('limit_start') ?? 0);
  if (kind === 'filter') reply(response, `{"data":${text(filter, 'Open', 'High', 20, start)}}`);
  else if (kind === 'like') reply(response, `{"data":${text(like, '%printer%', 20, start)}}`);
  else reply(response, `{"data":${text(list, 20, start)}}`);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
