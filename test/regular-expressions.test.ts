/**
 * No regular expression takes longer than linear time for any text. Every one in the sources is checked with
 * `recheck`, or stands in a list below with the reason why it need not be.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type * as Recheck from 'recheck';
import { parseSync } from 'vite';
import { isRecord } from '../src/kernel/value.ts';
import { someOf } from './support/some-of.ts';

// The build for browsers is the whole checker in JavaScript: it starts no process and no thread.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof Recheck;

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/**
 * Expressions that were checked before, one a line. A whole run checks all others, and a part of these.
 * `CHANCERY_TEST_PROVEN=write npm test -- test/regular-expressions.test.ts` writes the list.
 */
const PROVEN = fileURLToPath(new URL('./regular-expressions.proven.txt', import.meta.url));

interface Excepted {
  readonly file: string;
  /** As it stands in the file. */
  readonly expression: string;
  readonly reason: string;
}

/** Expressions that may take longer, because the texts they see are short or our own. */
const EXCEPTED: readonly Excepted[] = [
  ...[String.raw`/[^\p{L}]+$/u`, String.raw`/^(.{1,5})\1+$/u`, String.raw`/\d+$/`].map((expression) => ({
    file: 'src/access/password-policy.ts',
    expression,
    reason: 'a password has at most LIMITS.passwordLength characters',
  })),
  {
    file: 'src/config/load-config.ts',
    expression: String.raw`/(:\/\/[^:/?#@]*:)[^/?#]*@/`,
    reason: 'sees addresses that the operator configures',
  },
  {
    file: 'src/db/describe.ts',
    expression: String.raw`/'(?:[^']|'')*'|"((?:[^"]|"")*)" (?:TEXT|INTEGER|REAL) constraint "(\w+)"|"(?:[^"]|"")*"/gi`,
    reason: 'sees the statement with which Chancery created a table, whose quotes are closed',
  },
  {
    file: 'src/db/sqlite/meter.ts',
    expression: String.raw`/^SEARCH .* INDEX sqlite_autoindex_.*_1 \(\w+=\?\)$/`,
    reason: 'sees a step of a query plan, which names a table by at most LIMITS.doctypeNameLength characters',
  },
];

interface Built {
  readonly file: string;
  /** How the arguments begin in the file, up to the first variable. */
  readonly begins: string;
  /** What it builds, with every kind of part that it can have. */
  readonly examples: readonly RegExp[];
}

/** Expressions that are put together while the program runs, each with examples that are checked in its place. */
const BUILT: readonly Built[] = [
  {
    file: 'admin/src/widgets/fields/number-text.ts',
    begins: '`^[-+]?\\\\d{1,3}(?:\\\\',
    examples: [/^[-+]?\d{1,3}(?:\.\d{2,3})+(?:,\d*)?$/, /^[-+]?\d{1,3}(?:,\d{2,3})+(?:\.\d*)?$/],
  },
  { file: 'src/doctype/render-types.ts', begins: '`\\\\b', examples: [/\bDocument\b/] },
  {
    file: 'src/document/check/sanitise-html.ts',
    begins: '`<(?!!--|/?(?:',
    examples: [/<(?!!--|\/?(?:a|abbr|b|blockquote|br|h1)(?=[\s/>]))/gi],
  },
  {
    file: 'src/frappe/dump/statements.ts',
    begins: '`^CREATE TABLE (?:IF NOT EXISTS )?(?:',
    examples: [
      /^CREATE TABLE (?:IF NOT EXISTS )?(?:(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+)\.)?((?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+)) \($/i,
    ],
  },
  {
    file: 'src/frappe/dump/statements.ts',
    begins: '`^(?:INSERT|REPLACE) (?:IGNORE )?INTO (?:',
    examples: [
      /^(?:INSERT|REPLACE) (?:IGNORE )?INTO (?:(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+)\.)?((?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+))\s*/i,
    ],
  },
  {
    file: 'src/frappe/dump/statements.ts',
    begins: '`^COPY (?:',
    examples: [
      /^COPY (?:(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+)\.)?((?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+)) \((.*)\) FROM stdin;$/i,
    ],
  },
  {
    file: 'src/frappe/dump/statements.ts',
    begins: '`^\\\\s+(',
    examples: [/^\s+((?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+)) (.+?),?$/],
  },
  {
    file: 'src/frappe/dump/statements.ts',
    begins: 'NAME',
    examples: [/(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$]+)/g],
  },
  {
    file: 'src/document/naming/series.ts',
    begins: '`^(',
    examples: [/^(INV-\d{4}-\d\d-)(\d{5,15})$/su, /^(A.{26}\d{4})(\d{1,15})-B\d\d$/su],
  },
];

