import type { Dialect } from '../db/dialect.ts';
import { render, type Sql, type Statement } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { memo } from '../kernel/memo.ts';
import { Recent } from '../kernel/recent.ts';

/** Column sets of updates vary with what clients send; at most twice as many texts per doctype are kept. */
const KEPT = 250;

const textsOf = memo((_: DocType) => new Recent<string>(KEPT));

/**
 * Statement text, compiled once per doctype, dialect and key. Only the text is kept: bind its placeholders
 * with `withValues`, in order. `build` must depend on nothing but the doctype, the dialect and the key.
 */
export function statementText(doctype: DocType, dialect: Dialect, key: string, build: () => Sql): string {
  const kept = textsOf(doctype);
  const id = `${dialect.name} ${key}`;
  let text = kept.get(id);
  if (text === undefined) {
    text = render(build(), dialect.hole).text;
    kept.set(id, text);
  }
  return text;
}

/** A statement of cached text and new values. */
export function withValues(text: string, values: Statement['values']): Statement {
  return { text, values };
}
