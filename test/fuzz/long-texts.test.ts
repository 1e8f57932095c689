/**
 * Long texts of one sign repeated, in every place of a request that holds a text: each must keep the budget
 * of CPU. Chance alone, as in fuzz.test.ts, would seldom put the sign that a parser trips over where it does.
 * Texts are parsed alike on both engines.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { defineMethod } from '../../src/document/verbs/method.ts';
import { defineApp } from '../../src/site/app.ts';
import { sensors } from '../support/sensors/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { someOf } from '../support/some-of.ts';
import { BEFORE_TERM, SIGNS } from './attacks.ts';
import { BUDGET } from './budget.ts';
import { documentBody } from './documents.ts';
import { fuzzApp } from './fuzz-app.ts';
import { CONCURRENCY, prepare } from './fuzz-site.ts';
import { complaint } from './invariants.ts';
import { Meter } from './meter.ts';
import { argumentsOf } from './methods.ts';
import { TERMS } from './queries.ts';
import type { FuzzRequest } from './requests.ts';
import { openSender, type Sender } from './send.ts';
import type { World } from './world.ts';

/** Characters of a text in a body, and of one in an address or a header. */
const LONG = 20_000;
const SHORT = 2_000;
/** Signs where there are many places. */
const FEW: readonly string[] = [' ', '(', '"', '%', '.', '\\', '<b>', 'a,'];

/** A method that is over the budget each time, and only of the process's CPU. */
const spinning = defineApp({
  name: 'spinning',
  methods: {
    'spinning.on': defineMethod({
      http: ['GET'],
      run() {
        // Asking for the CPU so often takes most of it, in the system.
        for (let begin = process.cpuUsage(), spent = 0; spent < 2 * BUDGET * 1_000; ) {
          const { user, system } = process.cpuUsage(begin);
          spent = user + system;
        }
      },
    }),
  },
});

let site: TestSite;
let sender: Sender;
let meter: Meter;
let world: World;
before(async () => {
  site = await startTestSite('sqlite', { apps: [fuzzApp, sensors().app, spinning] });
  sender = openSender(site.url, CONCURRENCY);
  meter = new Meter(sender);
  world = await prepare(site);
});
after(async () => {
  await meter.stop();
  sender.close();
  await site.stop();
});

function post(path: string, payload: unknown): FuzzRequest {
  const headers = { authorization: `token ${site.adminKey}`, 'content-type': 'application/json' };
  return { route: path, method: 'POST', path, headers, body: Buffer.from(JSON.stringify(payload)) };
}

function get(path: string, more: Readonly<Record<string, string>> = {}): FuzzRequest {
  const headers = { authorization: `token ${site.adminKey}`, ...more };
  return { route: path, method: 'GET', path, headers, body: null };
}

/** A text that fits nothing, so that a parser tries all that it can. */
function run(sign: string, length: number, prefix = ''): string {
  return `${prefix}${sign.repeat(Math.ceil(length / sign.length))}x(`;
}

