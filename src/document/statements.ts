import type { Dialect } from '../db/dialect.ts';
import { render, type Sql, type Statement } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';

const texts = new WeakMap<DocType, Map<string, string>>();

/** Column sets of updates vary with what clients send; this many texts per doctype are kept. */
const KEPT = 500;

/**
 * Statement text, compiled once per doctype, dialect and key. Only the text is kept: bind the holes of `build`
 * with `withValues`, in order. `build` must depend on nothing but the doctype, the dialect and the key.
 */
export function statementText(doctype: DocType, dialect: Dialect, key: string, build: () => Sql): string {
  let kept = texts.get(doctype);
  if (!kept) {
    kept = new Map();
    texts.set(doctype, kept);
  }
  const id = `${dialect.name} ${key}`;
  let text = kept.get(id);
  if (text === undefined) {
    text = render(build(), dialect.hole).text;
    if (kept.size >= KEPT) kept.clear();
    kept.set(id, text);
  }
  return text;
}

/** A statement of kept text and fresh values. */
export function withValues(text: string, values: Statement['values']): Statement {
  return { text, values };
}
