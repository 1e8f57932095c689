/**
 * `npm run rolling -- [requests] [proxy] [former commit]`: restarts or upgrades three nodes behind a proxy while
 * clients send so many requests, and tells what failed.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOut } from '../support/check-out.ts';
import { roll } from './rolling.ts';

const [requests = '100000', proxy = 'haproxy', commit] = process.argv.slice(2);
if (proxy !== 'haproxy' && proxy !== 'nginx') throw new Error('the proxy is haproxy or nginx');
const root = mkdtempSync(join(tmpdir(), 'chancery-former-'));
const from = commit === undefined ? null : checkOut(commit, join(root, 'former'));
if (commit !== undefined && from === null) throw new Error(`this clone does not have ${commit}`);
const began = performance.now();
const rolled = await roll({
  requests: Number(requests),
  nodes: 3,
  clients: 8,
  proxy,
  ...(from !== null && { from }),
});
const seconds = (performance.now() - began) / 1000;
const { failures, acknowledged, stored } = rolled;
for (const failure of failures) console.log(failure);
console.log(`${rolled.requests} requests in ${seconds.toFixed(0)} s, ${failures.length} failed`);
console.log(`${acknowledged} creations acknowledged, ${stored} stored`);
rmSync(root, { recursive: true, force: true });
