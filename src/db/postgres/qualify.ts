import { literal, quote } from '../ddl.ts';

/**
 * Names the tables of a statement with their schema, so that it means the same on every connection: behind a
 * pooler, a search path would be lost. A table is a name in the place of one (after FROM, JOIN, INTO, UPDATE
 * and the like), quoted or beginning with an underscore. Names of WITH queries stay, and so do functions and
 * the tables of the catalog. `current_schema()` becomes the schema, too.
 */
export function qualify(text: string, schema: string): string {
  // Blocks of code name their tables themselves.
  if (text.startsWith('do ')) return text;
  const queries = namesOfWith(text);
  const place = new Place(/^\s*(?:create|alter|drop|lock|truncate|analyze)\b/i.test(text));
  let written = '';
  let done = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isTable = place.isOfTable && isName(token) && !queries.has(plain(token));
    if (isTable && text[index + token.length] !== '.') {
      written += `${text.slice(done, index)}${quote(schema)}.`;
      done = index;
    }
    place.pass(token);
  }
  return (written + text.slice(done)).replaceAll('current_schema()', `${literal(schema)}::name`);
}

const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[(),]/g;

function isName(token: string): boolean {
  return token.startsWith('"') || token.startsWith('_');
}

function plain(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1).replaceAll('""', '"') : token;
}

/** The names of WITH queries: `name as (`, or `name (columns) as materialized (`. */
function namesOfWith(text: string): ReadonlySet<string> {
  if (!/\bwith\b/i.test(text)) return NONE;
  const tokens = Array.from(text.matchAll(TOKEN), ([token]) => token);
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (token.toLowerCase() !== 'as') continue;
    let next = at + 1;
    while (BEFORE_QUERY.has(tokens[next]?.toLowerCase() ?? '')) next += 1;
    if (tokens[next] === '(') names.add(plain(tokens[nameBefore(tokens, at)] ?? ''));
  }
  return names;
}

/** The place of the name before a place, with or without a list of columns between. */
function nameBefore(tokens: readonly string[], place: number): number {
  if (tokens[place - 1] !== ')') return place - 1;
  return tokens.lastIndexOf('(', place) - 1;
}

const BEFORE_QUERY = new Set(['not', 'materialized']);
const NONE: ReadonlySet<string> = new Set();
const BEFORE_TABLE = new Set(['from', 'join', 'into', 'update']);
const BEFORE_TABLE_IN_DDL = new Set([...BEFORE_TABLE, 'table', 'view', 'on', 'references', 'analyze']);
/** Words between such a word and the name of the table. */
const BETWEEN = new Set(['only', 'lateral', 'if', 'not', 'exists']);
/** Functions that have a FROM among their arguments. */
const WITH_FROM = new Set(['extract', 'substring', 'trim', 'overlay']);

/** Follows the tokens of a statement, and knows whether a name would be that of a table. */
class Place {
  isOfTable = false;
  readonly #isDdl: boolean;
  /** For each open parenthesis: the word before it, and whether it holds a list of tables. */
  readonly #open = [{ word: '', listsTables: false }];
  #word = '';

  constructor(isDdl: boolean) {
    this.#isDdl = isDdl;
  }

  pass(token: string): void {
    const inner = this.#open.at(-1);
    const word = token.toLowerCase();
    if (token === '(') this.#open.push({ word: this.#word, listsTables: false });
    else if (token === ')') this.#open.pop();
    const isList = inner?.listsTables === true && token === ',';
    this.isOfTable = isList || (this.isOfTable && BETWEEN.has(word)) || this.#leadsToTable(word, inner?.word);
    if (inner && word === 'from') inner.listsTables = this.isOfTable;
    else if (inner && ENDS_LIST.has(word)) inner.listsTables = false;
    this.#word = word;
  }

  #leadsToTable(word: string, around = ''): boolean {
    if (word === 'index') return this.#isDdl && this.#word === 'drop';
    if (word === 'from' && (this.#word === 'distinct' || WITH_FROM.has(around))) return false;
    return (this.#isDdl ? BEFORE_TABLE_IN_DDL : BEFORE_TABLE).has(word);
  }
}

const ENDS_LIST = new Set([
  'where',
  'group',
  'order',
  'having',
  'limit',
  'offset',
  'union',
  'set',
  'returning',
]);
