/**
 * How people start Chancery: through npm, npx, and a Node that is too old. Signals reach the server, and
 * mistakes get a sentence.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { oldNode } from './support/old-node.ts';
import { ROOT, temporaryFolder, userEnvironment } from './support/package.ts';
import {
  type ProcessOptions,
  runs,
  type ServerProcess,
  startServerProcess,
} from './support/server-process.ts';
import { until } from './support/until.ts';

const { fits } = await import(new URL('../bin/runtime.mjs', import.meta.url).href);

const KEY = 'admin:admin-secret-0123456789';
const folder = temporaryFolder('launch');
const posix = { skip: process.platform === 'win32' && 'there are no signals on Windows' };
const old = { skip: oldNode === undefined && 'there is no older Node on this machine' };

/** A folder in which npx finds chancery. */
const project = join(folder, 'project');
mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
writeFileSync(join(project, 'package.json'), '{"private": true}');
symlinkSync(join(ROOT, 'bin/chancery.mjs'), join(project, 'node_modules/.bin/chancery'));

const NPM: ProcessOptions = { command: ['npm', 'start', '--'] };
const NPX: ProcessOptions = { command: ['npx', '--offline', 'chancery'], root: project };
const OLD: ProcessOptions = { command: [oldNode ?? '', 'bin/chancery.mjs'] };

/** Processes that a failed test leaves. */
const started = new Set<number>();
after(() => {
  for (const pid of started) if (runs(pid)) process.kill(pid, 'SIGKILL');
});

let made = 0;
function start(options: ProcessOptions): Promise<ServerProcess> {
  made += 1;
  const env = { CHANCERY_ADMIN_API_KEY: KEY };
  return startServerProcess(['--data', join(folder, String(made)), '--apps='], { ...options, env });
}

/** The processes from the one that was started to the server, in order. */
function chainOf(server: ServerProcess): number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const chain = [server.child.pid ?? 0];
  for (;;) {
    const [next] = rows.find(([, parent]) => parent === chain.at(-1)) ?? [];
    if (next === undefined) return chain;
    chain.push(next);
  }
}

/** Sends half a request, gives the signal, and expects that the server answers the whole and that all processes end. */
async function assertDrains(
  server: ServerProcess,
  signal: (chain: readonly number[]) => void,
): Promise<void> {
  const chain = chainOf(server);
  for (const pid of chain) started.add(pid);
  const { hostname, port } = new URL(server.url);
  const open = () => connect(Number(port), hostname);
  const socket = open();
  let reply = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    reply += chunk;
  });
  const body = '{"role_name": "Late"}';
  const head = `POST /api/resource/Role HTTP/1.1\r\nHost: a\r\nAuthorization: token ${KEY}\r\nContent-Type: application/json`;
  socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  // The server has seen the half request once it has answered a later one.
  await (await fetch(`${server.url}/health`)).text();
  signal(chain);
  await until(async () => {
    const probe = open();
    const refused = await once(probe, 'connect').then(
      () => false,
      () => true,
    );
    probe.destroy();
    return refused;
  });
  socket.write(body.slice(5));
  await once(socket, 'close');
  assert.match(reply, /^HTTP\/1\.1 200 /);
  await server.finished;
  await until(() => !chain.some(runs));
  for (const pid of chain) started.delete(pid);
}

const CHAINS: readonly [
  what: string,
  options: ProcessOptions,
  chain: readonly string[],
  skip: typeof posix | typeof old,
][] = [
  ['npm start', NPM, ['npm', 'the server'], posix],
  ['npx chancery', NPX, ['npx', 'its shell', 'the server'], posix],
  ['chancery on an old Node', OLD, ['the old Node', 'the server'], old],
];

for (const [what, options, names, skip] of CHAINS) {
  for (const [place, name] of names.entries()) {
    test(`${what}: SIGTERM to ${name} drains and ends the server`, skip, async () => {
      const server = await start(options);
      await assertDrains(server, (chain) => {
        assert.equal(chain.length, names.length);
        process.kill(chain[place] ?? 0, 'SIGTERM');
      });
    });
  }
  test(`${what}: Ctrl+C drains and ends the server`, skip, async () => {
    const server = await start({ ...options, ownGroup: true });
    // A terminal tells every process of the group.
    await assertDrains(server, ([first = 0]) => process.kill(-first, 'SIGINT'));
  });
}

test('npm start waits for the server that drains', posix, async () => {
  const server = await start(NPM);
  const { code, stderr } = await server.end('SIGTERM');
  assert.equal(code, 0);
  assert.match(stderr, /"stopped"/);
});

