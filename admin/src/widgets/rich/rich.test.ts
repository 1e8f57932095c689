import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseHtml } from './parse-html.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { type RichNode, safeHref } from './rich-node.ts';

describe('formatted text as data', () => {
  test('keeps the words and the marks of HTML', () => {
    assert.deepEqual(parseHtml('<p>Hello <b>bold</b> &amp; <a href="https://a.example">there</a></p>'), [
      {
        tag: 'block',
        children: [
          'Hello ',
          { tag: 'strong', children: ['bold'] },
          ' & ',
          { tag: 'link', children: ['there'], href: 'https://a.example' },
        ],
      },
    ]);
  });

  test('drops scripts, and keeps the text of unknown tags', () => {
    assert.deepEqual(parseHtml('<script>steal()</script><marquee onstart=steal()>hi</marquee>'), ['hi']);
    assert.deepEqual(parseHtml('a < b and <3'), ['a ', '<', ' b and ', '<', '3']);
  });

  test('drops addresses that would run code', () => {
    for (const bad of [
      'javascript:alert(1)',
      ' java\nscript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      '/\\evil.example',
      'vbscript:x',
    ])
      assert.equal(safeHref(bad), undefined, bad);
    assert.equal(safeHref('/files/a.png'), '/files/a.png');
    assert.deepEqual(parseHtml('<a href="jav&#x09;ascript:alert(1)">x</a>'), [
      { tag: 'link', children: ['x'] },
    ]);
    assert.deepEqual(parseMarkdown('[x](javascript:alert)'), [
      { tag: 'block', children: ['[x](javascript:alert)'] },
    ]);
  });

  test('reads Markdown', () => {
    assert.deepEqual(
      parseMarkdown('# Title\n\n- one **b**\n- two\n\n```\n<b>code</b>\n```\ntext <i>as is</i>'),
      [
        { tag: 'heading', children: ['Title'] },
        {
          tag: 'ul',
          children: [
            { tag: 'li', children: ['one ', { tag: 'strong', children: ['b'] }] },
            { tag: 'li', children: ['two'] },
          ],
        },
        { tag: 'pre', children: ['<b>code</b>'] },
        { tag: 'block', children: ['text <i>as is</i>'] },
      ],
    );
  });

  test('reads inline marks of Markdown', () => {
    const cases: Readonly<Record<string, readonly RichNode[]>> = {
      'a `**b**` c': ['a ', { tag: 'code', children: ['**b**'] }, ' c'],
      '*a* _b_ __c__ ~~d~~': [
        ...[{ tag: 'em', children: ['a'] } as const, ' ', { tag: 'em', children: ['b'] } as const, ' '],
        ...[{ tag: 'strong', children: ['c'] } as const, ' ', { tag: 'strike', children: ['d'] } as const],
      ],
      'snake_case_name, 2 * 3 * 4, **open, [x] (y)': ['snake_case_name, 2 * 3 * 4, **open, [x] (y)'],
      '[[a](/b)': [{ tag: 'link', href: '/b', children: ['[a'] }],
      '[a] [b](/c)': ['[a] ', { tag: 'link', href: '/c', children: ['b'] }],
    };
    for (const [text, nodes] of Object.entries(cases)) {
      assert.deepEqual(parseMarkdown(text), [{ tag: 'block', children: nodes }], text);
    }
  });

  test('reads HTML with tag characters in attributes and texts', () => {
    const link = { tag: 'link', href: '/b', children: ['c'] } as const;
    assert.deepEqual(parseHtml(`<a title="1 > 0" href='/b'>c</a>`), [link]);
    assert.deepEqual(parseHtml('<!-- <b>x</b> -->y<!-- z'), ['y', '<', '!-- z']);
    assert.deepEqual(parseHtml('<a title="<b>x'), ['<', 'a title="', { tag: 'strong', children: ['x'] }]);
  });

  test('reads a heading with any characters', () => {
    assert.deepEqual(parseMarkdown('# a\u2028b'), [{ tag: 'heading', children: ['a\u2028b'] }]);
  });

  test('ends for any input, and never returns an unchecked address', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '</',
      'a',
      'script',
      ' href="javascript:x"',
      '"',
      "'",
      '<ul>',
      '<li>',
      '</li>',
      '<!--',
      '**',
      '`',
      '[',
      '](',
      ')',
      '\n',
      '# ',
      '- ',
      '&#60;',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        for (const nodes of [parseHtml(text), parseMarkdown(text)]) checkLinks(nodes);
      }),
    );
  });
});

function checkLinks(nodes: readonly RichNode[]): void {
  for (const node of nodes) {
    if (typeof node === 'string') continue;
    if (node.href !== undefined) assert.equal(safeHref(node.href), node.href);
    checkLinks(node.children);
  }
}
