import fc from 'fast-check';
import { unavailable } from '../../src/db/driver-errors.ts';
import { methodTable } from '../../src/http/methods/methods.ts';
import { errorBody, errorBodyV2 } from '../../src/http/wire/error-reply.ts';
import { isRecord } from '../../src/kernel/value.ts';
import { sensors } from '../support/sensors/app.ts';
import { type Engine, startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';
import type { Spent } from './budget.ts';
import { type Footprint, footprint } from './footprint.ts';
import { DEFINITIONS, fuzzApp } from './fuzz-app.ts';
import { complaint } from './invariants.ts';
import { Meter } from './meter.ts';
import { type FuzzRequest, shownRequest as shown } from './requests.ts';
import { anyRequest } from './routes.ts';
import { type FuzzReply, openSender, type Sender } from './send.ts';
import { NAMES, World } from './world.ts';

/** Requests at a time. */
export const CONCURRENCY = 8;
/** Requests made at a time: later ones know what earlier ones found. */
const CHUNK = 40;

/** How a round went. */
interface Round {
  /** Statuses of each route, `GET /api/…`, by number. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Creations and changes that a following GET confirmed. */
  readonly confirmed: number;
  /** What each request that was over the budget took, or came near it. */
  readonly spent: readonly Spent[];
  /** What the process held before the first request, after the last, and after the site was closed. */
  readonly footprints: Readonly<Record<'before' | 'after' | 'closed', Footprint>>;
  /** What went wrong, each with the request that did it. */
  readonly failures: readonly string[];
}

/** Sends so many requests to a fresh site, made from this seed alone as far as the replies of the site are. */
export async function fuzzSite(engine: Engine, seed: number, requests: number): Promise<Round> {
  const site = await startTestSite(engine, { apps: [fuzzApp, sensors().app] });
  const sender = openSender(site.url, CONCURRENCY);
  const meter = new Meter(sender);
  let result: Result;
  let before: Footprint;
  let after: Footprint;
  try {
    const world = await prepare(site);
    before = await footprint();
    result = await round(site, world, sender, meter, seed, requests);
    after = await footprint();
  } finally {
    await meter.stop();
    sender.close();
    await site.stop();
  }
  return { ...result, footprints: { before, after, closed: await footprint() } };
}

type Result = Omit<Round, 'footprints'>;

/** Fills a fresh site with what requests are about. */
export async function prepare(site: TestSite): Promise<World> {
  const post = async (doctype: string, body: unknown) => {
    const reply = await site.request('POST', `/api/resource/${encodeURIComponent(doctype)}`, { body });
    if (reply.status !== 200) throw new Error(`cannot prepare ${doctype}: ${reply.text}`);
  };
  await post('Role', { role_name: 'Staff' });
  for (const definition of DEFINITIONS) await post('DocType', definition);
  const staff = await site.createUser('staff@example.com', ['Staff']);
  for (const name of NAMES) {
    await post('Leaf', { name, title: `Title ${name}` });
    await post('Sensor', { name, label: name });
    await post('Everything', { link: name, int: name.length, table: [{ item: name, qty: 1 }] });
    await post('Order', { title: name, items: [{ item: name, qty: 2 }] });
  }
  await post('Custom Field', { dt: 'Leaf', fieldname: 'extra', label: 'Extra', fieldtype: 'Data' });
  await post('Grove', { title: 'Root', is_group: 1 });
  await post('Grove', { title: 'A', parent_grove: 'Root' });
  const form = new FormData();
  form.set('file', new Blob(['hello']), 'x.txt');
  await site.request('POST', '/api/method/upload_file', { body: form });
  const world = new World(site, [`token ${site.adminKey}`, staff], methodTable(site.site));
  for (const doctype of ['Leaf', 'Sensor', 'Everything', 'Order', 'File', 'Grove']) {
    const { body } = await site.request('GET', `/api/resource/${doctype}`);
    for (const row of body.data) world.learn(doctype, row.name);
  }
  return world;
}

async function round(
  site: TestSite,
  world: World,
  sender: Sender,
  meter: Meter,
  seed: number,
  requests: number,
): Promise<Result> {
  const generator = anyRequest(world);
  const counts = new Map<string, Map<number, number>>();
  const failures: string[] = [];
  let found = 0;

  // Another request may be changing the doctype's table: a retry gets an answer.
  const send = (request: FuzzRequest) =>
    until(
      () => sender.send(request),
      (reply) => !isMoved(request, reply),
    );

  async function run(request: FuzzRequest): Promise<void> {
    let reply: FuzzReply;
    const { version } = site.site.doctypes;
    try {
      reply = await send(request);
    } catch (error) {
      failures.push(shown(request, `got no reply: ${String(error)}`));
      return;
    }
    const key = `${request.method.padEnd(7)} ${request.route}`;
    const statuses = counts.get(key) ?? new Map<number, number>();
    counts.set(key, statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1));
    const wrong = complaint(request, reply);
    if (wrong !== null) failures.push(shown(request, `${wrong}: ${reply.text.slice(0, 600)}`));
    if (isWrite(request) && reply.status === 200) {
      const lost = await unconfirmed(request, reply, version);
      if (lost === null) found += 1;
      else failures.push(shown(request, lost));
    }
    learn(world, request, reply);
  }

  // What a creation or a change answered is what the document's address answers.
  async function unconfirmed(
    request: FuzzRequest,
    reply: FuzzReply,
    version: number,
  ): Promise<string | null> {
    const data = dataOf(reply);
    // Documents of a doctype that the fuzz made may have numbers for names.
    if (data === null || !(typeof data.name === 'string' || Number.isSafeInteger(data.name)))
      return `created a document without a name: ${reply.text.slice(0, 300)}`;
    const path = `/api/resource/${encodeURIComponent(String(data.doctype))}/${encodeURIComponent(String(data.name))}`;
    const again = await send({ ...request, method: 'GET', path, headers: asAdmin(world), body: null });
    const found = dataOf(again);
    // Another request may have been faster.
    const isKnown = isKnownName(String(data.name)) || !world.doctype(String(data.doctype));
    if (again.status === 404 && (request.method !== 'POST' || isKnown)) return null;
    if (again.status !== 200)
      return `cannot be read again at ${path}: ${again.status} ${again.text.slice(0, 300)}`;
    // What was changed since has another revision, and others than Administrator may read less.
    const { etag } = reply.headers;
    if (etag === undefined || again.headers.etag !== etag) return null;
    // A field that a doctype was given meanwhile is in one of the replies only.
    if (site.site.doctypes.version !== version) return null;
    if (request.headers['authorization'] !== asAdmin(world).authorization) return null;
    // A secret that the server made is shown once.
    if (typeof data.secret === 'string' && /^\*+$/.test(String(found?.secret))) data.secret = found?.secret;
    return JSON.stringify(found) === JSON.stringify(data)
      ? null
      : `reads otherwise than it was created:\n  ${reply.text.slice(0, 2_000)}\n  ${again.text.slice(0, 2_000)}`;
  }

  const waiting: FuzzRequest[] = [];
  let made = 0;
  const next = (): FuzzRequest | undefined => {
    if (waiting.length === 0 && made < requests) {
      const numRuns = Math.min(CHUNK, requests - made);
      waiting.push(...fc.sample(generator, { seed: seed + made, numRuns }));
      made += numRuns;
    }
    return waiting.shift();
  };
  const work = async () => {
    for (let request = next(); request; request = next()) {
      const one = request;
      const slow = await meter.measure(one, () => run(one));
      if (slow !== null) failures.push(slow);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));

  for (const observation of site.observed) {
    if (observation.kind !== 'unexpected' && observation.kind !== 'reply_broken') continue;
    const { error } = observation;
    const what =
      observation.kind === 'unexpected' ? `unexpected in ${observation.where}` : 'a reply broke off';
    failures.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
  }
  const alive = await site.request('GET', '/ready', { as: null });
  if (alive.status !== 200) failures.push(`afterwards /ready answers ${alive.status}`);
  return { counts, confirmed: found, spent: meter.spent, failures };
}

