/** The rules of docs/architecture.md, each failing with a sentence that says what to do. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../src/kernel/limits.ts';
import { PLACES } from './support/import-places.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** From the bottom: a file imports its own room and the rooms before it. */
const ROOMS = [
  ...['client', 'kernel', 'config', 'observe', 'net', 'db', 'doctype', 'access', 'query', 'exchange'],
  ...['document', 'file', 'webhook', 'feed', 'print', 'load', 'standard', 'backup', 'site', 'frappe'],
  ...['operation', 'http', 'cli'],
];

/**
 * The inner rooms of large rooms, from the bottom: a file imports its own inner room and those before it.
 * '' is the room itself; a name with `.ts` is one file of it.
 */
const INNER_ROOMS: Readonly<Record<string, readonly string[]>> = {
  http: [
    ...[
      'address',
      'wire',
      'caller',
      'limits',
      'workers',
      '',
      'pages',
      'admin',
      'print',
      'oauth',
      'sign-in',
      'documents',
    ],
    ...['files', 'methods', 'service', 'docs', 'addresses.ts', 'openapi', 'server.ts'],
  ],
  document: ['', 'virtual', 'load', 'list', 'check', 'naming', 'write', 'verbs'],
  site: [
    ...['', 'settings', 'schema/apps', 'schema/definitions', 'schema/migration', 'schema/controllers'],
    ...['status', 'start', 'doctor'],
  ],
  load: ['', 'store', 'save', 'server', 'archive'],
  backup: ['store', 'engine.ts', 'sqlite', 'postgres', 'after', 'copies', ''],
  frappe: ['secrets', 'dump', 'input', 'plan', 'carry', 'remote'],
  webhook: ['send', 'flow', 'render', 'queue', 'match', 'config', 'worker', 'control'],
};

/** What users of the package import. */
const PUBLIC = ['src/index.ts', 'src/client.ts'];

interface Source {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** As written; relative ones resolved to a path from the root. */
  readonly imports: readonly string[];
}

const everything = ['src', 'apps', 'test', 'bench', 'scripts'].flatMap((folder) =>
  globSync(`${folder}/**/*.ts`, { cwd: ROOT }).map(readSource),
);
const isTest = ({ path }: Source) => path.endsWith('.test.ts') || path.startsWith('test/');
/** What runs in the server: no tests. */
const server = everything.filter((source) => source.path.startsWith('src/') && !isTest(source));

