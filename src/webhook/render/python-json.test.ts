import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { floatText, jsonText, quote } from './python-json.ts';

test('the layout equals that of json.dumps', () => {
  const value = {
    name: 'TICK-0001',
    subject: 'Café ✓',
    i: 3,
    none: null,
    nested: [{ a: 1 }, {}],
    empty: [],
    control: '\u0001\u007f\n"\\/😀',
    ok: true,
  };
  assert.equal(
    jsonText(value),
    '{"name": "TICK-0001", "subject": "Caf\\u00e9 \\u2713", "i": 3, "none": null, "nested": [{"a": 1}, {}], ' +
      '"empty": [], "control": "\\u0001\\u007f\\n\\"\\\\/\\ud83d\\ude00", "ok": true}',
  );
});

test('floats are written as Python writes them', () => {
  const table: readonly (readonly [number, string])[] = [
    [0, '0.0'],
    [-0, '-0.0'],
    [2, '2.0'],
    [-2.5, '-2.5'],
    [0.1, '0.1'],
    [0.0001, '0.0001'],
    [0.00012345, '0.00012345'],
    [-0.00012345, '-0.00012345'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [123456789012345.6, '123456789012345.6'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [1.2345e22, '1.2345e+22'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
  ];
  for (const [value, text] of table) assert.equal(floatText(value), text);
});

test('every written value is parsed back unchanged', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => JSON.parse(quote(text)) === text));
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
      Object.is(JSON.parse(floatText(value)), value),
    ),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(jsonText(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

const python = spawnSync('python3', ['-c', 'print(1)']).status === 0;

test('Python itself serialises the parsed body to the same bytes', { skip: !python && 'no python3' }, () => {
  const values = fc.sample(
    fc.record({
      text: fc.string({ unit: 'grapheme' }),
      float: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    500,
  );
  const lines = values.map(
    ({ text, float }) =>
      `{"text": ${quote(text)}, "float": ${floatText(float)}, "rows": ${jsonText([text, null, 7])}}`,
  );
  const script = 'import sys, json\nfor line in sys.stdin: print(json.dumps(json.loads(line)))';
  const { stdout } = spawnSync('python3', ['-c', script], { input: lines.join('\n'), encoding: 'utf8' });
  assert.deepEqual(stdout.trimEnd().split('\n'), lines);
});
