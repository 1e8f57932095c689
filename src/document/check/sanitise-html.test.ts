import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type HtmlKind, htmlBudget, sanitiseHtml } from './sanitise-html.ts';

const KINDS: readonly HtmlKind[] = ['plain', 'rich'];
const clean = (text: string, kind: HtmlKind = 'rich') => sanitiseHtml(text, kind, htmlBudget());

const UNTOUCHED = [
  '',
  'a < b',
  'a<1 && b>2 & c',
  '1 < 2 > 0',
  'I <3 you & "them" \' &amp; &nbsp; &lt;',
  '< b >',
  'if (a <= b) {}',
  '<<<<',
  '>>> quoted',
  'x <- y',
  'Jane Roe <jane@example.com>, Joe <joe.b+c@mail.example.org>',
  '< script >',
  '\u{1F600} é \t\n',
];

describe('text without tags', () => {
  for (const text of UNTOUCHED) {
    test(`${JSON.stringify(text)} is unchanged`, () => {
      for (const kind of KINDS) assert.equal(clean(text, kind), text);
    });
  }
});

describe('forbidden tags become text without loss', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['x<y and y>z', 'x&lt;y and y&gt;z'],
    ['List<String>', 'List&lt;String&gt;'],
    ['<iframe src="//x"></iframe>', '&lt;iframe src="//x"&gt;&lt;/iframe&gt;'],
    ['<!DOCTYPE html>', '&lt;!DOCTYPE html&gt;'],
    ['<?xml version="1.0"?>', '&lt;?xml version="1.0"?&gt;'],
    ['<b@x onclick=alert(1)>', '&lt;b@x onclick=alert(1)&gt;'],
    ['before <!-- never closed', 'before &lt;!-- never closed'],
    ['before <b never closed', 'before &lt;b never closed'],
    ['Jane <jane@example.com> <b>x</b>', 'Jane &lt;jane@example.com&gt; <b>x</b>'],
  ];
  for (const [text, expected] of cases) {
    test(text, () => {
      for (const kind of KINDS) assert.equal(clean(text, kind), expected);
    });
  }
});

test('allowed tags lose active attributes', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['<b onclick="alert(1)">x</b>', '<b>x</b>'],
    ['<a/onmouseover=alert(1)>x</a>', '<a>x</a>'],
    ['<img src=x onerror=alert(1)>', '<img src="x" />'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\tscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="&#106;avascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,<script>1</script>">x</a>', '<a>x</a>'],
    [
      '<a href="https://example.com" target="_blank">x</a>',
      '<a href="https://example.com" target="_blank">x</a>',
    ],
    ['<img src="data:image/png;base64,AAAA">', '<img src="data:image/png;base64,AAAA" />'],
    ['<p style="color:red;position:fixed;background:url(//x)">x</p>', '<p style="color: red">x</p>'],
    ['<p style="color: rgb(1, 2, 3)">x</p>', '<p style="color: rgb(1, 2, 3)">x</p>'],
    ['<p style="width: expression(alert(1))">x</p>', '<p>x</p>'],
    ['<p class="ql-align-center modal">x</p>', '<p class="ql-align-center">x</p>'],
    ['<p id="x" name="y">x</p>', '<p>x</p>'],
    ['<!-- note --><b>x</b>', '<b>x</b>'],
    ['<p title="<img src=x onerror=alert(1)>">x</p>', '<p title="&lt;img src=x onerror=alert(1)&gt;">x</p>'],
  ];
  for (const [text, expected] of cases) assert.equal(clean(text), expected, text);
});

test('the output of an editor is kept', () => {
  const text =
    '<h2>Title</h2><p>Some <strong>bold</strong>, <em>italic</em> &amp; <u>more</u>.<br /></p>' +
    '<ul><li data-list="bullet">one</li></ul><blockquote>quoted</blockquote><pre><code class="language-ts">a</code></pre>' +
    '<table><tbody><tr><td colspan="2">cell</td></tr></tbody></table>';
  assert.equal(clean(text), text);
});

test('a plain text keeps simple formatting, but no tables or pictures', () => {
  assert.equal(
    clean('<b>x</b> <a href="https://x.y/">y</a>', 'plain'),
    '<b>x</b> <a href="https://x.y/">y</a>',
  );
  assert.equal(clean('<img src="//x"><table>', 'plain'), '&lt;img src="//x"&gt;&lt;table&gt;');
  assert.equal(clean('<b style="color: red">x</b>', 'plain'), '<b>x</b>');
});

test('the number of tags in a document is limited', () => {
  assert.throws(() => clean('<b>'.repeat(LIMITS.htmlDepth + 1)), ServiceError);
  const half = '<b></b>'.repeat(LIMITS.htmlMarks / 8 + 1);
  const budget = htmlBudget();
  sanitiseHtml(half, 'rich', budget);
  assert.throws(() => sanitiseHtml(half, 'rich', budget), ServiceError);
  assert.equal(sanitiseHtml('a < b'.repeat(100_000), 'rich', budget).length, 500_000);
});

const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '<',
      '</',
      '<!--',
      '-->',
      '>',
      '/>',
      '"',
      "'",
      '=',
      ' ',
      '`',
      '&lt;',
      '&#60;',
      '&',
      '&quot;',
      '\n',
      '@x.y>',
    ],
    ...[
      'b',
      'p',
      'a',
      'img',
      'svg',
      'script',
      'style',
      'math',
      'textarea',
      'title',
      'noscript',
      'xmp',
      'li',
      'table',
    ],
    ...[' href="javascript:x"', ' onclick=x', ' style="color:red"', ' src=x', ' title="', ' class=ql-x', 'x'],
  ),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const html = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

// Read without the sanitiser's parser: every tag is one of these, with quoted attributes.
const SAFE_TAG =
  /^<(?:\/[a-z0-9]+|[a-z0-9]+(?: (?:href|title|rel|target|style|class|dir|lang|align|src|alt|width|height|data-[a-z-]+|colspan|rowspan|scope|start|type|color|border|cellpadding|cellspacing|span)="[^"<>]*")*(?: \/)?)>/;
const FORBIDDEN =
  /^<\/?(?:script|style|svg|math|textarea|title|noscript|xmp|iframe|object|embed|form|input|base|meta|link)\b/;

/** No element of any browser's, and without attributes. What stands before and behind it is apart. */
const ADDRESS = /<\w[^\s<>"'`=/@]*@[^\s<>"'`=/@]+>/g;

function assertHarmless(text: string): void {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const rest = text.slice(at, at + 2_000);
    if (!/^<(?:\/?[a-z]|[!?])/i.test(rest)) continue;
    assert.match(rest, SAFE_TAG, text);
    assert.doesNotMatch(rest, FORBIDDEN, text);
    const [tag = ''] = SAFE_TAG.exec(rest) ?? [];
    assert.doesNotMatch(tag, /javascript:/i, text);
  }
}

for (const kind of KINDS) {
  test(`sanitised ${kind} text is harmless and stays unchanged when sanitised again`, () => {
    fc.assert(
      fc.property(html, (text) => {
        const cleaned = clean(text, kind);
        assert.equal(clean(cleaned, kind), cleaned);
        assertHarmless(cleaned.replaceAll(ADDRESS, ' '));
      }),
      { numRuns: 5_000 },
    );
  });
}
