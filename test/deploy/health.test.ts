/** `chancery health`, as a container or a service manager calls it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/package.ts';
import { spawnChancery, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder('health');
const ask = (env: Readonly<Record<string, string>>, ...flags: string[]) =>
  spawnChancery(['health', ...flags], { env }).finished;

test('health asks the server that these settings describe', async () => {
  const env = {
    CHANCERY_PORT: String(await freePort()),
    CHANCERY_HOST: '0.0.0.0',
    CHANCERY_SHUTDOWN_GRACE: '60000',
  };
  const silent = await ask(env);
  assert.equal(silent.code, 1);
  assert.match(silent.stderr, /^http:\/\/127\.0\.0\.1:\d+\/health does not answer: .*ECONNREFUSED/);

  const flags = ['--data', join(folder, 'data'), '--apps=', '--port', env.CHANCERY_PORT];
  const server = await startServerProcess(flags, { env });
  assert.deepEqual(await ask(env), { code: 0, stdout: '{"status":"ok"}\n', stderr: '' });
  assert.deepEqual(await ask(env, '--ready'), { code: 0, stdout: '{"status":"ready"}\n', stderr: '' });

  server.child.kill('SIGTERM');
  const stopping = await until(
    () => ask(env, '--ready'),
    ({ code }) => code === 1,
  );
  assert.match(stopping.stdout, /The server is stopping/);
  assert.equal((await ask(env)).code, 0);
  server.child.kill('SIGINT');
  await server.end('SIGKILL');
});
