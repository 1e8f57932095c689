import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { renderTemplate } from './render-template.ts';
import { parseTemplate } from './template.ts';

const DOC = {
  name: 'A/1',
  title: 'say "hi"\n<b>',
  path: '\\',
  total: 12.5,
  count: 0,
  nothing: null,
  url: 'https://example.com/hook',
  host: 'hooks.example.com:8080',
  items: [
    { item: 'x"y', qty: 2 },
    { item: 'z', qty: 1 },
  ],
  empty: [],
};
const SCOPE = { doc: DOC, previous: { ...DOC, total: 10 }, hasChanged: (name: string) => name === 'total' };

function json(source: string): unknown {
  return JSON.parse(renderTemplate(parseTemplate(source), 'json', SCOPE, 10_000) ?? 'too long');
}

function url(source: string): string | null {
  return renderTemplate(parseTemplate(source), 'url', SCOPE, 1_000);
}

function refused(work: () => unknown, reason: RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.match(error.message, reason);
    return true;
  });
}

describe('a JSON template', () => {
  const table: readonly (readonly [string, unknown])[] = [
    ['{"a": "{{ doc.title }}"}', { a: DOC.title }],
    ['{"a": {{ doc.title }}}', { a: DOC.title }],
    ['{"a": {{ doc.title | tojson }}, "b": {{ doc.items|tojson }}}', { a: DOC.title, b: DOC.items }],
    ['{"a": "{{ doc.items | tojson }}"}', { a: JSON.stringify(DOC.items) }],
    ['{"a": {{ doc.total }}, "b": {{ doc.nothing }}, "c": "{{ doc.nothing }}"}', { a: 12.5, b: null, c: '' }],
    ['{"a": {{ doc.total * 2 }}, "b": {{ doc.items|length > 1 }}}', { a: 25, b: true }],
    ['{"a": "{{ doc.path }}", "\\"{{ doc.name }}\\"": 1}', { a: '\\', '"A/1"': 1 }],
    [
      '{"{{ doc.name }}": {% if doc.total > 100 %}"big"{% elif doc.total %}"some"{% else %}0{% endif %}}',
      { 'A/1': 'some' },
    ],
    [
      '[{% for row in doc.items %}{"n": {{ loop.index }}, "i": "{{ row.item }}"}{{ "," if not loop.last }}{% endfor %}]',
      [
        { n: 1, i: 'x"y' },
        { n: 2, i: 'z' },
      ],
    ],
    ['[{% for row in doc.items %}{{ row.qty }}{{ not loop.last and "," or "" }}{% endfor %}]', [2, 1]],
    ['[{% for row in doc.empty %}1{% else %}"none"{% endfor %}]', ['none']],
    ['{% set t = doc.total * 2 %}{% set t = t + 1 %}{"t": {{ t }}}', { t: 26 }],
    ['{% set t = 1 %}{% for r in doc.items %}{% set t = 2 %}{% endfor %}{{ t }}', 1],
    ['{# a "remark" {{ #}{"a": 1 {#- more -#} }', { a: 1 }],
    ['[ {%- if true -%} 1 {%- endif -%} ]', [1]],
    ['{"was": {{ previous.total }}, "c": {{ doc.has_value_changed("total") }}}', { was: 10, c: true }],
    ['{"a": "{{ "}}" }}", "b": {"c": {"d": 1}}}', { a: '}}', b: { c: { d: 1 } } }],
    [
      '{"a": {{ doc.unheard|default("x") }}, "b": {{ doc.title if doc.count else doc.name }}}',
      { a: 'x', b: 'A/1' },
    ],
    [
      '{"a": {{ doc.title if doc.count }}, "b": {{ \'{"raw": 1}\' }}, "c": {{ "[1]"|safe }}}',
      { a: null, b: { raw: 1 }, c: [1] },
    ],
    ['{"all": {{ doc }}}', { all: DOC }],
  ];
  for (const [source, expected] of table) {
    test(source.slice(0, 90), () => assert.deepEqual(json(source), expected));
  }

  test('a value cannot change anything outside its place', () => {
    const template = parseTemplate('{"a": "<{{ doc.a }}>", "b": {{ doc.a }}, "c": [{{ doc.a|tojson }}, 1]}');
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(value, (a) => {
        const held = typeof a === 'number' && (!Number.isFinite(a) || Object.is(a, -0)) ? 0 : a;
        const body = JSON.parse(renderTemplate(template, 'json', { doc: { a: held } }, 10_000) ?? '');
        assert.deepEqual(body, { a: `<${held ?? ''}>`, b: held, c: [held, 1] });
      }),
    );
  });
});