/** A limit of steps instead of time, so that the same expression always gets the same verdict. */
const BOUNDS: Recheck.Parameters = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  // More repetitions than this are tried with made-up texts instead of proven, as are references and lookarounds.
  maxRepeatCount: 130,
  maxInitialGenerationSize: 150,
  maxGenerationSize: 50,
  maxIteration: 4,
};

interface Found {
  /** With its line. */
  readonly where: string;
  readonly file: string;
  /** A literal, or the arguments of `RegExp`. */
  readonly text: string;
  readonly literal: { readonly source: string; readonly flags: string } | null;
}

const all = globSync('{src,admin/src}/**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/*.test.*'] })
  .sort()
  .flatMap(expressionsIn);

test('every regular expression takes linear time', { timeout: 900_000 }, () => {
  assert.ok(all.length > 300, `only ${all.length} expressions found`);
  const literals = all.filter((one) => !EXCEPTED.some((excepted) => isSame(excepted, one)));
  const checked = [
    ...literals.flatMap(({ where, literal }) => (literal ? [{ where, ...literal }] : [])),
    ...BUILT.flatMap(({ file, examples }) =>
      examples.map(({ source, flags }) => ({ where: file, source, flags })),
    ),
  ];
  const different = [...new Map(checked.map((one) => [`/${one.source}/${one.flags}`, one]))];
  const before = new Set(readFileSync(PROVEN, 'utf8').split('\n'));
  const isNew = ([shown]: (typeof different)[number]) => !before.has(shown);
  const known = different.filter((one) => !isNew(one));
  const proven: string[] = [];
  const slow: string[] = [];
  for (const [shown, { where, source, flags }] of [...different.filter(isNew), ...someOf(known, 8)]) {
    const wrong = complaint(source, flags);
    if (wrong === null) proven.push(shown);
    else slow.push(`${where} ${shown}: ${wrong}`);
  }
  if (process.env['CHANCERY_TEST_PROVEN'] === 'write') writeFileSync(PROVEN, `${proven.sort().join('\n')}\n`);
  assert.deepEqual(slow, [], 'rewrite it, or read the text without an expression');
});

test('every expression that is built while the program runs has examples', () => {
  const built = all.filter(({ literal }) => literal === null);
  const unknown = built.filter((one) => !BUILT.some((known) => isBuilt(known, one)));
  assert.deepEqual(
    unknown.map(({ where, text }) => `${where} ${text}`),
    [],
  );
});

test('the lists name nothing that is gone', () => {
  const gone = [
    ...EXCEPTED.filter((one) => !all.some((found) => isSame(one, found))).map((one) => one.expression),
    ...BUILT.filter((one) => !all.some((found) => isBuilt(one, found))).map((one) => one.begins),
  ];
  assert.deepEqual(gone, []);
});

test('an expression that takes longer is found', () => {
  for (const { source, flags } of [/\s+$/, /^count\(\s*(.+?)\s*\)$/i]) {
    assert.notEqual(complaint(source, flags), null, source);
  }
});

function isSame({ file, expression }: Excepted, found: Found): boolean {
  return found.file === file && found.text === expression;
}

function isBuilt({ file, begins }: Built, found: Found): boolean {
  return found.literal === null && found.file === file && found.text.startsWith(begins);
}

/** What is wrong with an expression; null when it is proven linear, or no text was found for which it is not. */
function complaint(source: string, flags: string): string | null {
  const verdict = checkSync(source, flags, BOUNDS);
  if (verdict.status === 'safe') return null;
  return verdict.status === 'vulnerable'
    ? `${verdict.complexity.summary} for ${verdict.attack.pattern}`
    : `not checked: ${verdict.error.kind}`;
}

function expressionsIn(file: string): Found[] {
  const code = readFileSync(`${ROOT}${file}`, 'utf8');
  const { program, errors } = parseSync(file, code);
  assert.deepEqual(errors, [], file);
  const found: Found[] = [];
  const note = (at: number, text: string, literal: Found['literal']) => {
    found.push({ where: `${file}:${code.slice(0, at).split('\n').length}`, file, text, literal });
  };
  visit(program, (node) => {
    const { start, end, regex } = node;
    if (typeof start !== 'number' || typeof end !== 'number') return;
    if (node.type === 'Literal' && isRecord(regex)) {
      const literal = { source: String(regex['pattern']), flags: String(regex['flags']) };
      note(start, code.slice(start, end), literal);
    }
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && isRecord(node.callee)) {
      if (node.callee['name'] !== 'RegExp') return;
      note(start, code.slice(code.indexOf('(', start) + 1, end - 1), null);
    }
  });
  return found;
}

type SyntaxNode = Readonly<Record<string, unknown>>;

function visit(value: unknown, see: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  else if (isRecord(value)) {
    if (typeof value['type'] === 'string') see(value);
    for (const item of Object.values(value)) visit(item, see);
  }
}