function readSource(name: string): Source {
  const path = name.replaceAll('\\', '/');
  const text = readFileSync(join(ROOT, path), 'utf8');
  // Comments tell stories about imports, too.
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const imports = [
    ...code.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm),
    ...code.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm),
    ...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
  ].map(([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier,
  );
  return { path, text, imports };
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function none(broken: readonly string[], advice: string): void {
  assert.equal(broken.length, 0, `${advice}\n  ${broken.join('\n  ')}`);
}

test('the rules look at something', () => {
  assert.ok(server.length > 100, `only ${server.length} files found`);
  assert.ok(server.flatMap(({ imports }) => imports).length > 300);
  for (const room of ROOMS)
    assert.ok(
      server.some(({ path }) => roomOf(path) === room),
      `no file in ${room}`,
    );
});

test('every file of src is in a known room', () => {
  const entries = ['src/main.ts', 'src/index.ts', 'src/testing.ts', 'src/client.ts'];
  none(
    server.map(({ path }) => path).filter((path) => !entries.includes(path) && !ROOMS.includes(roomOf(path))),
    'Put these into a room, or give a new room its place in ROOMS here and in docs/architecture.md:',
  );
});

test('rooms import only rooms below them', () => {
  const broken = server
    .filter(({ path }) => ROOMS.includes(roomOf(path)))
    .flatMap(({ path, imports }) =>
      imports
        .filter(
          (target) =>
            target.startsWith('src/') && ROOMS.indexOf(roomOf(target)) > ROOMS.indexOf(roomOf(path)),
        )
        .map((target) => `${path} imports ${target}`),
    );
  none(
    broken,
    'These reach upwards. Let the lower room declare the interface it needs, or pass the thing in from above:',
  );
});

test('inner rooms import only inner rooms below them', () => {
  const broken = Object.entries(INNER_ROOMS).flatMap(([room, inner]) => {
    const levelOf = (path: string) => {
      const names = path.split('/').slice(2);
      const own = inner.indexOf(names.join('/'));
      return own >= 0 ? own : inner.indexOf(names.slice(0, -1).join('/'));
    };
    const files = server.filter(({ path }) => roomOf(path) === room);
    return files.flatMap(({ path, imports }) => {
      if (levelOf(path) < 0) return [`${path} is in none of ${inner.join(', ')}`];
      return imports
        .filter((target) => target.startsWith(`src/${room}/`) && levelOf(target) > levelOf(path))
        .map((target) => `${path} imports ${target}`);
    });
  });
  none(
    broken,
    'Move the file, or the type it needs, down. INNER_ROOMS here and docs/architecture.md list the order:',
  );
});

test('docs/architecture.md lists the inner rooms in their order', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  for (const [room, inner] of Object.entries(INNER_ROOMS)) {
    const rows = [...page.matchAll(new RegExp(`^\\| \`${room}/([a-z/-]*(?:\\.ts)?)\` \\|`, 'gm'))].map(
      ([, name]) => name,
    );
    assert.deepEqual(rows.reverse(), inner, `the table of inner rooms of ${room}`);
  }
});

test('packages and built-ins that reach outside are imported where they belong', () => {
  const broken: string[] = [];
  for (const { path, imports } of server) {
    for (const target of imports.filter((name) => !name.startsWith('src/'))) {
      const places = PLACES[target] ?? PLACES[target.split('/', 1)[0] ?? ''];
      if (!places && target.startsWith('node:')) continue;
      if (!places?.some((place) => path.startsWith(place))) broken.push(`${path} imports ${target}`);
    }
  }
  none(
    broken,
    'Use what the room for it offers. A new dependency needs a line in PLACES of test/support/import-places.ts and a record in docs/decisions:',
  );
});

test('query and doctype stay pure: they make SQL and never run it', () => {
  const broken = server
    .filter(({ path }) => ['query', 'doctype'].includes(roomOf(path)))
    .filter(({ imports }) => imports.includes('src/db/database.ts'))
    .map(({ path }) => path);
  none(
    broken,
    'Return Sql to a room above that runs it; import db/sql.ts or db/dialect.ts, not db/database.ts:',
  );
});

test('only src/index.ts and src/client.ts pass on what they import, and nobody in src imports them', () => {
  const barrels = server
    .filter(({ path, text }) => !PUBLIC.includes(path) && /^export\b[^'"`;]*?\bfrom\s*['"]/m.test(text))
    .map(({ path }) => path);
  none(barrels, 'No barrels: let users import from the file that defines the thing:');
  const users = server
    .filter(({ imports }) => imports.some((target) => PUBLIC.includes(target)))
    .map(({ path }) => path);
  none(users, 'These are for apps and clients. Import the file that defines the thing:');
});

test('nothing imports tests', () => {
  const broken = everything
    .filter(
      (source) => !isTest(source) && (source.path.startsWith('src/') || source.path.startsWith('apps/')),
    )
    .flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith('test/') || target.endsWith('.test.ts'))
        .map((target) => `${path} imports ${target}`),
    );
  none(broken, 'What both need belongs into src:');
});

test('apps use the public API alone', () => {
  const broken = everything
    .filter((source) => source.path.startsWith('apps/') && !isTest(source))
    .flatMap(({ path, imports }) =>
      imports
        .filter((target) => !['chancery'].includes(target) && !target.startsWith('apps/'))
        .map((target) => `${path} imports ${target}`),
    );
  none(broken, "Import from 'chancery'; what is missing there, export from src/index.ts:");
});

test('no import cycles, types included', () => {
  const ui = globSync('admin/src/**/*.{ts,tsx}', { cwd: ROOT }).map(readSource);
  const graph = new Map([...server, ...ui].map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  none(cycles, 'Move what both need into a file of its own:');
});

test('no file is longer than 350 lines, and no test longer than 400', () => {
  const broken = everything
    .map((source) => ({ ...source, lines: source.text.split('\n').length - 1 }))
    .filter((source) => source.lines > (isTest(source) ? 400 : 350))
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  none(broken, 'A file holds one idea. Split these by the ideas they hold:');
});

test('no function of src is longer than 80 lines', () => {
  const lengths = server.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, end) => {
      const [indent] = /^ *(?=\})/.exec(line) ?? [];
      if (indent === undefined) return [];
      // The formatter closes a block at the indentation of its first line; `)` closes a list of parameters.
      const start = lines.findLastIndex(
        (one, index) => index < end && one.startsWith(indent) && /^[^\s)]/.test(one.slice(indent.length)),
      );
      const isFunction = /\bfunction\b|=> \{$|\)(?:: .+)? \{$|^ *(?:async )?#?\w+\($/.test(
        lines[start] ?? '',
      );
      return isFunction ? [{ place: `${path}:${start + 1}`, lines: end - start + 1 }] : [];
    });
  });
  assert.ok(lengths.length > 3_000, `only ${lengths.length} blocks found`);
  const broken = lengths
    .filter(({ lines }) => lines > 80)
    .map(({ place, lines }) => `${place}: ${lines} lines`);
  none(broken, 'Name the steps of these functions, and let each step be a function:');
});

