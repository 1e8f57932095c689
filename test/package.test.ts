/** Tests run the sources; users run what `npm run build` makes of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServerProcess } from './support/server-process.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'chancery-package-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('the published package starts, with its bundled app', async () => {
  const built = spawnSync(process.execPath, ['scripts/build.ts', join(root, 'dist')], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(built.status, 0, built.stdout + built.stderr);
  mkdirSync(join(root, 'bin'));
  for (const file of ['package.json', 'bin/chancery.mjs']) cpSync(join(ROOT, file), join(root, file));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));

  const env = { CHANCERY_ADMIN_API_KEY: 'key:secret' };
  const server = await startServerProcess(['--data', join(root, 'data')], { root, env });
  const create = (doctype: string, body: object) =>
    fetch(`${server.url}/api/resource/${encodeURIComponent(doctype)}`, {
      method: 'POST',
      headers: { authorization: 'token key:secret', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await create('Customer', { customer_name: 'Acme' })).status, 200);
  const invoice = await create('Sales Invoice', {
    customer: 'Acme',
    items: [{ item_code: 'PAPER', qty: 2, rate: 3 }],
  });
  const { data } = (await invoice.json()) as { data: { grand_total: number } };
  assert.equal(data.grand_total, 6);
  assert.equal((await server.end('SIGTERM')).code, 0);
});
