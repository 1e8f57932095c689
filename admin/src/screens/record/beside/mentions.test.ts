import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart, asHtml, fits, typedMention, withMention } from './mentions.ts';

const ANN = { id: 'ann@example.com', value: 'Ann' };
const ANN_B = { id: 'b&b@example.com', value: 'Ann "B" <x>' };

test('a mention begins with @ at the start of a word, before the caret', () => {
  const cases: readonly [text: string, typed: string | null][] = [
    ['@', ''],
    ['@an', 'an'],
    ['Hi @an', 'an'],
    ['Hi\n@an', 'an'],
    ['(@an', 'an'],
    ['@Ann Mi', 'Ann Mi'],
    ['@Ann M x', null],
    ['a@b', null],
    ['@an ', null],
    ['', null],
  ];
  for (const [text, typed] of cases) assert.equal(typedMention(text, text.length)?.text ?? null, typed, text);
  assert.deepEqual(typedMention('@ann later', 3), { at: 0, text: 'an' });
});

test('a chosen user takes the place of what was typed', () => {
  assert.deepEqual(withMention('Hi @an there', { at: 3, text: 'an' }, ANN), {
    text: 'Hi @Ann there',
    caret: 8,
  });
  assert.deepEqual(withMention('@', { at: 0, text: '' }, ANN), { text: '@Ann ', caret: 5 });
});

test('users of one name are told apart, and fit by name or address', () => {
  const other = { id: 'other@example.com', value: 'Ann' };
  assert.equal(apart(other, [ANN]).value, 'other@example.com');
  assert.equal(apart(ANN, [ANN]).value, 'Ann');
  assert.ok(fits(ANN, 'AN') && fits(ANN, 'example') && !fits(ANN, 'bob'));
});

test('mentions that are still in the text become elements, and all else is text', () => {
  const ann = '<span class="mention" data-id="ann@example.com" data-value="Ann">@Ann</span>';
  const cases: readonly [text: string, html: string][] = [
    ['@Ann', `<p>${ann}</p>`],
    ['@Ann, @Ann', `<p>${ann}, ${ann}</p>`],
    ['@Anna', '<p>@Anna</p>'],
    ['Ann', '<p>Ann</p>'],
    ['a\nb\n\nc', '<p>a<br>b</p><p>c</p>'],
    ['<b>&"', '<p>&lt;b&gt;&amp;&quot;</p>'],
    [
      '@Ann "B" <x>',
      '<p><span class="mention" data-id="b&amp;b@example.com" data-value="Ann &quot;B&quot; &lt;x&gt;">@Ann &quot;B&quot; &lt;x&gt;</span></p>',
    ],
  ];
  for (const [text, html] of cases) assert.equal(asHtml(text, [ANN, ANN_B]), html, text);
  assert.equal(asHtml('@Ann', []), '<p>@Ann</p>');
});
