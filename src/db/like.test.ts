import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold, foldPattern } from './fold.ts';
import { foldLong, likeMatcher } from './like.ts';

const look = () => {};
const isLike = (text: string, pattern: string) =>
  likeMatcher(foldPattern(pattern))(foldLong(text, look), look);

/** The rule, said by the regular expressions of JavaScript. */
function expression(pattern: string): RegExp {
  const parts = [...pattern].map((character) => {
    if (character === '%') return '[^]*';
    return character === '_' ? '[^]' : character;
  });
  return new RegExp(`^${parts.join('')}$`, 'u');
}

const letter = fc.constantFrom('a', 'b', '\u{1F600}');

test('a pattern part of any length, with or without wildcards, is found at its position', () => {
  fc.assert(
    fc.property(
      fc.array(letter, { maxLength: 400 }),
      fc.array(fc.record({ start: fc.nat(400), length: fc.nat(300), any: fc.nat(40), other: fc.boolean() }), {
        maxLength: 3,
      }),
      fc.constantFrom('', '%'),
      fc.constantFrom('', '%'),
      (letters, cuts, before, behind) => {
        const parts = cuts.map(({ start, length, any, other }) => {
          const part = letters.slice(start, start + length);
          if (other && part.length > 0) part[part.length - 1] = 'b';
          return part.map((character, at) => (any > 0 && at % (any + 1) === any ? '_' : character)).join('');
        });
        const pattern = `${before}${parts.join('%')}${behind}`;
        const text = letters.join('');
        assert.equal(
          isLike(text, pattern),
          expression(pattern).test(text),
          JSON.stringify({ text, pattern }),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

test('folding a long text in pieces gives the same result', () => {
  const around = 65_536;
  for (const letters of ['Σ', 'ΑΣ ', 'İ', '\u{10400}', 'x\u{10400}', 'ẞß', 'e\u0301É']) {
    for (const shift of ['', 'x', 'xx']) {
      const text = shift + letters.repeat(Math.ceil((2 * around) / letters.length));
      assert.equal(foldLong(text, look), fold(text), `${shift}${letters}`);
    }
  }
});

test('a text is read once for any pattern, and matching may stop after each piece', () => {
  const text = 'a'.repeat(1024 * 1024);
  const patterns = [
    `%${'a'.repeat(124)}b${'a'.repeat(124)}%`,
    `%${'a'.repeat(499)}b${'a'.repeat(499)}%`,
    `%${'a_'.repeat(249)}b${'a_'.repeat(249)}%`,
    `${'%a'.repeat(490)}%b%`,
    `%${'_'.repeat(900)}b%`,
  ];
  for (const pattern of patterns) {
    const matches = likeMatcher(pattern);
    let looks = 0;
    assert.equal(
      matches(text, () => {
        looks += 1;
      }),
      false,
    );
    assert.ok(looks >= 16, `${looks} looks`);
    assert.ok(looks <= 16 + pattern.length, `${looks} looks`);
    let left = 5;
    const end = new Error('enough');
    assert.throws(
      () =>
        matches(text, () => {
          left -= 1;
          if (left === 0) throw end;
        }),
      end,
    );
  }
});