describe('a template of an address', () => {
  test('encodes values after the host, and accepts a whole address from the document', () => {
    assert.equal(
      url('https://h.example/{{ doc.name }}?t={{ doc.title }}'),
      'https://h.example/A%2F1?t=say%20%22hi%22%0A%3Cb%3E',
    );
    assert.equal(url('{{ doc.url }}/{{ doc.name }}'), 'https://example.com/hook/A%2F1');
    assert.equal(url('https://{{ doc.host }}/x'), 'https://hooks.example.com:8080/x');
    assert.equal(
      url('https://h.example/{{ doc.name|safe }}/{{ doc.name|urlencode }}'),
      'https://h.example/A/1/A%2F1',
    );
    assert.equal(
      url('https://h.example/{{ "big/one" if doc.total > 1 else "small" }}'),
      'https://h.example/big/one',
    );
  });

  test('refuses values that would change the host', () => {
    refused(() => url('https://{{ doc.url }}/'), /host/);
    refused(() => url('https://x.example@{{ doc.title }}/'), /host/);
    refused(() => url('https://h.example/a/{{ ".." ~ doc.nothing }}/b'), /dots/);
  });
});

describe('an invalid template', () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['{{ doc.a', /Line 1: \{\{ without its \}\}/],
    ['\n\n{{ doc. }}', /^Line 3: /],
    ['{% if doc.a %}x', /if without its endif/],
    ['{% for a in doc.b %}x', /for without its endfor/],
    ['{% if doc.a %}{% endfor %}', /if without its endif/],
    ['{% endif %}', /endif without its beginning/],
    ['{% if a %}{% else %}{% else %}{% endif %}', /unknown name/],
    ['{% if doc.a %}{% else %}{% else %}{% endif %}', /if without its endif/],
    ['{% include "x" %}', /unknown statement "include"/],
    ['{% macro x() %}{% endmacro %}', /unknown statement/],
    ['{{ frappe.db.get_value("User", "x") }}', /"frappe" \(an expression sees only the document/],
    ['{{ row.a }}', /unknown name "row"/],
    ['{% for doc in doc.items %}{% endfor %}', /cannot name something "doc"/],
    ['{% set __proto__.x = 1 %}', /cannot name/],
    ['{{ doc.constructor("x") }}', /which is not allowed/],
    ['{{ doc|attr("x") }}', /unknown filter/],
    ['{{ parent.a }}', /parent/],
    ['x'.repeat(LIMITS.templateLength + 1), /longer than/],
    ['{{ 1 }}'.repeat(LIMITS.templateParts + 1), /more than 2000 parts/],
    ['{% if 1 %}'.repeat(LIMITS.templateDepth + 1), /more than 10 deep/],
  ];
  for (const [source, reason] of table) {
    test(source.slice(0, 60).trim(), () => refused(() => parseTemplate(source), reason));
  }
});

test('a template cannot reach a prototype', () => {
  const source = '[{{ doc.constructor }}, {{ doc.__proto__ }}, {{ doc["const" + "ructor"] }}]';
  assert.deepEqual(json(source), [null, null, null]);
});

test('rendering stops at its limits of size and work', () => {
  const doc = {
    items: Array.from({ length: 50_000 }, () => ({ a: 'x'.repeat(100) })),
    text: 'y'.repeat(90_000),
  };
  const over = (source: string, most: number) => renderTemplate(parseTemplate(source), 'json', { doc }, most);
  assert.equal(over('{% for r in doc.items %}"{{ r.a }}"{% endfor %}', 1_000), null);
  assert.equal(over('{{ doc }}', 1_000), null);
  for (const source of [
    '{% for a in doc.items %}{% for b in doc.items %}{% endfor %}{% endfor %}',
    '{% for a in doc.items %}{% if doc|tojson|length > 1 %}{% endif %}{% endfor %}',
    '{% for a in doc.items %}{% if doc.text|upper|lower %}{% endif %}{% endfor %}',
    '{% for a in doc.items %}{% if doc.items|sum(attribute="a") %}{% endif %}{% endfor %}',
    `{% for a in doc.items %}{% for b in doc.items %}{% for c in doc.items %}{% set t = (doc.text ~ "a") in doc.text %}{% endfor %}{% endfor %}{% endfor %}`,
  ]) {
    refused(() => over(source, 1_000_000), /too much work/);
  }
});

test('any source gives a template or a ServiceError, and so does rendering', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{{ ',
      ' }}',
      '{% ',
      ' %}',
      '{#',
      '#}',
      '-',
      'if ',
      'else',
      'elif ',
      'endif',
      'for ',
      ' in ',
      'endfor',
    ),
    fc.constantFrom(
      'set ',
      'a',
      ' = ',
      'doc.items',
      'doc.name',
      'loop.last',
      '"',
      "'",
      '\\',
      '\n',
      '{',
      '}',
      '|tojson',
      '|safe',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.constantFrom('json' as const, 'url' as const),
      (pieces, into) => {
        try {
          const text = renderTemplate(parseTemplate(pieces.join('')), into, SCOPE, 10_000);
          assert.ok(text === null || typeof text === 'string');
        } catch (error) {
          assert.ok(error instanceof ServiceError, String(error));
        }
      },
    ),
    { numRuns: 3_000 },
  );
});
