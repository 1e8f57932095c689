/** Tests run the sources; users run what npm packs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { oldNode } from './support/old-node.ts';
import {
  linkPackages,
  ROOT,
  runProgram,
  temporaryFolder,
  unpackedPackage,
  userEnvironment,
} from './support/package.ts';
import { spawnChancery, startServerProcess } from './support/server-process.ts';

const root = temporaryFolder('package');
const unpacked = unpackedPackage(root);
const env = { CHANCERY_ADMIN_API_KEY: 'key:secret' };
const headers = { authorization: 'token key:secret', 'content-type': 'application/json' };

test('the published package starts, with its bundled app and the admin UI', async () => {
  const server = await startServerProcess(['--data', join(root, 'data')], { root: unpacked, env });
  const create = (doctype: string, body: object) =>
    fetch(`${server.url}/api/resource/${encodeURIComponent(doctype)}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
  assert.equal((await create('Customer', { customer_name: 'Acme' })).status, 200);
  const invoice = await create('Sales Invoice', {
    customer: 'Acme',
    items: [{ item_code: 'PAPER', qty: 2, rate: 3 }],
  });
  const { data } = (await invoice.json()) as { data: { grand_total: number } };
  assert.equal(data.grand_total, 6);
  const page = await (await fetch(`${server.url}/app`)).text();
  const [, script = ''] = /src="(\/app\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  const asset = await fetch(server.url + script, { headers: { 'accept-encoding': 'br' } });
  assert.equal(asset.status, 200, page);
  assert.equal(asset.headers.get('content-encoding'), 'br');
  assert.equal((await server.end('SIGTERM')).code, 0);
});

test('the published package is bundled, so that a start loads few files', () => {
  const files = globSync('dist/{src,apps}/**/*.js', { cwd: unpacked }).length;
  const sources = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] }).length;
  assert.ok(files > 0 && files < sources / 3, `${files} files of ${sources} sources`);
});

test('an app made by `chancery new-app` type-checks, passes its tests and starts', async () => {
  const made = runProgram(
    process.execPath,
    [join(unpacked, 'bin/chancery.mjs'), 'new-app', 'two-words'],
    root,
  );
  assert.match(made, /cd two-words\n {2}npm install\n {2}npm test\n {2}npm start/);
  const folder = join(root, 'two-words');
  assert.deepEqual(readdirSync(folder).sort(), [
    '.gitignore',
    'README.md',
    'app.test.ts',
    'app.ts',
    'controllers',
    'doctypes',
    'doctypes.d.ts',
    'methods',
    'package.json',
    'tsconfig.json',
  ]);
  linkPackages(folder, unpacked);
  runProgram('npm', ['run', 'check'], folder);
  assert.match(runProgram('npm', ['test'], folder), /^ℹ pass 4$/m);
  const controller = join(folder, 'controllers/task.ts');
  const source = readFileSync(controller, 'utf8');
  writeFileSync(controller, source.replace("doc.status === 'Done' ?", "doc.status === 'Dome' ?"));
  assert.throws(() => runProgram('npm', ['run', 'check'], folder), /'"Dome"' have no overlap/);
  writeFileSync(controller, source);

  // As somebody deploys it: through npm, which has to pass the signal on.
  const server = await startServerProcess(['--data', join(root, 'made')], {
    root: folder,
    command: ['npm', 'start', '--'],
    env,
  });
  const reply = await fetch(`${server.url}/api/resource/Two%20Words%20Task`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ subject: 'Look' }),
  });
  assert.equal(reply.status, 200);
  assert.equal((await server.end('SIGTERM')).code, 0);
});

test('the package finds the Node that it brings, however it was installed', {
  skip: oldNode === undefined,
}, () => {
  const pnpm = join(root, 'pnpm/node_modules');
  const store = join(pnpm, '.pnpm/chancery@0.1.0/node_modules');
  mkdirSync(store, { recursive: true });
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(unpacked, name), join(store, 'chancery', name), { recursive: true });
  const modules = join(ROOT, 'node_modules');
  for (const name of readdirSync(modules)) symlinkSync(join(modules, name), join(store, name), 'junction');
  symlinkSync(join(store, 'chancery'), join(pnpm, 'chancery'), 'junction');
  const layouts: Readonly<Record<string, string>> = {
    'npm -g': join(unpacked, 'bin/chancery.mjs'),
    '.bin of npm': join(root, 'two-words/node_modules/.bin/chancery'),
    pnpm: join(pnpm, 'chancery/bin/chancery.mjs'),
  };
  for (const [layout, path] of Object.entries(layouts)) {
    const done = spawnSync(oldNode ?? '', [path, 'user', 'list', '--data', join(root, 'none')], {
      encoding: 'utf8',
      env: userEnvironment(),
    });
    assert.match(done.stderr, /^There is no site in /, layout);
  }
});

test('new-app of a checkout prints commands that install the checkout, wherever the app is', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const tarball = `chancery-${version}.tgz`;
  const odd = join(root, 'a folder');
  mkdirSync(odd);
  for (const place of [root, odd]) {
    const folder = join(place, 'from-checkout');
    const printed = runProgram(
      process.execPath,
      [join(ROOT, 'bin/chancery.mjs'), 'new-app', 'from-checkout'],
      place,
    );
    const [, enter, pack = '', ...rest] = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.trim());
    assert.equal(enter, 'cd from-checkout');
    assert.deepEqual(rest, ['npm install', 'npm test', 'npm start']);
    // What this packs has the name that `npm install` looks for. Another test builds and runs it.
    assert.match(pack, /^npm pack \S/);
    const packed = runProgram('sh', ['-c', `${pack} --ignore-scripts --silent`], folder);
    assert.equal(packed.trim(), tarball);
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.deepEqual(dependencies, { chancery: `file:${tarball}` });
    assert.ok(existsSync(join(folder, tarball)));
  }
});

test('new-app refuses a folder that exists and a name that is none', async () => {
  const refused = async (name: string, message: RegExp) => {
    const argv = ['new-app', ...(name === '' ? [] : [name])];
    const { code, stderr } = await spawnChancery(argv, { root: unpacked }).finished;
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  };
  await Promise.all([
    refused('dist', /dist already exists/),
    ...['../up', 'Library', '1st', 'a-', 'x'.repeat(41)].map((name) => refused(name, /App names use/)),
    refused('', /<name> is missing/),
  ]);
});
