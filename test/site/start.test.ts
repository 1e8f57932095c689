/** First start, restart, second process, and the command line, with real processes. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { type ServerProcess, spawnChancery, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const made: string[] = [];
after(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

function freshData(): string {
  const path = mkdtempSync(join(tmpdir(), 'chancery-start-'));
  made.push(path);
  return join(path, 'data');
}

function configOf(data: string, more: Partial<Config> = {}): Config {
  return { ...DEFAULT_CONFIG, data, apps: [], ...more };
}

function statusOf(server: ServerProcess, key: string, path = '/api/resource/User'): Promise<number> {
  return fetch(server.url + path, { headers: { authorization: `token ${key}` } }).then(
    ({ status }) => status,
  );
}

/** Asks until the answer is `wanted`: another process's change takes up to a second to be seen. */
async function untilStatus(server: ServerProcess, key: string, wanted: number, path?: string): Promise<void> {
  await until(
    () => statusOf(server, key, path),
    (status) => status === wanted,
  );
}

test('a first start with a configured password and key prints nothing to note', async () => {
  const env = {
    CHANCERY_ADMIN_PASSWORD: 'a password of the tests',
    CHANCERY_ADMIN_API_KEY: 'admin:secret-0123456789',
  };
  const server = await startServerProcess(['--data', freshData()], { env });
  assert.equal(await statusOf(server, env.CHANCERY_ADMIN_API_KEY), 200);
  const { stdout } = await server.end('SIGTERM');
  assert.match(stdout, /^Chancery \S+ is listening on .*\n$/);
});

