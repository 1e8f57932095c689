/**
 * Every route and every method, called by everybody who should be refused, with arguments with which
 * Administrator succeeds. A method without an entry in method-entries.ts fails. A route answers somebody
 * otherwise than with a refusal only by an entry in route-entries.ts: whoever adds a door says who may pass.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fastify } from 'fastify';
import { BUILT_INS } from '../../src/http/methods/methods.ts';
import { guardRoutes } from '../../src/http/route-table.ts';
import { createServer } from '../../src/http/server.ts';
import { engineOf } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { type Entry, exceptionFor } from './entries.ts';
import { entryOf, METHOD_ENTRIES } from './method-entries.ts';
import { entriesLeftOver, routeEntry } from './route-entries.ts';
import { type Caller, REFUSED, startWalk, type WalkSite, WEAK } from './walk-site.ts';

/** One request, ready to be sent by anybody. */
interface Sent {
  readonly verb: string;
  readonly path: string;
  readonly body?: unknown;
}

for (const engine of engineOf('the walk')) {
  describe(`the walk on ${engine}`, () => {
    let walk: WalkSite;
    before(async () => {
      walk = await startWalk(engine);
    });
    after(() => walk?.site.stop());

    const send = (caller: Caller, { verb, path, body }: Sent) =>
      walk.site.request(verb, path, { ...walk.callers.get(caller), body });

    /** What is wrong with an answer; null when it is right. */
    function wrong(reply: TestReply, entry: Entry, caller: Caller, reads: boolean): string | null {
      if (reply.status >= 500) return 'fails';
      if (isRefused(caller)) return reply.status === 401 ? null : 'is not refused';
      const exception = exceptionFor(entry, caller);
      if (exception) {
        const holds = exception.status.includes(reply.status) && (exception.holds?.(reply) ?? true);
        return holds ? null : `is not as it should be: ${exception.because}`;
      }
      if (caller === 'read-only' && reads) return reply.status < 400 ? null : 'may not read';
      if (reply.text.includes('Secret title')) return 'reads what it may not';
      return reply.status === 403 ? null : 'is not refused';
    }

    /** Sends a request as everybody who should be refused, then as Administrator; resolves to what went wrong. */
    async function walkOver(requests: readonly Sent[], entry: Entry, reads: boolean): Promise<string[]> {
      const found: string[] = [];
      const before = await walk.fingerprint();
      for (const sent of requests) {
        for (const caller of [...WEAK, ...REFUSED]) {
          const reply = await send(caller, sent);
          const problem = wrong(reply, entry, caller, reads || sent.verb === 'GET');
          if (problem) found.push(`${sent.verb} ${sent.path} as ${caller} ${problem}: ${told(reply)}`);
        }
      }
      if ((await walk.fingerprint()) !== before) found.push(`${requests[0]?.path} changed something`);
      const [sent] = requests.slice(-1);
      const reply = sent && (await walk.site.request(sent.verb, sent.path, { body: sent.body }));
      if (reply && reply.status >= 400)
        found.push(`${sent.verb} ${sent.path} as Administrator: ${told(reply)}`);
      return found;
    }

    async function refusesGuests(requests: readonly Sent[]): Promise<string[]> {
      const found: string[] = [];
      for (const sent of requests) {
        const reply = await send('guest', sent);
        if (reply.status !== 403) found.push(`${sent.verb} ${sent.path} as guest: ${told(reply)}`);
      }
      return found;
    }

    test('every method refuses whoever may not, changes nothing for them, and works for who may', async () => {
      const found = [...walk.methods]
        .filter(([, method]) => !entryOf(method))
        .map(([name]) => `${name} has no entry in method-entries.ts`);
      for (const [name, method] of walk.methods) {
        const entry = entryOf(method);
        if (!entry || entry.apart) {
          const guest = method.http.map((verb): Sent => ({ verb, path: `/api/method/${name}` }));
          if (entry && !entry.exceptions) found.push(...(await refusesGuests(guest)));
          continue;
        }
        const args = (await entry.args?.(walk)) ?? {};
        const path = `/api/method/${name}`;
        const requests = method.http.map((verb): Sent => {
          return verb === 'GET' ? { verb, path: `${path}?${queryOf(args)}` } : { verb, path, body: args };
        });
        found.push(...(await walkOver(requests, entry, method.effect === 'read')));
      }
      assert.deepEqual(found, []);
    });

    test('every route refuses whoever may not, changes nothing for them, and works for who may', async () => {
      const found: string[] = [];
      for (const { method: verb, path, offered } of walk.routes) {
        if (!offered) continue;
        const entry = routeEntry(verb, path);
        const sent: Sent = { verb, path: await entry.url(walk, path) };
        const request = entry.body ? { ...sent, body: await entry.body(walk) } : sent;
        if (entry.apart === undefined) found.push(...(await walkOver([request], entry, verb === 'HEAD')));
        else if (!entry.exceptions) found.push(...(await refusesGuests([request])));
        for (const caller of entry.apart === undefined ? [] : REFUSED) {
          const reply = await send(caller, request);
          if (reply.status !== 401) found.push(`${verb} ${path} as ${caller}: ${told(reply)}`);
        }
      }
      assert.deepEqual(found, []);
    });

    test('no entry is about a route that is gone', () => {
      assert.deepEqual(entriesLeftOver(), []);
    });

    test('only what costs nothing is neither counted nor bounded', () => {
      const free = walk.routes.filter(({ work, offered }) => offered && work === 'none');
      assert.deepEqual([...new Set(free.map(({ path }) => path))].sort(), [
        '/.well-known/oauth-authorization-server',
        '/app',
        '/app/*',
        '/desk',
        '/desk/*',
        '/docs',
        '/docs/:asset',
        '/health',
        '/ready',
      ]);
      for (const { method, path, work, offered } of walk.routes) {
        const writes = offered && !['GET', 'HEAD'].includes(method);
        if (writes)
          assert.ok(['write', 'upload', 'login', 'method'].includes(work), `${method} ${path}: ${work}`);
      }
    });

    test('every method of a document refuses whoever may not, by each door', async () => {
      const found: string[] = [];
      for (const { method, args = {}, reads = false, submitted = false } of DOCUMENT_METHODS) {
        const verb = reads ? 'GET' : 'POST';
        const one = await walk.note();
        if (submitted) {
          await walk.site.request('PUT', `/api/resource/Note/${one}`, { body: { docstatus: 1 } });
        }
        const asked = { dt: 'Note', dn: one, method, args: JSON.stringify(args) };
        const rest = reads ? {} : { body: args };
        const doors: readonly Sent[] = [
          { verb, path: `/api/resource/Note/${one}?run_method=${method}`, ...rest },
          { verb, path: `/api/v2/document/Note/${one}/method/${method}`, ...rest },
          reads
            ? { verb, path: `/api/method/run_doc_method?${queryOf(asked)}` }
            : { verb, path: '/api/method/run_doc_method', body: asked },
        ];
        found.push(...(await walkOver(doors, {}, reads)));
      }
      assert.deepEqual(found, []);
    });
  });
}

