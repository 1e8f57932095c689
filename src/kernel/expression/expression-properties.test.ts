import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../errors.ts';
import { type Expression, holds, parseExpression } from './expression.ts';

const piece = fc.oneof(
  fc.constantFrom(
    ...['doc', 'parent', '.', 'x', '(', ')', '[', ']', ',', '"a"', "'", '1', '0.5', '==', '!==', '!', 'not '],
    ...[
      ' in ',
      '|length',
      '|join(',
      '|d(',
      'attribute=',
      ' if ',
      '?.',
      '.some(x=>',
      '.every((x) => ',
      ' else ',
      '~',
      ' and ',
      '||',
      ' is ',
      '+',
      '-',
      '*',
      '/',
      '%',
      'len(',
      '.get(',
      '.includes(',
      'None',
      ' ',
      '<',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const source = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 1_100 }),
);

const operand = fc.constantFrom(
  'doc.a',
  'doc.b',
  'doc.rows',
  'doc.rows[0].a',
  'doc.rows.some(row => row.a == doc.a)',
  'doc?.rows?.[1]?.a',
  '"x"',
  '3',
  'null',
  '["x", 3]',
);
const operator = fc.constantFrom(
  '==',
  '!=',
  '<',
  '>=',
  ' in ',
  ' not in ',
  '+',
  '-',
  '*',
  '/',
  '%',
  '&&',
  '||',
);
const compound = fc.array(fc.tuple(operand, operator), { minLength: 1, maxLength: 12 }).map((pairs) => {
  const opened = pairs.map(([a, sign]) => `(${a} ${sign} `).join('');
  return `${opened}doc.a${')'.repeat(pairs.length)}`;
});

const document = fc.record({
  a: fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.boolean()),
  b: fc.oneof(fc.string(), fc.integer(), fc.constant(undefined)),
  rows: fc.array(fc.record({ a: fc.oneof(fc.string(), fc.integer()) })),
});

function parsed(text: string): Expression | null {
  try {
    return parseExpression(text);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return null;
  }
}

test('any source gives an expression or a ServiceError', () => {
  fc.assert(
    fc.property(source, document, (text, doc) => {
      const expression = parsed(text);
      if (expression) assert.equal(typeof holds(expression, { doc }), 'boolean');
    }),
    { numRuns: 3_000 },
  );
});

test('an expression always gives the same answer and leaves the document alone', () => {
  fc.assert(
    fc.property(compound, document, (text, doc) => {
      const expression = parseExpression(text);
      const copy = JSON.stringify(doc);
      const answer = holds(expression, { doc });
      assert.equal(holds(expression, { doc }), answer);
      assert.equal(holds(parseExpression(text), { doc: structuredClone(doc) }), answer);
      assert.equal(JSON.stringify(doc), copy);
    }),
    { numRuns: 1_000 },
  );
});

test('not is the opposite, in both dialects', () => {
  fc.assert(
    fc.property(compound, document, (text, doc) => {
      const answer = holds(parseExpression(text), { doc });
      assert.equal(holds(parseExpression(`!(${text})`), { doc }), !answer);
      assert.equal(holds(parseExpression(`not (${text})`), { doc }), !answer);
    }),
  );
});
