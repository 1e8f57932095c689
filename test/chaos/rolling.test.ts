/** Nodes behind a proxy are restarted one after another, and upgraded, under load: no request fails. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkOut } from '../support/check-out.ts';
import { freePort } from '../support/free-port.ts';
import { someOf } from '../support/some-of.ts';
import { until } from '../support/until.ts';
import { type Rolled, type Rolling, roll, startProxy } from './rolling.ts';

/** The first commit whose nodes fence themselves. An upgrade from there to this code stops nothing. */
const FENCED = '05931f4e';

const REQUESTS = 800;
/** The long tests, of which each commit runs one. */
const ROLLED = someOf(['haproxy', 'nginx', 'upgrade'], 3);
const without = (proxy: Rolling['proxy']) =>
  spawnSync(proxy, ['-v']).error !== undefined && `${proxy} is not installed`;

function assertNothingFailed({ requests, failures, acknowledged, stored }: Rolled): void {
  assert.deepEqual(failures, [], `${failures.length} of ${requests}`);
  assert.ok(requests >= REQUESTS);
  assert.equal(stored, acknowledged, 'a document for each creation, and no other');
}

const KEYED = { 'idempotency-key': 'one' };
for (const [proxy, headers, times] of [
  ['haproxy', {}, 1],
  ['haproxy', KEYED, 2],
  ['nginx', {}, 1],
  ['nginx', KEYED, 2],
] as const) {
  const key = Object.keys(headers).join() || 'no key';
  const name = `${proxy} sends a POST with ${key} ${times} times to nodes that are killed`;
  test(name, { skip: without(proxy) }, async () => {
    let posts = 0;
    const nodes = [1, 2].map(() =>
      createServer((request, response) => {
        if (request.method === 'POST') posts += 1;
        if (request.method === 'POST' && posts === 1) request.socket.destroy();
        else response.end('made');
      }).listen(0, '127.0.0.1'),
    );
    const root = mkdtempSync(join(tmpdir(), 'chancery-killed-'));
    await Promise.all(nodes.map((node) => once(node, 'listening')));
    const port = await freePort();
    const ports = nodes.map((node) => (node.address() as AddressInfo).port);
    const running = startProxy(proxy, root, port, ports);
    try {
      const url = `http://127.0.0.1:${port}/`;
      await until(() =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      const { status } = await fetch(url, { method: 'POST', headers });
      assert.deepEqual([posts, status], [times, times === 1 ? 502 : 200]);
    } finally {
      running.kill();
      for (const node of nodes) {
        node.closeAllConnections();
        node.close();
      }
      rmSync(root, { recursive: true, force: true });
    }
  });
}

for (const proxy of ['haproxy', 'nginx'] as const) {
  if (!ROLLED.includes(proxy)) continue;
  test(`a rolling restart behind ${proxy}`, { skip: without(proxy) }, async (t) => {
    const rolled = await roll({ requests: REQUESTS, nodes: proxy === 'haproxy' ? 3 : 2, clients: 4, proxy });
    t.diagnostic(`${rolled.requests} requests, ${rolled.failures.length} failed`);
    assertNothingFailed(rolled);
  });
}

if (ROLLED.includes('upgrade'))
  test('an upgrade from the first version that fences itself', { skip: without('haproxy') }, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'chancery-fenced-'));
    const from = checkOut(FENCED, join(root, 'former'));
    if (from === null) return t.skip('this clone does not have the former commit');
    try {
      const rolled = await roll({ requests: REQUESTS, nodes: 3, clients: 4, proxy: 'haproxy', from });
      t.diagnostic(`${rolled.requests} requests, ${rolled.failures.length} failed`);
      assertNothingFailed(rolled);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
