/** What browsers download of the admin UI, compressed by gzip, against what it may be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedFile } from '../scripts/admin-ui.ts';
import { builtAdminUi } from './support/admin-ui.ts';

const KB = 1_000;
/**
 * Before the first screen; any part that is loaded when it is needed; all texts of one language, which grow with
 * every screen; everything.
 */
const BUDGET = { first: 250 * KB, lazy: 40 * KB, catalogue: 50 * KB, all: 1_200 * KB };

test('the admin UI is no larger than its budget', () => {
  const { files } = builtAdminUi();
  const code = files.filter(({ path }) => /\.(?:js|css)$/.test(path));
  const first = code.filter((file) => file.first);
  const lazy = code.filter((file) => !file.first);
  assert.ok(
    first.some(({ path }) => path.endsWith('.js')) && first.some(({ path }) => path.endsWith('.css')),
  );
  const told = (of: readonly ListedFile[]) =>
    of.map(({ path, gzip }) => `${path} ${((gzip ?? 0) / KB).toFixed(1)} kB`).join('\n  ');
  const over = (of: readonly ListedFile[], most: number, what: string) => {
    const sum = of.reduce((total, { gzip = 0 }) => total + gzip, 0);
    assert.ok(sum <= most, `${what}: ${(sum / KB).toFixed(1)} of ${most / KB} kB\n  ${told(of)}`);
  };
  over(first, BUDGET.first, 'loaded first');
  for (const file of lazy) {
    const isCatalogue = file.path.startsWith('assets/catalogue-');
    over([file], isCatalogue ? BUDGET.catalogue : BUDGET.lazy, 'loaded when it is needed');
  }
  over(code, BUDGET.all, 'all of it');
});

test('its files are named after what is in them, compressed, and none asks for another server', () => {
  const { files } = builtAdminUi();
  for (const { path, br = Infinity, gzip = Infinity, size } of files) {
    if (!/\.(?:js|css)$/.test(path)) continue;
    assert.match(path, /^assets\/[\w.-]+-[\w-]{8}\.(?:js|css)$/);
    assert.ok(br <= gzip + 64 && gzip < size + 64, path);
  }
  assert.ok(files.some(({ path }) => path === 'index.html'));
  assert.ok(!files.some(({ path }) => path.endsWith('.map') || path.includes('.vite')));
});
