/**
 * The floor: what bare node:http over the bare driver needs for the same requests on the same data, with the database
 * building the JSON. No permissions, no checks, no hooks: nobody should run it, it only shows what the machine can do.
 *
 *   node bench/floor.ts <SQLite file | postgres://…> <upload directory>
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { type Kind, now } from './floor-store.ts';

const [database = 'floor.db', uploads = '.'] = process.argv.slice(2);
const store = database.startsWith('postgres')
  ? await (await import('./floor-postgres.ts')).postgresStore(database)
  : (await import('./floor-sqlite.ts')).sqliteStore(database);

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

function reply(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function readBody(request: IncomingMessage, done: (body: Record<string, string>) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())));
}

function download(path: string, response: ServerResponse): void {
  const { size } = statSync(path);
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
  pipeline(createReadStream(path), response, () => {});
}

function upload(request: IncomingMessage, response: ServerResponse): void {
  const name = randomBytes(8).toString('hex');
  pipeline(request, createWriteStream(join(uploads, name), { flush: true }), () =>
    reply(response, `{"message":{"name":"${name}"}}`),
  );
}

function create(request: IncomingMessage, response: ServerResponse): void {
  readBody(request, (body) => {
    const at = now();
    const name = randomBytes(5).toString('hex');
    const row = { ...body, name, owner: 'bench', creation: at, modified: at };
    store.create(row, () => reply(response, JSON.stringify({ data: row })));
  });
}

function update(name: string, request: IncomingMessage, response: ServerResponse): void {
  readBody(request, (body) =>
    store.update(name, body['priority'] ?? '', () =>
      store.get(name, (json) => reply(response, `{"data":${json}}`)),
    ),
  );
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://floor');
  if (url.pathname.startsWith('/files/')) {
    download(join(uploads, url.pathname.slice(7).replaceAll('/', '')), response);
    return;
  }
  if (!authorised(request)) {
    response.writeHead(401).end();
    return;
  }
  const name = decodeURIComponent(url.pathname.slice('/api/resource/Ticket/'.length));
  const answer = (json: string) => reply(response, `{"data":${json}}`);
  if (request.method === 'POST' && url.pathname === '/upload') upload(request, response);
  else if (request.method === 'POST') create(request, response);
  else if (request.method === 'PUT') update(name, request, response);
  else if (name !== '') store.get(name, answer);
  else {
    const kind = (url.searchParams.get('kind') ?? 'list') as Kind;
    store.list(kind, Number(url.searchParams.get('limit_start') ?? 0), answer);
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
