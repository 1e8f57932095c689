/** The rules of docs/architecture.md, each failing with a sentence that says what to do. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { envName, SETTINGS } from '../src/config/settings.ts';
import { LIMITS } from '../src/kernel/limits.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** From the bottom: a file imports its own room and the rooms before it. */
const ROOMS = [
  'client',
  'kernel',
  'config',
  'observe',
  'db',
  'doctype',
  'access',
  'query',
  'document',
  'file',
  'webhook',
  'feed',
  'standard',
  'site',
  'http',
  'cli',
];

/** Every package and every built-in that reaches outside the process, and the only places that import it. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  fastify: ['src/http/'],
  '@fastify/multipart': ['src/http/'],
  '@tus/server': ['src/http/'],
  'file-type': ['src/file/upload-rules.ts'],
  sharp: ['src/file/image.ts'],
  yazl: ['src/file/zip.ts'],
  yauzl: ['src/file/unzip-archive.ts'],
  '@aws-sdk/client-s3': ['src/file/s3-'],
  '@aws-sdk/lib-storage': ['src/file/s3-storage.ts'],
  '@aws-sdk/s3-request-presigner': ['src/file/s3-storage.ts'],
  pg: ['src/db/postgres/'],
  pino: ['src/observe/'],
  undici: ['src/webhook/'],
  otplib: ['src/document/second-factor.ts'],
  nodemailer: ['src/site/mailer.ts'],
  'sanitize-html': ['src/document/sanitise-html.ts'],
  'openid-client': ['src/standard/sign-in/'],
  'node:sqlite': ['src/db/sqlite/'],
  'node:fs': FILES(),
  'node:fs/promises': FILES(),
  'node:http': ['src/http/'],
  'node:https': [],
  'node:dns': ['src/webhook/'],
  'node:dns/promises': ['src/webhook/'],
  'node:child_process': [],
  'node:cluster': [],
  'node:vm': [],
  'node:worker_threads': ['src/db/sqlite/'],
};

function FILES(): readonly string[] {
  return [
    'src/file/disk-directory.ts',
    'src/file/disk-mark.ts',
    'src/file/disk-quarantine.ts',
    'src/file/disk-storage.ts',
    'src/file/handle-stream.ts',
    'src/file/thumbnail-cache.ts',
    'src/config/load-config.ts',
    'src/config/version.ts',
    'src/site/load-app.ts',
    'src/site/bind-files.ts',
    'src/site/data-directory.ts',
    'src/site/database-identity.ts',
    'src/site/key-file.ts',
    'src/site/lock-database.ts',
    'src/site/why-unusable.ts',
    'src/http/docs/',
    'src/http/admin/',
    'src/cli/',
    'src/testing.ts',
  ];
}

/** What users of the package import. */
const PUBLIC = ['src/index.ts', 'src/client.ts'];

interface Source {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** As written; relative ones resolved to a path from the root. */
  readonly imports: readonly string[];
  /** Those that are there when the program runs: types are not. */
  readonly loaded: readonly string[];
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
  const found = [
    ...code.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm),
    ...code.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm),
    ...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
  ].map(([statement, specifier = '']) => ({
    isType: /^\s*(?:import|export)\s+type\b/.test(statement),
    target: specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier,
  }));
  const imports = found.map(({ target }) => target);
  const loaded = found.filter(({ isType }) => !isType).map(({ target }) => target);
  return { path, text, imports, loaded };
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

test('packages and built-ins that reach outside are imported where they belong', () => {
  const broken: string[] = [];
  for (const { path, imports } of server) {
    for (const target of imports.filter((name) => !name.startsWith('src/'))) {
      const places = PLACES[target];
      if (!places && target.startsWith('node:')) continue;
      if (!places?.some((place) => path.startsWith(place))) broken.push(`${path} imports ${target}`);
    }
  }
  none(
    broken,
    'Use what the room for it offers. A new dependency needs a line in PLACES here and a record in docs/decisions:',
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

test('no import cycles', () => {
  const graph = new Map(
    server.map(({ path, loaded }) => [path, loaded.filter((target) => target.startsWith('src/'))]),
  );
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

test('no file is longer than 400 lines', () => {
  const broken = everything
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 400)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  none(broken, 'A file holds one idea. Split these by the ideas they hold:');
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

test('docs/configuration.md names every setting', {
  skip: !existsSync(join(ROOT, 'docs/configuration.md')),
}, () => {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const missing = SETTINGS.flatMap(({ path, flag }) => [
    path,
    envName(path),
    ...(flag ? [`--${flag}`] : []),
  ]).filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name} `));
  none(missing, 'Describe these:');
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
