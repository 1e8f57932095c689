/** Where apps are found, and in which language. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { loadApp, readDefinitions, readFixtures } from '../../src/site/schema/apps/load-app.ts';
import { StartError } from '../../src/site/start-error.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-load-'));
after(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): string {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, dirname(path));
}

const JAVASCRIPT = "import { defineApp } from 'chancery';\nexport default defineApp({ name: 'shop' });\n";
const TYPESCRIPT = JAVASCRIPT.replace('export default', 'const name: string = "x";\nexport default');

test('an app may be written in JavaScript', async () => {
  const folder = write('plain/app.js', JAVASCRIPT);
  assert.equal((await loadApp(folder, root)).name, 'shop');
});

test('a path is relative to the working directory', async () => {
  const folder = write('relative/app.ts', TYPESCRIPT);
  for (const path of ['.', './', './app.ts', '../relative'])
    assert.equal((await loadApp(path, folder)).name, 'shop', path);
});

test('an installed package is JavaScript; TypeScript there is refused with the reason', async () => {
  write('node_modules/shop/package.json', '{"name": "shop", "type": "module", "exports": "./app.js"}');
  write('node_modules/shop/app.js', JAVASCRIPT);
  assert.equal((await loadApp('shop', root)).name, 'shop');
  write('node_modules/typed/package.json', '{"name": "typed", "type": "module", "exports": "./app.ts"}');
  write('node_modules/typed/app.ts', TYPESCRIPT);
  await assert.rejects(
    loadApp('typed', root),
    (error: unknown) =>
      error instanceof StartError && /typed failed to load.*node_modules/.test(error.message),
  );
});

test('a missing folder or file of an app is named', () => {
  const nowhere = new URL(`file://${root}/nowhere/`);
  const message = /The app shop names .*nowhere.*does not exist/;
  assert.throws(() => readDefinitions({ name: 'shop', doctypes: nowhere }), message);
  assert.throws(() => readFixtures({ name: 'shop', fixtures: nowhere }), message);
});
