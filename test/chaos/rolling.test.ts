/** Nodes behind a proxy are restarted one after another, and upgraded, under load: no request fails. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkOut, type Rolled, type Rolling, roll } from './rolling.ts';

/** The first commit whose nodes fence themselves. An upgrade from there to this code stops nothing. */
const FENCED = '05931f4e';

const REQUESTS = 800;
const without = (proxy: Rolling['proxy']) =>
  spawnSync(proxy, ['-v']).error !== undefined && `${proxy} is not installed`;

function assertNothingFailed({ requests, failures, acknowledged, stored }: Rolled): void {
  assert.deepEqual(failures, [], `${failures.length} of ${requests}`);
  assert.ok(requests >= REQUESTS);
  assert.equal(stored, acknowledged, 'a document for each creation, and no other');
}

for (const proxy of ['haproxy', 'nginx'] as const) {
  test(`a rolling restart behind ${proxy}`, { skip: without(proxy) }, async (t) => {
    const rolled = await roll({ requests: REQUESTS, nodes: proxy === 'haproxy' ? 3 : 2, clients: 4, proxy });
    t.diagnostic(`${rolled.requests} requests, ${rolled.failures.length} failed`);
    assertNothingFailed(rolled);
  });
}

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