test('a server that is killed leaves its compiled code to the next start', async () => {
  const cache = join(folder, 'compiled');
  const env = { CHANCERY_ADMIN_API_KEY: KEY, NODE_COMPILE_CACHE: cache };
  const server = await startServerProcess(['--data', join(folder, 'killed'), '--apps='], { env });
  const files = () => (existsSync(cache) ? readdirSync(cache, { recursive: true }).length : 0);
  await until(files, (count) => count > 100);
  await server.end('SIGKILL');
});

test('an old Node is replaced, and ends like the Node that replaces it', old, () => {
  const run = (...argv: string[]) =>
    spawnSync(oldNode ?? '', ['bin/chancery.mjs', ...argv], { cwd: ROOT, encoding: 'utf8' });
  assert.match(run('version').stdout, /^\d+\.\d+\.\d+\n$/);
  assert.equal(run('no-command').status, 2);
});

test('engines in package.json say which versions of Node fit', () => {
  const versions = [
    '20.20.2',
    '24.7.0',
    '24.14.1',
    '24.15.0',
    '24.21.3',
    '25.8.2',
    '25.9.0',
    '26.0.0',
    '27.1.0-nightly',
  ];
  assert.deepEqual(versions.filter(fits), ['24.15.0', '24.21.3', '25.9.0', '26.0.0', '27.1.0-nightly']);
  assert.ok(fits());
});

/** A checkout that has not seen `npm ci`. */
function bareCheckout(name: string): string {
  const bare = join(folder, name);
  for (const path of ['package.json', 'bin', 'scripts', 'src/main.ts'])
    cpSync(join(ROOT, path), join(bare, path), { recursive: true });
  return bare;
}

test('each script of npm says what to do before npm ci', posix, () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const cwd = bareCheckout('bare');
  const ours = Object.entries<string>(scripts).filter(([, script]) => /\bnode\b/.test(script));
  assert.ok(ours.length > 10);
  for (const node of [process.execPath, ...(oldNode === undefined ? [] : [oldNode])]) {
    for (const [name, script] of ours) {
      // The watcher would wait for a change.
      const once = script.replace(/--watch\S* /g, '').replace(/\bnode\b/, node);
      const { status, stderr } = spawnSync('sh', ['-c', once], {
        cwd,
        encoding: 'utf8',
        env: userEnvironment(),
      });
      assert.equal(status, 1, `${name}: ${stderr}`);
      assert.match(stderr, /Packages are missing: .*fastify.*\nRun this first: npm ci\n$/, name);
    }
  }
});

test('an old Node without the optional packages is told what to do', old, () => {
  const cwd = bareCheckout('lean');
  mkdirSync(join(cwd, 'node_modules'));
  const installed = readdirSync(join(ROOT, 'node_modules')).filter((name) => !name.startsWith('node-'));
  for (const name of installed)
    symlinkSync(join(ROOT, 'node_modules', name), join(cwd, 'node_modules', name));
  for (const argv of [
    ['--conditions=source', 'bin/chancery.mjs', 'serve'],
    ['--import=./scripts/ready.mjs', 'scripts/build-admin.ts', '--if-stale'],
  ]) {
    const { status, stderr } = spawnSync(oldNode ?? '', argv, { cwd, encoding: 'utf8' });
    assert.equal(status, 1, stderr);
    assert.match(
      stderr,
      /^Chancery runs on Node \^24\.15\.0 \|\| >=25\.9\.0\. This is Node \d+\.\d+\.\d+\.\n/,
    );
    assert.match(stderr, /run "npm ci" without leaving out optional packages/);
  }
});

test('the Node of the package says what to install when a library is missing', posix, () => {
  // What the loader of Linux does.
  const node = join(folder, 'unloadable');
  writeFileSync(node, '#!/bin/sh\necho "libatomic.so.1: cannot open shared object file" >&2\nexit 127\n', {
    mode: 0o755,
  });
  const program = `(await import(${JSON.stringify(join(ROOT, 'bin/run-on.mjs'))})).runOn(${JSON.stringify(node)}, 'x')`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /libatomic\.so\.1.*does not start: a library.*apt-get install libatomic1/s);
});

test('npm does not warn about packages that want a newer Node', () => {
  const cwd = join(folder, 'engines');
  mkdirSync(join(cwd, 'newer'), { recursive: true });
  writeFileSync(join(cwd, 'package.json'), '{"private": true, "dependencies": {"newer": "file:newer"}}');
  writeFileSync(
    join(cwd, 'newer/package.json'),
    '{"name": "newer", "version": "1.0.0", "engines": {"node": ">=999"}}',
  );
  const install = () =>
    spawnSync('npm', ['install', '--offline', '--install-links'], {
      cwd,
      encoding: 'utf8',
      env: userEnvironment(),
    }).stderr;
  assert.match(install(), /EBADENGINE/);
  cpSync(join(ROOT, '.npmrc'), join(cwd, '.npmrc'));
  assert.doesNotMatch(install(), /EBADENGINE/);
});
