import type { FieldValue } from '../kernel/value.ts';

/** A value bound to a placeholder of a statement. */
export type SqlValue = FieldValue | Uint8Array;

type Part = { readonly text: string } | { readonly name: string } | { readonly value: SqlValue };

/**
 * A piece of SQL: constant text from our source, identifiers from metadata, and bound values. Request text
 * can only become a bound value; no function turns a string into SQL text.
 */
export class Sql {
  readonly parts: readonly Part[];
  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }
}

/** Statement text with placeholders, and their values in order. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The tag: sql`select ${ident('name')} from ${ident(table)} where ${ident('name')} = ${name}`. */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql {
  const parts: Part[] = [];
  for (const [index, text] of strings.entries()) {
    if (text !== '') parts.push({ text });
    if (index < values.length) {
      const value = values[index];
      if (value instanceof Sql) parts.push(...value.parts);
      else parts.push({ value: value ?? null });
    }
  }
  return new Sql(parts);
}

/** A quoted identifier. The name must come from metadata, never from a request. */
export function ident(name: string): Sql {
  return new Sql([{ name }]);
}

export const EMPTY = new Sql([]);

/** Joins pieces with a constant separator. */
export function join(pieces: readonly Sql[], separator: ', ' | ' and ' | ' or ' | ' ' = ', '): Sql {
  const parts: Part[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) parts.push({ text: separator });
    parts.push(...piece.parts);
  }
  return new Sql(parts);
}

/** The pieces joined by commas, at most `most` of them together: a function takes so many arguments. */
export function chunks(pieces: readonly Sql[], most: number): Sql[] {
  return Array.from({ length: Math.ceil(pieces.length / most) }, (_, at) =>
    join(pieces.slice(at * most, (at + 1) * most)),
  );
}

/** Renders to text and values. `hole` gives the placeholder of a 1-based position (`?`, `$1`). */
export function render(query: Sql, hole: (position: number) => string): Statement {
  let text = '';
  const values: SqlValue[] = [];
  for (const part of query.parts) {
    if ('text' in part) text += part.text;
    else if ('name' in part) text += `"${part.name.replaceAll('"', '""')}"`;
    else {
      values.push(part.value);
      text += hole(values.length);
    }
  }
  return { text, values };
}
