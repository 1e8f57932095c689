import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('every test that docs/interface-coverage.md names exists', () => {
  const rows = [...read('docs/interface-coverage.md').matchAll(/^\| .* \| `(test\/[^`]+)` \| (.+) \|$/gm)];
  assert.ok(rows.length > 40);
  for (const [, file = '', name = ''] of rows) assert.ok(read(file).includes(name), `${file}: ${name}`);
});

test('every test that docs/security.md names against an advisory exists', () => {
  const [, attacks = ''] = read('docs/security.md').split('## What happened to others');
  const rows = [...attacks.matchAll(/^\| .* \| (?:`([^`]+\.test\.ts)`: (.+) )?\|$/gm)];
  const tested = rows.filter(([, file]) => file !== undefined);
  assert.ok(tested.length > 50, `${tested.length} rows`);
  const missing = tested.filter(
    ([, file = '', name = '']) => !existsSync(join(ROOT, file)) || !read(file).includes(name),
  );
  assert.deepEqual(
    missing.map(([, file, name]) => `${file}: ${name}`),
    [],
  );
});

test('links between the pages lead somewhere', () => {
  const pages = [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
    'bench/README.md',
  ];
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(broken, []);
});
