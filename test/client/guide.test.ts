/** docs/guide/client.md: its files type-check with the packed package and print what the page says. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { linkPackages, runProgram, temporaryFolder, unpackedPackage } from '../support/package.ts';
import { type Block, blocksOf, pageReader } from '../support/page.ts';
import { startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const PAGE = fileURLToPath(new URL('../../docs/guide/client.md', import.meta.url));
const root = temporaryFolder('client-guide');
const unpacked = unpackedPackage(root);

const COMPILER = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

test('docs/guide/client.md works as it stands', async () => {
  const folder = join(root, 'shop');
  mkdirSync(folder);
  linkPackages(folder, unpacked);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER }));
  const env = { CHANCERY_ADMIN_API_KEY: 'key:secret', CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8' };
  const server = await startServerProcess(['--data', join(root, 'data')], { root: unpacked, env });
  after(() => server.end('SIGTERM'));
  const port = await freePort();
  const reader = pageReader(folder, { WEBHOOK_SECRET: 'a secret of ours' });
  after(() => reader.leave());
  const replaced = (text: string) =>
    text
      .replace('http://127.0.0.1:8000', server.url)
      .replace('<api_key>:<api_secret>', 'key:secret')
      .replace('listen(9000', `listen(${port}`);

  const blocks = blocksOf(PAGE);
  for (const { info, text, place } of blocks) {
    const [language, name = ''] = info;
    if (language === 'sh') await reader.run({ info, text, place });
    if (language === 'ts') writeFileSync(join(folder, name), replaced(text));
  }
  runProgram(process.execPath, [join(folder, 'node_modules/.bin/tsc'), '-p', '.'], folder);

  const run = (name: string): Block => ({ info: [], text: `node ${name}\n`, place: name });
  let printed = 0;
  for (const [index, { info, place }] of blocks.entries()) {
    const next = blocks[index + 1];
    if (info[0] !== 'ts' || next?.info[0] !== 'text') continue;
    assert.equal((await reader.run(run(info[1] ?? ''))).stdout, next.text, place);
    printed += 1;
  }
  assert.equal(printed, 5);

  const receiver = reader.start(run('receiver.ts'));
  const send = (path: string, body: object) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: 'token key:secret', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await untilListening(port);
  const webhook = {
    webhook_doctype: 'Customer',
    webhook_docevent: 'after_insert',
    request_url: `http://127.0.0.1:${port}/`,
    secret: 'a secret of ours',
  };
  assert.equal((await send('/api/resource/Webhook', webhook)).status, 200);
  await send('/api/resource/Customer', { customer_name: 'Heard of' });
  await receiver.until(/^after_insert Heard of$/m);
  const forged = await fetch(webhook.request_url, { method: 'POST', body: '{}' });
  assert.equal(forged.status, 401);
  await receiver.until(/no signature/);
});

async function untilListening(port: number): Promise<void> {
  await until(() => fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).catch(() => null));
}
