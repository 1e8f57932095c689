/** A server whose log cannot be written goes on, and still stops in good order. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, temporaryFolder, userEnvironment } from '../support/package.ts';
import { startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const root = temporaryFolder('log');

test('a log on a full disk does not end the server', { skip: !existsSync('/dev/full') }, async () => {
  const server = await startServerProcess(['--data', join(root, 'full'), '--apps='], {
    through: ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh'],
    env: { CHANCERY_LOG_REQUESTS: '1' },
  });
  for (let request = 0; request < 3; request += 1) {
    assert.equal((await fetch(`${server.url}/health`)).status, 200);
  }
  assert.equal((await server.end('SIGTERM')).code, 0);
});

const hasScript = spawnSync('script', ['--version']).status === 0;

test('a server that loses its terminal drains and exits', { skip: !hasScript }, async () => {
  // As a login shell does, this one passes on that its terminal went away. It notes how the server ended.
  const serve = `"${process.execPath}" bin/chancery.mjs serve --port 0 --apps= --data "${root}/terminal"`;
  const command = `trap 'kill -HUP $!' HUP; ${serve} & wait $!; wait $!; echo $? > "${root}/code"`;
  const env = { ...userEnvironment(), CHANCERY_SHUTDOWN_GRACE: '0' };
  const terminal = spawn('script', ['-qfc', command, '/dev/null'], { cwd: ROOT, env });
  let text = '';
  for await (const chunk of terminal.stdout) {
    text += chunk;
    if (text.includes('listening on')) break;
  }
  terminal.kill('SIGKILL');
  const code = join(root, 'code');
  await until(() => existsSync(code) && readFileSync(code, 'utf8'));
  assert.equal(readFileSync(code, 'utf8'), '0\n', text);
});
