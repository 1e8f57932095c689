import { type RichNode, safeHref } from './rich-node.ts';

/** Characters read: a preview of more helps nobody. */
const LONGEST = 100_000;

/** Markdown as data: headings, lists, quotes, code, emphasis and links. HTML in it stays the text that it is. */
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
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (/^\s*$/.test(line)) at += 1;
    else if (/^```/.test(line)) {
      at += 1;
      const code = take((one) => !/^```/.test(one));
      at += 1;
      blocks.push({ tag: 'pre', children: [code.join('\n')] });
    } else if (heading) {
      at += 1;
      blocks.push({ tag: 'heading', children: inline(heading[2] ?? '') });
    } else if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) {
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

const BULLET = /^\s*[-*+]\s+/;
const NUMBER = /^\s*\d+[.)]\s+/;

function isPlain(line: string): boolean {
  return !/^\s*$|^```|^#{1,6}\s|^>/.test(line) && !BULLET.test(line) && !NUMBER.test(line);
}

function list(tag: 'ul' | 'ol', lines: readonly string[], mark: RegExp): RichNode {
  return { tag, children: lines.map((line) => ({ tag: 'li', children: inline(line.replace(mark, '')) })) };
}

const MARKS =
  /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\b_([^_\s][^_]*)_\b|~~([^~]+)~~|\[([^\]]*)\]\(([^()\s]*)\)/;

function inline(text: string): RichNode[] {
  const nodes: RichNode[] = [];
  let rest = text;
  for (let found = MARKS.exec(rest); found; found = MARKS.exec(rest)) {
    if (found.index > 0) nodes.push(rest.slice(0, found.index));
    nodes.push(marked(found));
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest !== '') nodes.push(rest);
  return nodes;
}

function marked(found: RegExpExecArray): RichNode {
  const [whole, code, strong, strong2, em, em2, strike, label, address] = found;
  if (code !== undefined) return { tag: 'code', children: [code] };
  const bold = strong ?? strong2;
  if (bold !== undefined) return { tag: 'strong', children: [bold] };
  const slanted = em ?? em2;
  if (slanted !== undefined) return { tag: 'em', children: [slanted] };
  if (strike !== undefined) return { tag: 'strike', children: [strike] };
  const href = safeHref(address ?? '');
  return href === undefined ? whole : { tag: 'link', href, children: [label ?? ''] };
}
