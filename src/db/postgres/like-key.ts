import { type Sql, sql } from '../sql.ts';

/** True for text of ASCII alone, which needs no ICU: collation "C" folds exactly ASCII. */
export function isAscii(column: Sql): Sql {
  return sql`octet_length(${column}) = char_length(${column})`;
}

/** A text with its case folded, as `fold` does. */
export function inLowerCase(column: Sql): Sql {
  return sql`translate(lower(upper(lower((${column}) collate "und-x-icu"))), 'ς', 'σ')`;
}

/**
 * The folded text that `like` compares, by the shorter way for ASCII. An index for `like` contains exactly this
 * expression, so a change needs a migration of these indexes.
 */
export function likeKey(column: Sql): Sql {
  return sql`(case when ${isAscii(column)} then lower((${column}) collate "C") else ${inLowerCase(column)} collate "C" end)`;
}
