import { inline } from './parse-marks.ts';
import type { RichNode } from './rich-node.ts';

/** Maximum characters read: a longer preview is useless. */
const LONGEST = 100_000;

/** Parses Markdown into data: headings, lists, quotes, code, emphasis and links. HTML in it stays text. */
export function parseMarkdown(source: string): readonly RichNode[] {
  const lines = source.slice(0, LONGEST).split(/\r?\n/);
  const blocks: RichNode[] = [];
  let at = 0;
  const take = (test: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (at < lines.length && test(lines[at] ?? '')) {
      taken.push(lines[at] ?? '');
      at += 1;
    }
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = HEADING.exec(line);
    if (/^\s*$/.test(line)) at += 1;
    else if (/^```/.test(line)) {
      at += 1;
      const code = take((one) => !/^```/.test(one));
      at += 1;
      blocks.push({ tag: 'pre', children: [code.join('\n')] });
    } else if (heading) {
      at += 1;
      blocks.push({ tag: 'heading', children: inline(line.slice(heading[0].length).trimStart()) });
    } else if (/^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replaceAll(/\s/g, ''))) {
      at += 1;
      blocks.push({ tag: 'rule', children: [] });
    } else if (/^>/.test(line)) {
      const quoted = take((one) => /^>/.test(one)).map((one) => one.replace(/^>\s?/, ''));
      blocks.push({ tag: 'quote', children: inline(quoted.join('\n')) });
    } else if (BULLET.test(line))
      blocks.push(
        list(
          'ul',
          take((one) => BULLET.test(one)),
          BULLET,
        ),
      );
    else if (NUMBER.test(line))
      blocks.push(
        list(
          'ol',
          take((one) => NUMBER.test(one)),
          NUMBER,
        ),
      );
    else blocks.push({ tag: 'block', children: inline(take(isPlain).join('\n')) });
  }
  return blocks;
}

const HEADING = /^#{1,6}\s/;
const BULLET = /^\s*[-*+]\s+/;
const NUMBER = /^\s*\d+[.)]\s+/;

function isPlain(line: string): boolean {
  return !/^\s*$|^```|^>/.test(line) && !HEADING.test(line) && !BULLET.test(line) && !NUMBER.test(line);
}

function list(tag: 'ul' | 'ol', lines: readonly string[], mark: RegExp): RichNode {
  return { tag, children: lines.map((line) => ({ tag: 'li', children: inline(line.replace(mark, '')) })) };
}
