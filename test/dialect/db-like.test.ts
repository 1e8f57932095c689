import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../src/db/database.ts';
import { fold } from '../../src/db/fold.ts';
import { sql } from '../../src/db/sql.ts';
import { freshDatabases } from '../support/database.ts';

/** The rule, said once more: an independent matcher over code points. */
function matches(text: string, pattern: string): boolean {
  const tokens: ({ any: 'one' | 'many' } | { char: string })[] = [];
  const source = [...pattern];
  const literal = (char: string) => {
    for (const folded of fold(char)) tokens.push({ char: folded });
  };
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? '';
    const next = source[at + 1];
    if (char === '\\' && (next === '%' || next === '_' || next === '\\')) {
      literal(next);
      at += 1;
    } else if (char === '%') tokens.push({ any: 'many' });
    else if (char === '_') tokens.push({ any: 'one' });
    else literal(char);
  }
  let ends = new Set([0]);
  const chars = [...fold(text)];
  for (const token of tokens) {
    const next = new Set<number>();
    if ('any' in token && token.any === 'many') {
      for (let rest = Math.min(...ends); rest <= chars.length; rest += 1) next.add(rest);
      ends = next;
      continue;
    }
    for (const end of ends) {
      if ('char' in token) {
        if (chars[end] === token.char) next.add(end + 1);
      } else if (end < chars.length) next.add(end + 1);
    }
    ends = next;
  }
  return ends.has(chars.length);
}

async function like(
  database: Database,
  text: string | null,
  pattern: string,
  isIndexed = false,
): Promise<boolean> {
  const column = database.dialect.name === 'postgres' ? sql`cast(${text} as text)` : sql`${text}`;
  const row = await database.reader.get(
    sql`select case when ${database.dialect.like(sql`x`, pattern, isIndexed)} then 1 else 0 end as yes from (select ${column} as x) as t`,
  );
  return row?.['yes'] === 1;
}

// Letters with a case, letters whose case changes their length or depends on their place, wildcards and escapes.
const letters = fc.constantFrom(
  ...[
    'a',
    'A',
    'k',
    'K',
    '\u212a',
    's',
    'S',
    'ſ',
    'ß',
    'ẞ',
    'ı',
    'I',
    'İ',
    'i',
    'é',
    'É',
    'e\u0301',
    'Σ',
    'σ',
    'ς',
  ],
  ...[
    'Ж',
    'ж',
    'ﬁ',
    'Ǆ',
    'ǅ',
    'ǆ',
    'ŉ',
    'Ω',
    '\u2126',
    'ᾳ',
    'ᾼ',
    '\u{10400}',
    '\u{10428}',
    '\u{1F600}',
    '中',
    ' ',
    '1',
  ],
);
const special = fc.constantFrom('%', '_', '\\', '\\%', '\\_', '\\\\');
const text = fc.string({ unit: fc.oneof({ weight: 4, arbitrary: letters }, special), maxLength: 8 });
const pattern = fc.string({ unit: fc.oneof(letters, special), maxLength: 6 });
/** Any assigned-or-not character, except NUL, which no engine stores. */
const anything = fc.string({ unit: 'grapheme', maxLength: 6 }).filter((value) => !value.includes('\0'));

const NEWER_THAN_UNICODE_10: readonly (readonly [string, string])[] = [
  ['\u1c89', '\u1c8a'],
  ['\u1c90', '\u1cbf'],
  ['\u2c2f', '\u2c2f'],
  ['\ua7b8', '\ua7f6'],
  ['\u{10570}', '\u{105bc}'],
  ['\u{10d50}', '\u{10d8f}'],
  ['\u{16ea0}', '\u{16ed3}'],
  ['\u{16e40}', '\u{16e7f}'],
];

const databases = await freshDatabases();

for (const { engine, database } of databases) {
  test(`${engine}: like follows one rule for case, wildcards and escapes`, async () => {
    await fc.assert(
      fc.asyncProperty(text, pattern, async (value, like_) => {
        const expected = matches(value, like_);
        assert.equal(await like(database, value, like_), expected);
        assert.equal(await like(database, value, like_, true), expected);
      }),
      { numRuns: 1_500 },
    );
  });

  test(`${engine}: a text matches itself in another case, with anything around it`, async () => {
    await fc.assert(
      fc.asyncProperty(text, anything, async (value, around) => {
        const escaped = value.replaceAll(/[\\%_]/g, '\\$&');
        assert.equal(await like(database, around + value + around, `%${escaped.toUpperCase()}%`), true);
        assert.equal(await like(database, around + value.toLowerCase(), `%${escaped}`), true);
      }),
      { numRuns: 300 },
    );
  });

  test(`${engine}: a long text follows the same rule`, async () => {
    await fc.assert(
      fc.asyncProperty(text, pattern, fc.constantFrom(' ', 'é', 'a'), async (value, like_, around) => {
        for (const length of [260, 16_400]) {
          const long = around.repeat(length);
          for (const [has, asks] of [
            [value + long, `${like_}%`],
            [long + value, `%${like_}`],
            [`${long}${value}\n.`, `%${like_}_.`],
          ] as const) {
            assert.equal(
              await like(database, has, asks),
              matches(has, asks),
              JSON.stringify([length, has, asks]),
            );
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test(`${engine}: every letter with a case matches its other forms`, async () => {
    const cased: string[] = [];
    for (let code = 1; code < 0x1e944; code += 1) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const char = String.fromCodePoint(code);
      if (fold(char) !== char) cased.push(char);
    }
    assert.ok(cased.length > 1_300);
    const missed: string[] = [];
    await Promise.all(
      cased.map(async (char) => {
        if (!(await like(database, char, fold(char)))) missed.push(char);
      }),
    );
    // An older ICU does not know the letters Unicode added since; it may not fail on any other.
    const late = missed.filter(
      (char) => !NEWER_THAN_UNICODE_10.some(([from, to]) => char >= from && char <= to),
    );
    assert.deepEqual(late, []);
    if (engine === 'sqlite') assert.deepEqual(missed, []);
  });

  test(`${engine}: null never matches, and a lone backslash stands for itself wherever it is`, async () => {
    assert.equal(await like(database, null, '%'), false);
    assert.equal(await like(database, '', '%'), true);
    assert.equal(await like(database, 'C:\\Temp', 'c:\\temp'), true);
    assert.equal(await like(database, 'end\\', '%\\'), true);
    assert.equal(await like(database, 'é\\', 'É\\'), true);
    assert.equal(await like(database, '100%', '100\\%'), true);
    assert.equal(await like(database, '1000', '100\\%'), false);
  });
}