interface DocumentMethod {
  readonly method: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly reads?: true;
  /** Of a submitted document. */
  readonly submitted?: true;
}

/** What every document has, and what the app of the walk declares. */
const DOCUMENT_METHODS: readonly DocumentMethod[] = [
  { method: 'look', reads: true },
  { method: 'stamp' },
  { method: 'submit' },
  { method: 'cancel', submitted: true },
  { method: 'rename', args: { name: `m-${Math.random()}` } },
  { method: 'add_comment', args: { text: 'x' } },
];

function isRefused(caller: Caller): caller is (typeof REFUSED)[number] {
  return (REFUSED as readonly Caller[]).includes(caller);
}

function told({ status, text }: TestReply): string {
  return `${status} ${text.slice(0, 200)}`;
}

function queryOf(args: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(args).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

test('no built-in method but those of signing in, and the time zone, answers a guest', () => {
  const open = BUILT_INS.filter(({ access }) => access === 'guest');
  const reasoned = open.filter(({ name }) => METHOD_ENTRIES[name]?.exceptions?.anybody);
  assert.deepEqual(reasoned, open);
});

test('a route that does not declare its access and its work stops the start', async () => {
  const app = fastify();
  guardRoutes(app);
  assert.throws(() => app.get('/open', () => 'x'), /declare config.access/);
  const config = { access: 'guest' } as const;
  assert.throws(() => app.get('/costly', { config }, () => 'x'), /declare config.work/);
  await app.close();
});

test('an app cannot take the name of a built-in method', async () => {
  const walk = await startWalk('sqlite');
  const method = { http: ['GET'], allowGuest: true, run: () => Promise.resolve(1) } as const;
  const taken = Object.create(walk.site.site, { methods: { value: new Map([['ping', method]]) } });
  assert.throws(() => createServer(taken), /ping is built in/);
  await walk.site.stop();
});