test('the first start prints URL, password and key once, and they work', async () => {
  const data = freshData();
  const first = await startServerProcess(['--data', data]);
  const { stdout } = await shown(first);
  const key = /API key\s+(\S+:\S+)/.exec(stdout)?.[1] ?? '';
  const password = /Password\s+(\S+)/.exec(stdout)?.[1] ?? '';
  assert.match(stdout, /curl -s http:\S+\/api\/resource\/Ticket -H 'Authorization: token /);
  assert.equal(await statusOf(first, key), 200);
  assert.equal(await statusOf(first, `${key}x`), 401);
  const login = await fetch(`${first.url}/api/method/login`, {
    method: 'POST',
    body: new URLSearchParams({ usr: 'Administrator', pwd: password }),
  });
  assert.equal(login.status, 200);
  assert.equal(statSync(data).mode & 0o777, 0o700);
  assert.equal(statSync(join(data, 'secret.key')).mode & 0o777, 0o600);

  const second = await spawnChancery(['serve', '--port', '0', '--data', data]).finished;
  assert.equal(second.code, 1);
  assert.match(
    second.stderr,
    new RegExp(`^Process ${first.child.pid} on \\S+ is already using .*chancery.db`),
  );

  const ended = await first.end('SIGTERM');
  assert.equal(ended.code, 0, ended.stderr);
  for (const secret of [password, key.split(':')[1] ?? '']) {
    assert.ok(secret.length >= 16 && !ended.stderr.includes(secret), 'the log holds what was printed');
  }

  const restarted = await startServerProcess(['--data', data]);
  assert.equal(await statusOf(restarted, key), 200);
  const again = await restarted.end('SIGINT');
  assert.equal(again.code, 0, again.stderr);
  assert.ok(!again.stdout.includes('Password') && !again.stdout.includes('API key'), again.stdout);
});

test('a server killed before anybody signed in shows new credentials when it starts again', async () => {
  const data = freshData();
  const first = await startServerProcess(['--data', data]);
  const former = /API key\s+(\S+:\S+)/.exec((await shown(first)).stdout)?.[1] ?? '';
  await first.end('SIGKILL');
  const second = await startServerProcess(['--data', data]);
  const { stdout } = await shown(second);
  assert.match(
    stdout,
    /Nobody has signed in yet\. Note these new credentials; the earlier ones no longer work:/,
  );
  const password = /Password\s+(\S+)/.exec(stdout)?.[1] ?? '';
  assert.equal(await statusOf(second, former), 401);
  const body = new URLSearchParams({ usr: 'Administrator', pwd: password });
  assert.equal((await fetch(`${second.url}/api/method/login`, { method: 'POST', body })).status, 200);
  await second.end('SIGKILL');
  const third = await startServerProcess(['--data', data]);
  const ended = await third.end('SIGTERM');
  assert.ok(!ended.stdout.includes('Password'), ended.stdout);
});

test('CHANCERY_ADMIN_API_KEY and CHANCERY_ADMIN_PASSWORD set the credentials, and a new key replaces the old', async () => {
  const data = freshData();
  const env = {
    CHANCERY_ADMIN_API_KEY: 'key:hush-1',
    CHANCERY_ADMIN_PASSWORD: 'a password',
    CHANCERY_APPS: '',
  };
  const first = await startServerProcess(['--data', data], { env });
  assert.equal(await statusOf(first, 'key:hush-1'), 200);
  const { stdout } = await first.end('SIGTERM');
  assert.ok(!stdout.includes('hush') && !stdout.includes('a password'), stdout);

  const changed = { ...env, CHANCERY_ADMIN_API_KEY: 'other:hush-2' };
  const second = await startServerProcess(['--data', data], { env: changed });
  assert.equal(await statusOf(second, 'other:hush-2'), 200);
  assert.equal(await statusOf(second, 'key:hush-1'), 401);
  await second.end('SIGTERM');
});

test('commands make users and keys beside a running server', async (t) => {
  const data = freshData();
  const server = await startServerProcess(['--data', data, '--apps=']);
  t.after(() => server.end('SIGKILL'));
  const chancery = async (argv: string[], input?: string) => {
    const done = await spawnChancery(
      [...argv, '--data', data, '--apps='],
      input === undefined ? {} : { input },
    ).finished;
    assert.equal(done.code, 0, done.stderr);
    return done.stdout.trim();
  };
  await chancery(['user', 'create', 'Agent@Example.com', '--roles', 'System Manager']);
  await chancery(['user', 'set-password', 'agent@example.com'], 'correct horse\n');
  const login = await fetch(`${server.url}/api/method/login`, {
    method: 'POST',
    body: new URLSearchParams({ usr: 'agent@example.com', pwd: 'correct horse' }),
  });
  assert.equal(login.status, 200);
  const key = await chancery(['api-key', 'create', '--user', 'agent@example.com']);
  await untilStatus(server, key, 200);
  assert.match(
    await chancery(['api-key', 'list', '--user', 'agent@example.com']),
    new RegExp(key.split(':')[0] ?? ''),
  );
  await fetch(`${server.url}/api/resource/System%20Settings/System%20Settings`, {
    method: 'PUT',
    headers: { authorization: `token ${key}`, 'content-type': 'application/json' },
    body: '{"max_page_length": 2000, "allow_cors": "https://app.example.com"}',
  });
  const printed = JSON.parse(await chancery(['config', '--print'])) as Record<string, unknown>;
  assert.deepEqual(printed['systemSettings'], {
    maxPageLength: 2000,
    allowedOrigins: ['https://app.example.com'],
  });
  const why = await chancery([
    'explain',
    '--user',
    'agent@example.com',
    '--doctype',
    'Role',
    '--right',
    'write',
  ]);
  assert.equal(why, 'allowed by DocPerm: A DocPerm gives write to System Manager');
  await chancery(['user', 'remove-role', 'agent@example.com', 'System Manager']);
  await untilStatus(server, key, 403, '/api/resource/Role');
  await chancery(['user', 'add-role', 'agent@example.com', 'System Manager']);
  await untilStatus(server, key, 200, '/api/resource/Role');
  await chancery(['user', 'disable', 'agent@example.com']);
  await untilStatus(server, key, 401);
  assert.match(await chancery(['user', 'list']), /^agent@example\.com {2}System Manager {2}\(disabled\)$/m);
  await chancery(['user', 'enable', 'agent@example.com']);
  await untilStatus(server, key, 200);
  const told = await fetch(
    `${server.url}/api/resource/Audit%20Log?filters=${encodeURIComponent('[["reference_name","=","agent@example.com"]]')}&fields=["event","credential"]&order_by=creation asc&limit_page_length=20`,
    { headers: { authorization: `token ${key}` } },
  );
  const entries = ((await told.json()) as { data: { event: string; credential: string }[] }).data;
  const events = entries.flatMap(({ event, credential }) => (credential === 'command line' ? event : []));
  for (const event of ['user_created', 'roles_changed', 'user_disabled', 'user_enabled']) {
    assert.ok(events.includes(event), `${event} in ${events}`);
  }
  await chancery(['api-key', 'revoke', key.split(':')[0] ?? '']);
  await untilStatus(server, key, 401);
  await server.end('SIGTERM');
});

test('a command on a site that does not exist says so and makes nothing', async () => {
  const data = freshData();
  const done = await spawnChancery(['api-key', 'list', '--data', data]).finished;
  assert.equal(done.code, 1);
  assert.match(done.stderr, /There is no site in/);
  assert.throws(() => statSync(data));
});

test('wrong calls exit with 2 and one sentence', async () => {
  for (const [argv, said] of [
    [['srve'], 'srve is not a command'],
    [['help', 'srve'], 'srve is not a command'],
    [['serve', '--prot', '1'], '--prot is not a flag'],
    [['api-key', 'make'], 'create, list, rotate, revoke'],
    [['user', 'create'], '<email> is missing'],
    [['explain', '--user', 'x'], '--doctype <doctype> is missing'],
  ] as const) {
    const done = await spawnChancery(argv).finished;
    assert.equal(done.code, 2, done.stderr);
    assert.ok(done.stderr.includes(said), done.stderr);
    assert.ok(!done.stderr.includes('    at '), 'no stack');
  }
});

test('each command prints its usage, also into a closed pipe', async () => {
  const help = await spawnChancery(['help']).finished;
  const [, commands = ''] = help.stdout.split(/^Commands.*$|^Flags$/m);
  const names = [...commands.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name = '']) => name);
  assert.ok(names.length > 8, help.stdout);
  const all = names.map((name) => spawnChancery([name, '--help']).finished);
  for (const [index, told] of (await Promise.all(all)).entries()) {
    assert.ok(told.stdout.startsWith(`chancery ${names[index]}`), told.stdout + told.stderr);
  }
  const impatient = spawnChancery(['help']);
  impatient.child.stdout?.destroy();
  assert.equal((await impatient.finished).stderr, '');
});

