import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Below these, versions have published weaknesses that this server would share. */
const FLOORS: Readonly<Record<string, string>> = {
  '@fastify/busboy': '3.2.6',
  '@fastify/multipart': '10.0.0',
  '@fastify/proxy-addr': '5.1.1',
  fastify: '5.12.6',
};

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
};

const numbers = (version: string) => version.split(/[.-]/).slice(0, 3).map(Number);

function isBelow(version: string, floor: string): boolean {
  const [given, least] = [numbers(version), numbers(floor)];
  const at = least.findIndex((part, index) => part !== given[index]);
  return at !== -1 && (given[at] ?? 0) < (least[at] ?? 0);
}

test('no version with a known weakness is installed', () => {
  assert.ok(isBelow('3.2.5', '3.2.6') && isBelow('3.1.9', '3.2.6') && isBelow('2.9.9', '3.2.6'));
  assert.ok(!isBelow('3.2.6', '3.2.6') && !isBelow('4.0.0', '3.2.6') && !isBelow('3.10.0', '3.2.6'));
  for (const [name, floor] of Object.entries(FLOORS)) {
    const installed = Object.entries(lock.packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
    assert.ok(installed.length > 0, `${name} is not installed: take it out of the list`);
    for (const [path, { version = '' }] of installed) {
      assert.ok(!isBelow(version, floor), `${path} is ${version}, below ${floor}`);
    }
  }
});

test('what the server is made of is named exactly, and is not much', () => {
  const { dependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { readonly dependencies: Readonly<Record<string, string>> };
  for (const [name, version] of Object.entries(dependencies)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
  assert.ok(Object.keys(dependencies).length <= 32);
});