const MOVED = unavailable('The doctype was changed at this moment, please try again');
const LENGTHS = [errorBody(MOVED), errorBodyV2(MOVED)].map((body) => String(Buffer.byteLength(body)));

// A reply to HEAD has the length of the text, but not the text.
function isMoved({ method }: FuzzRequest, { status, headers, text }: FuzzReply): boolean {
  if (status !== 503) return false;
  if (method === 'HEAD') return LENGTHS.includes(headers['content-length'] ?? '');
  return text.includes(MOVED.message);
}

function isWrite({ method, route }: FuzzRequest): boolean {
  const [, rest] = /^\/api\/(?:resource|v2\/document)\/:doctype(.*)$/.exec(route) ?? [];
  return method === 'POST' ? rest === '' : rest === '/*' && (method === 'PUT' || method === 'PATCH');
}

function isKnownName(name: string): boolean {
  return NAMES.includes(name) || /^(?:N|hook)-\d+$|^Made \d+$|^user\d+@/.test(name);
}

function asAdmin(world: World): { authorization: string } {
  return { authorization: world.users[0] ?? '' };
}

function dataOf(reply: FuzzReply): Record<string, unknown> | null {
  const data = isRecord(reply.json) ? reply.json['data'] : null;
  return isRecord(data) ? data : null;
}

function learn(world: World, request: FuzzRequest, reply: FuzzReply): void {
  if (reply.status !== 200 || !isRecord(reply.json)) return;
  const { data, message, cursor } = reply.json;
  if (typeof cursor === 'string') world.cursors.push(cursor);
  if (typeof reply.headers.etag === 'string') world.etags.push(reply.headers.etag);
  for (const doc of [data, message]) {
    if (!isRecord(doc)) continue;
    if (typeof doc.doctype === 'string' && typeof doc.name === 'string') world.learn(doc.doctype, doc.name);
    if (typeof doc.file_url === 'string') world.files.push(doc.file_url);
  }
  const [, listed] = /^\/api\/(?:resource|v2\/document)\/([^/?]+)(?:\?|$)/.exec(request.path) ?? [];
  if (listed === undefined || !Array.isArray(data)) return;
  for (const row of data.slice(0, 5)) {
    if (isRecord(row) && typeof row.name === 'string') world.learn(decodeURIComponent(listed), row.name);
  }
}
