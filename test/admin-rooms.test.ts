/** The rooms of admin/README.md, each failing with a sentence that says what to do. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ADMIN = fileURLToPath(new URL('../admin/', import.meta.url));

/** From the bottom: a file imports its own room and lower ones. Those on one line do not know each other. */
const ROOMS: readonly (readonly string[])[] = [
  ['base'],
  ['data'],
  ['meta'],
  ['widgets'],
  ['charts', 'form'],
  ['grid'],
  ['screens'],
  ['app'],
];

/** Packages that are kept behind something of ours, so that they can be exchanged. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  '@mantine/': ['src/widgets/'],
  '@tanstack/react-router': ['src/app/', 'src/base/navigation.tsx'],
  uplot: ['src/charts/'],
  hucre: ['src/screens/list/export/xlsx.ts'],
  'react-dom/client': ['src/app/main.tsx'],
};

/** What of src the UI may run: pure, and the same on both sides. */
const SHARED = ['../src/kernel/expression/', '../src/client/positions.ts'];

const sources = globSync('src/**/*.{ts,tsx}', { cwd: ADMIN }).map((found) => {
  const path = found.replaceAll('\\', '/');
  const text = readFileSync(join(ADMIN, path), 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const imports = [
    ...code.matchAll(/^\s*(?:import|export)\b([^'"`;]*?)\bfrom\s*['"]([^'"]+)['"]/gm),
    ...code.matchAll(/^\s*(import)\s*['"]([^'"]+)['"]/gm),
    ...code.matchAll(/\b(import)\(\s*['"]([^'"]+)['"]/g),
  ].map(([, clause = '', specifier = '']) => ({
    isType: /^\s*type\b/.test(clause),
    target: specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier,
  }));
  return { path, text, code, imports };
});

const roomOf = (path: string) => path.split('/')[1] ?? '';
const heightOf = (room: string) => ROOMS.findIndex((rooms) => rooms.includes(room));

function none(broken: readonly string[], advice: string): void {
  assert.equal(broken.length, 0, `${advice}\n  ${broken.join('\n  ')}`);
}

test('imports point down the list of rooms', () => {
  const broken = sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target.startsWith('src/'))
      .filter(({ target }) => {
        const [from, to] = [roomOf(path), roomOf(target)];
        return from !== to && heightOf(to) >= heightOf(from);
      })
      .map(({ target }) => `${path} imports ${target}`),
  );
  none(broken, 'Move what is shared to a lower room, or hand it over as an argument:');
});

test('every file is in a room', () => {
  const lost = sources.filter(({ path }) => heightOf(roomOf(path)) === -1).map(({ path }) => path);
  none(lost, 'admin/README.md lists the rooms:');
});

test('of src only types and what is shared are imported', () => {
  const broken = sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ target, isType }) => target.startsWith('../') && !isType)
      .filter(({ target }) => !SHARED.some((shared) => target.startsWith(shared)))
      .map(({ target }) => `${path} imports ${target}`),
  );
  none(broken, 'Ask the server for it:');
});

test('packages stay behind what is ours', () => {
  const broken = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ target }) =>
      Object.entries(PLACES)
        .filter(([name]) => target === name || target.startsWith(name.endsWith('/') ? name : `${name}/`))
        .filter(([, places]) => !places.some((place) => path.startsWith(place)))
        .map(() => `${path} imports ${target}`),
    ),
  );
  none(broken, 'Use, or add, the wrapper in its room:');
});

test('files stay readable', () => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
    .filter(({ lines }) => lines > 351)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  none(long, 'A file has at most 350 lines:');
});

test('nothing is written that the content policy forbids', () => {
  const broken = sources.flatMap(({ path, code }) =>
    [
      ...code.matchAll(
        /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write|\beval\(|<style\b|hiddenFrom|visibleFrom/g,
      ),
    ].map(([found]) => `${path}: ${found}`),
  );
  none(broken, 'Styles are in style sheets, and texts are texts:');
});

test('styles know the direction of writing', () => {
  const physical =
    /(?<![\w-])(?:(?:margin|padding|border)-(?:left|right|top|bottom)|(?:left|right|top|bottom)|text-align:\s*(?:left|right))\s*:/g;
  const broken = globSync('src/**/*.css', { cwd: ADMIN }).flatMap((name) =>
    [...readFileSync(join(ADMIN, name), 'utf8').matchAll(physical)].map(([found]) => `${name}: ${found}`),
  );
  none(broken, 'Write margin-inline-start, inset-block-end and the like:');
});

test('no component is longer than 80 lines', () => {
  const components = sources
    .filter(({ path }) => path.endsWith('.tsx'))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n');
      return lines.flatMap((line, start) => {
        const [, wrapped, name] =
          /^(?:export )?(?:const \w+ = (memo|forwardRef)\()?function ([A-Z]\w*)/.exec(line) ?? [];
        if (name === undefined) return [];
        const end = lines.indexOf(wrapped === undefined ? '}' : '});', start);
        return [{ place: `${path}: ${name}`, lines: end - start + 1 }];
      });
    });
  assert.ok(components.length > 300, `only ${components.length} components found`);
  const long = components.filter(({ lines }) => lines > 80);
  none(
    long.map(({ place, lines }) => `${place}: ${lines} lines`),
    'Split them: a hook that knows, a view that draws:',
  );
});