test('lines of comments end at column 120', () => {
  const ui = globSync('admin/**/*.{ts,tsx}', { cwd: ROOT, exclude: (name) => name === 'node_modules' });
  const long = [...everything, ...ui.map(readSource)].flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      // A directive of the linter cannot be wrapped.
      const isComment = /^\s*(?:\/\/|\/?\*)/.test(line) && !line.includes('biome-ignore');
      return isComment && line.length > 120 ? [`${path}:${index + 1}`] : [];
    }),
  );
  none(long, 'Wrap these comments at column 110:');
});

test('no code is made from data, and the environment is read in config alone', () => {
  const evaluating = server
    .filter(({ text }) => /\beval\(|\bnew Function\b/.test(text))
    .map(({ path }) => path);
  none(evaluating, 'Never evaluate text as code:');
  const reading = server
    .filter(({ path, text }) => roomOf(path) !== 'config' && /\bprocess\.env\b/.test(text))
    .map(({ path }) => path);
  none(reading, 'Make it a setting in config/settings.ts:');
});

test('docs/limits.md repeats LIMITS', { skip: !existsSync(join(ROOT, 'docs/limits.md')) }, () => {
  const page = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8');
  const written = new Map(
    [...page.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)].map(([, key = '', value = '']) => [
      key,
      Number(value.replaceAll(',', '')),
    ]),
  );
  assert.deepEqual(
    Object.fromEntries([...written].sort()),
    Object.fromEntries(Object.entries(LIMITS).sort()),
  );
});

test('a reply is sent last and never awaited', () => {
  const http = server.filter(({ path }) => roomOf(path) === 'http');
  const declared = /(export )?(?:async )?function (\w+)\([^{}]*?\): (?:Promise<)?FastifyReply\b/g;
  const senders = http.flatMap(({ path, text }) =>
    [...text.matchAll(declared)].map(([, exported, name]) => ({ name, place: exported ? '' : path })),
  );
  assert.ok(senders.length > 10, `only ${senders.length} functions send`);
  // What is returned, a branch of it, or the whole of a function that is given the reply.
  const isLast = /(?:\breturn|\bfunction|[?:]|\breply\b[^()]*\) =>)\s*$/;
  const broken = http.flatMap(({ path, text }) => {
    const names = senders.filter(({ place }) => place === '' || place === path).map(({ name }) => name);
    const calls = new RegExp(
      `(?<![.\\w])(?:await reply\\b|(?:${names.join('|')})\\()|\\btype (?!Handler\\b)\\w+ = \\([^=;]*\\) =>\\s*(?:Promise<)?FastifyReply`,
      'g',
    );
    return [...text.matchAll(calls)]
      .filter(({ index }) => !isLast.test(text.slice(0, index)))
      .map(({ 0: call, index }) => `${path}:${text.slice(0, index).split('\n').length}: ${call}`);
  });
  none(
    broken,
    "Fastify's reply has a `then`: awaited, it is undefined, once the client has the reply. Let the handler return it:",
  );
});
