import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pages } from '../scripts/docs.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { coverageRows, mutations } from './support/interface-coverage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('docs/interface-coverage.md quotes the whole interface', () => {
  const sentences = coverageRows(ROOT).map(({ sentence }) => sentence);
  const digest = createHash('sha256').update(sentences.join('\n')).digest('hex');
  // Changes only when the interface does.
  assert.equal(digest, '088fa80720f93f9a389baaed1429baf0a7a9564ebe8c06fcd4b150b6af073147');
});

test('every file and test that docs/interface-coverage.md names exists', () => {
  const missing = coverageRows(ROOT).flatMap(({ id, sources, tests }) => [
    ...sources.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${id}: ${path}`),
    ...tests
      .filter(({ file, title }) => !existsSync(join(ROOT, file)) || !read(file).includes(title))
      .map(({ file, title }) => `${id}: ${file}: ${title}`),
  ]);
  assert.deepEqual(missing, []);
});

test('test/mutations.txt breaks each row with a test, by text that the source has once', () => {
  const all = mutations(ROOT);
  const stale = all
    .filter(({ file, text }) => !existsSync(join(ROOT, file)) || read(file).split(text).length !== 2)
    .map(({ file, text }) => `${file}: ${text}`);
  assert.deepEqual(stale, [], 'Bring these mutations in line with the source');
  const tested = coverageRows(ROOT).flatMap(({ id, tests }) => (tests.length > 0 ? [id] : []));
  assert.deepEqual(new Set(all.flatMap(({ rows }) => rows)), new Set(tested));
});

test('every test that docs/security.md names against an advisory exists', () => {
  const [, attacks = ''] = read('docs/security.md').split('## Published vulnerabilities');
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

/** Every Markdown file of the repository, by its path. */
const PAGES = [
  ...markdownIn('', false),
  ...['admin', 'apps', 'bench', 'docs', 'src', 'test'].flatMap((folder) => markdownIn(folder, true)),
];

function markdownIn(folder: string, recursive: boolean): string[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

/** The lines of a page outside of its code blocks, with their numbers. */
function proseOf(page: string): { line: string; number: number }[] {
  let isCode = false;
  return read(page)
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => {
      if (line.trimStart().startsWith('```')) isCode = !isCode;
      return !isCode;
    });
}

test('lines of prose end at column 120', () => {
  assert.ok(PAGES.length > 40, String(PAGES.length));
  const long = PAGES.flatMap((page) =>
    proseOf(page)
      .filter(({ line }) => !/^\s*\|/.test(line))
      // The target of a link cannot be broken.
      .filter(({ line }) => line.replace(/\]\([^)]*\)|https?:\S+/g, '').length > 120)
      .map(({ number }) => `${page}:${number}`),
  );
  assert.deepEqual(long, [], 'Break these lines at column 110');
});

test('links between the pages lead to a page and a heading', () => {
  const broken = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
      .map(([link, target = '', anchor]) => ({
        link,
        path: target ? join(dirname(page), target) : page,
        anchor,
      }))
      .filter(
        ({ path, anchor }) => !existsSync(join(ROOT, path)) || (anchor && !anchorsOf(path).includes(anchor)),
      )
      .map(({ link }) => `${page}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

for (const { file, found, wanted } of pages()) {
  test(`docs/${basename(file)} is as the declarations: \`npm run docs\` writes it`, () => {
    assert.ok(found === wanted, 'run `npm run docs`');
  });
}

test('the guide to System Settings names the setting that each field overrides', () => {
  const rows = [...read('docs/guide/settings.md').matchAll(/^\| `(\w+)` \| (?:`([\w.]+)`)? *\|/gm)];
  const documented = rows.flatMap(([, field, path]) => (path ? [`${field}: ${path}`] : []));
  const declared = SETTINGS.flatMap(({ path, live }) => (live ? [`${live.field}: ${path}`] : []));
  assert.deepEqual(documented.toSorted(), declared.toSorted());
});

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  return proseOf(page)
    .filter(({ line }) => /^#+ /.test(line))
    .map(({ line }) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
}
