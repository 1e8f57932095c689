/** What a start loads. Its time is not tested; it follows from these modules. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support/package.ts';
import { startServerProcess } from './support/server-process.ts';

const root = temporaryFolder('start-modules');
const list = join(root, 'modules.json');

/** Runs in the server: writes at its end which files and which modules of Node it has loaded. */
const NOTE = `
  import { writeFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context); } });
  process.on('exit', () => {
    const loaded = { files, node: process.moduleLoadList };
    writeFileSync(${JSON.stringify(list)}, JSON.stringify(loaded));
  });
`;

test('the start of a plain site loads only the packages that every request needs', async () => {
  const server = await startServerProcess(['--data', join(root, 'data')], {
    command: [
      process.execPath,
      `--import=data:text/javascript,${encodeURIComponent(NOTE)}`,
      'bin/chancery.mjs',
    ],
  });
  assert.equal((await fetch(`${server.url}/api/method/ping`)).status, 200);
  await server.end('SIGINT');
  const { files, node }: { files: string[]; node: string[] } = JSON.parse(readFileSync(list, 'utf8'));
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const loaded = Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) =>
    files.some((url) => url.includes(`/node_modules/${name}/`)),
  );
  assert.deepEqual(loaded, [
    '@fastify/busboy',
    '@fastify/multipart',
    'fastify',
    'ipaddr.js',
    'pino',
    'yauzl',
    'yazl',
  ]);
  // Fastify brings compilers of JSON Schema, and Node its own fetch; neither is used.
  const heavy = [...files, ...node].filter((name) => /\/node_modules\/ajv\/|\/deps\/undici\//.test(name));
  assert.deepEqual(heavy, []);
});