test('a port in use gives one sentence, and the next start shows working credentials', async () => {
  const data = freshData();
  const first = await startServerProcess(['--data', freshData(), '--apps=']);
  const { port } = new URL(first.url);
  const second = await spawnChancery(['serve', '--port', port, '--data', data, '--apps=']).finished;
  assert.equal(second.code, 1);
  assert.match(second.stderr, new RegExp(`Port ${port} of 127.0.0.1 is in use`));
  assert.match(second.stdout, /Password +\S+/);
  await first.end('SIGTERM');
  const third = await startServerProcess(['--data', data, '--apps=']);
  const [, key = ''] = /API key +(\S+)/.exec((await shown(third)).stdout) ?? [];
  assert.equal(await statusOf(third, key), 200);
  await third.end('SIGTERM');
});

test('a lost secret key stops the start once secrets are stored, and not before', async () => {
  const data = freshData();
  const site = await openSite(configOf(data));
  await site.close();
  rmSync(join(data, 'secret.key'));
  const fresh = await openSite(configOf(data));
  await unitOfWork(fresh, ADMINISTRATOR, (ctx) =>
    createDocument(ctx, 'Webhook', {
      webhook_doctype: 'User',
      webhook_docevent: 'after_insert',
      request_url: 'https://example.com/hook',
    }),
  );
  await fresh.close();
  rmSync(join(data, 'secret.key'));
  await assert.rejects(openSite(configOf(data)), refusal(/key that encrypts stored secrets is missing/));
  const other = Buffer.alloc(32, 1).toString('base64');
  await assert.rejects(
    openSite(configOf(data, { secretKey: other })),
    refusal(/not the one this site was started with/),
  );
});

test('a failed start leaves no lock behind', async () => {
  const data = freshData();
  const site = await openSite(configOf(data));
  await site.close();
  await site.close();
  writeFileSync(join(data, 'secret.key'), 'short');
  await assert.rejects(openSite(configOf(data)), refusal(/must hold 32 bytes/));
  const key = Buffer.alloc(32, 1).toString('base64');
  await (await openSite(configOf(data, { secretKey: key }))).close();
});

test('a signal lets the request in flight finish and refuses new ones', async () => {
  const env = { CHANCERY_ADMIN_API_KEY: 'key:hush-1' };
  const server = await startServerProcess(['--data', freshData(), '--apps='], { env });
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify({ email: 'late@example.com', first_name: 'Late' });
  const socket = connect(Number(port), hostname);
  let reply = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    reply += chunk;
  });
  const head = [
    'POST /api/resource/User HTTP/1.1',
    `Host: ${hostname}`,
    'Authorization: token key:hush-1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
  // The server has seen the half request once it has answered a later one.
  assert.equal(await statusOf(server, 'key:hush-1'), 200);
  const ended = server.end('SIGTERM');
  await until(async () => !(await accepts(hostname, Number(port))));
  socket.write(body.slice(10));
  await once(socket, 'close');
  assert.match(reply, /^HTTP\/1\.1 200 /);
  assert.match(reply, /late@example\.com/);
  assert.equal((await ended).code, 0);
});

test('an error that nobody catches stops the server in order, with exit code 1', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-app-'));
  made.push(folder);
  writeFileSync(
    join(folder, 'app.ts'),
    `import { defineApp, defineMethod } from 'chancery';
     const run = async () => { setImmediate(() => { throw new Error('nobody catches this'); }); };
     export default defineApp({ name: 'faulty', methods: { fault: defineMethod({ allowGuest: true, run }) } });`,
  );
  const server = await startServerProcess(['--data', freshData(), '--apps', folder]);
  await fetch(`${server.url}/api/method/fault`, { method: 'POST' });
  const { code, stderr } = await server.finished;
  assert.equal(code, 1);
  assert.match(stderr, /nobody catches this/);
});

function refusal(message: RegExp) {
  return (error: unknown) => error instanceof StartError && message.test(error.message);
}

// The greeting comes in several lines after the one with the URL.
async function shown(server: ServerProcess): Promise<{ readonly stdout: string }> {
  const stdout = await until(
    () => server.output(),
    (text) => text.includes('curl '),
  );
  return { stdout };
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