async function check(requests: readonly FuzzRequest[]): Promise<void> {
  const failures: string[] = [];
  const waiting = [...someOf(requests, 4)];
  const work = async () => {
    for (let request = waiting.pop(); request; request = waiting.pop()) {
      const one = request;
      const slow = await meter.measure(one, async () => {
        const reply = await sender.send(one);
        const wrong = complaint(one, reply);
        if (wrong !== null) failures.push(`${one.path.slice(0, 200)} ${wrong}: ${reply.text.slice(0, 300)}`);
      });
      if (slow !== null) failures.push(slow);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  assert.equal(failures.length, 0, `${failures.length} failures\n\n${failures.slice(0, 10).join('\n\n')}`);
}

/** A few values of an arbitrary, always the same. */
function some<T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] {
  return fc.sample(arbitrary, { seed: 1, numRuns });
}

test('a request that is over the budget is told from those beside it', async () => {
  const send = (request: FuzzRequest) => meter.measure(request, () => sender.send(request));
  const [slow, ...quick] = await Promise.all([
    send(get('/api/method/spinning.on')),
    ...Array.from({ length: 4 }, () => send(get('/api/method/ping'))),
  ]);
  assert.match(slow ?? '', /spinning\.on.*takes \d+, \d+, \d+ ms of CPU/s);
  assert.deepEqual(quick, [null, null, null, null]);
});

describe('long texts of one sign keep the budget', { timeout: 900_000 }, () => {
  for (const parameter of TERMS) {
    test(`as ${parameter} of a list`, () =>
      check(
        BEFORE_TERM.flatMap((prefix) =>
          SIGNS.map((sign) =>
            post('/api/method/frappe.client.get_list', {
              doctype: 'Order',
              [parameter]: run(sign, LONG, prefix),
            }),
          ),
        ),
      ));
  }

  test('as order_by of groups', () =>
    check(
      BEFORE_TERM.flatMap((prefix) =>
        SIGNS.map((sign) =>
          post('/api/method/frappe.client.get_list', {
            doctype: 'Order',
            fields: ['title', 'count(name) as many'],
            group_by: 'title',
            order_by: run(sign, LONG, prefix),
          }),
        ),
      ),
    ));

  test('as every argument of every method', () => {
    const requests = [...world.operations.keys()].flatMap((method) => {
      const [args = {}] = some(argumentsOf(world, method, world.doctype('Order')), 1);
      return Object.keys(args).flatMap((name) =>
        FEW.map((sign) => post(`/api/method/${method}`, { ...args, [name]: run(sign, LONG) })),
      );
    });
    return check(requests);
  });

  test('as every field of every doctype', () => {
    const requests = world.doctypes().flatMap((doctype) => {
      if (doctype.istable) return [];
      const [body = {}] = some(documentBody(world, doctype), 1);
      return doctype.fields.flatMap(({ fieldname }) =>
        FEW.map((sign) =>
          post(`/api/resource/${encodeURIComponent(doctype.name)}`, {
            ...body,
            [fieldname]: run(sign, LONG),
          }),
        ),
      );
    });
    return check(requests);
  });

  test('in every part of an address', () => {
    const paths = [
      '/',
      '/api/resource/',
      '/api/resource/Order/',
      '/api/method/',
      '/files/',
      '/private/files/',
      '/docs/',
      '/app/',
    ];
    const names = [
      'fields',
      'filters',
      'order_by',
      'group_by',
      'expand',
      'include',
      'after',
      'limit',
      'start',
      'parent',
    ];
    const requests = SIGNS.flatMap((sign) => {
      const text = encodeURIComponent(run(sign, SHORT));
      return [
        ...paths.map((path) => get(`${path}${text}`)),
        ...names.map((name) => get(`/api/resource/Order?${name}=${text}`)),
        get(`/api/resource/Order?${text}`),
        get(`/api/method/download_file?file_url=${text}`),
        get(`/api/events?doctype=${text}`),
        get(`/?cmd=${text}`),
      ];
    });
    return check(requests);
  });

  test('as every header that is read', () => {
    const names = [
      'authorization',
      'accept',
      'cookie',
      'if-match',
      'if-none-match',
      'if-modified-since',
      'if-range',
      'range',
    ];
    const others = [
      'origin',
      'referer',
      'user-agent',
      'x-request-id',
      'x-forwarded-for',
      'x-forwarded-proto',
      'idempotency-key',
    ];
    const more = [
      'webhook-chain',
      'traceparent',
      'x-frappe-csrf-token',
      'last-event-id',
      'content-type',
      'accept-language',
    ];
    const prefixes = [
      '',
      'token ',
      'Basic ',
      'bearer ',
      'bytes=',
      'W/"',
      'sid=',
      '"',
      '00-',
      'http://',
      'text/html;',
    ];
    const requests = FEW.flatMap((sign) =>
      [...names, ...others, ...more].flatMap((name) =>
        prefixes.map((prefix) =>
          get('/api/resource/Order/A', { range: 'bytes=0-', [name]: run(sign, LONG / 2, prefix) }),
        ),
      ),
    );
    return check(requests);
  });
});
