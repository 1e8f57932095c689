import { listRight } from '../access/list-right.ts';
import { allows } from '../access/permission.ts';
import { fold } from '../db/fold.ts';
import type { DocType } from '../doctype/doctype.ts';
import { NAME_SCHEMA } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { listDocuments } from '../document/list/list.ts';
import { LIMITS } from '../kernel/limits.ts';
import { listedFields } from '../query/listed-fields.ts';
import { OPTIONAL_TEXT, TEXT, whole } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const FOUND = object({
  doctype: { type: 'string' },
  name: NAME_SCHEMA,
  title: { type: 'string' },
  content: { type: 'string' },
  rank: { type: 'integer', minimum: 1, maximum: 4 },
});

/** Finds documents of every doctype. */
export const globalSearchOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.utils.global_search.search',
    summary: 'Find documents of every doctype by name, title and search fields, best matches first',
    effect: 'read',
    access: 'user',
    args: {
      text: TEXT,
      start: whole(0, LIMITS.globalSearchResults),
      limit: whole(20, LIMITS.globalSearchResults),
      doctype: OPTIONAL_TEXT,
    },
    result: { type: 'array', items: FOUND },
    run: async (ctx, { text, start, limit, doctype }) => {
      const typed = text.trim().slice(0, LIMITS.globalSearchText).trimEnd();
      const words = wordsOf(typed);
      if (words.length === 0) return [];
      const doctypes = searchedDoctypes(ctx, doctype);
      const rows = Math.floor(LIMITS.globalSearchRows / Math.max(1, doctypes.length));
      const found: Match[] = [];
      for (const one of doctypes) found.push(...(await matchesIn(ctx, one, typed, words, rows)));
      return found
        .toSorted((a, b) => b.rank - a.rank || b.named - a.named || compare(b.modified, a.modified))
        .slice(start, start + limit)
        .map(({ modified: _modified, named: _named, ...shown }) => shown);
    },
  }),
];

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * How well a document fits: its name or title is the text, or begins with it; its words begin words of a
 * value; or it contains them.
 */
const RANK = { exact: 4, prefix: 3, word: 2, contains: 1 } as const;

interface Match {
  readonly doctype: string;
  readonly name: string | number;
  readonly title: string;
  /** The values that were searched, as Frappe writes them: `Label : value ||| Label : value`. */
  readonly content: string;
  readonly rank: number;
  /** The name is the text: 3, in another case: 2, begins with it: 1, otherwise 0. */
  readonly named: number;
  readonly modified: string;
}

function wordsOf(typed: string): readonly string[] {
  return [...new Set(fold(typed).split(/\s+/))]
    .filter((word) => word !== '')
    .slice(0, LIMITS.globalSearchWords);
}

/** Built-in doctypes that people look for by name. The others are notes and rules of the system. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'File',
  'OAuth Client',
  'Role',
  'Role Profile',
  'User',
  'Webhook',
]);

function searchedDoctypes({ doctypes, user }: Context, only: string | undefined): readonly DocType[] {
  const all = only === undefined || only === '' ? doctypes.all() : [doctypes.get(only)];
  return all
    .filter((one) => one.rowsFrom === 'table' && !one.istable && !one.issingle)
    .filter((one) => one.app !== 'standard' || BUILT_IN.has(one.name) || only !== undefined)
    .filter((one) => allows(user, one, 'read') && listRight(user, one) === 'read')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, LIMITS.globalSearchDoctypes);
}

/** The matches among the newest `rows` documents that the user may read, and the one of exactly this name. */
async function matchesIn(
  ctx: Context,
  doctype: DocType,
  typed: string,
  words: readonly string[],
  rows: number,
): Promise<readonly Match[]> {
  const fields = searchedFields(ctx, doctype);
  const isRandom = doctype.autoname === 'hash' && fields.length > 0;
  const among = isRandom ? fields : ['name', ...fields];
  const read = { fields: ['name', 'modified', ...fields], order_by: 'modified desc' };
  const oldest = await oldestSearched(ctx, doctype, rows);
  const each = words.map((word) =>
    joined(
      'or',
      among.map((field) => [field, 'like', `%${word.replace(/[\\%_]/g, '\\$&')}%`]),
    ),
  );
  const newest = oldest === null ? [] : [['modified', '>=', oldest]];
  const found = await listDocuments(ctx, doctype.name, {
    ...read,
    filters: [joined('and', [...each, ...newest])],
    limit_page_length: LIMITS.globalSearchCandidates,
  });
  // Newer matches may have pushed it out of the candidates.
  const named = await listDocuments(ctx, doctype.name, { ...read, filters: [['name', '=', typed]] });
  const byName = new Map([...found, ...named].map((row) => [row['name'], row]));
  return [...byName.values()].map((row) => matchOf(doctype, fields, row, typed));
}

// The time of the last of so many documents; null if there are not more. An index has them in this order.
async function oldestSearched(ctx: Context, doctype: DocType, rows: number): Promise<unknown> {
  const [last] = await listDocuments(ctx, doctype.name, {
    fields: ['modified'],
    order_by: 'modified desc',
    limit_start: rows,
    limit_page_length: 1,
  });
  return last?.['modified'] ?? null;
}

function joined(word: 'and' | 'or', conditions: readonly unknown[]): unknown {
  return conditions.length === 1
    ? conditions[0]
    : conditions.flatMap((one, at) => (at === 0 ? [one] : [word, one]));
}

/** The title, the search fields and the fields marked for it, as far as the user may read them. */
function searchedFields(ctx: Context, doctype: DocType): readonly string[] {
  const readable = listedFields({ user: ctx.user, right: 'read' }, doctype);
  const marked = doctype.fields.filter((field) => field.in_global_search).map((field) => field.fieldname);
  const named = [doctype.title_field, ...doctype.search_fields.split(','), ...marked].map((one) =>
    one.trim(),
  );
  const texts = named.filter((name) => {
    const field = doctype.fieldByName.get(name);
    const isText = doctype.columnByName.get(name)?.kind === 'text' && field?.fieldtype !== 'Password';
    return field && isText && (readable === 'all' || readable.has(name));
  });
  return [...new Set(texts)].slice(0, LIMITS.globalSearchFields);
}

function matchOf(
  doctype: DocType,
  fields: readonly string[],
  row: Readonly<Record<string, unknown>>,
  typed: string,
): Match {
  const name = row['name'] as string | number;
  const values = fields.flatMap((field) =>
    row[field] === null || row[field] === '' ? [] : [[field, String(row[field])] as const],
  );
  const title = String(row[doctype.title_field] || name);
  return {
    doctype: doctype.name,
    name,
    title: title.slice(0, LIMITS.globalSearchValue),
    content: values
      .map(
        ([field, value]) =>
          `${doctype.fieldByName.get(field)?.label ?? field} : ${value.slice(0, LIMITS.globalSearchValue)}`,
      )
      .join(' ||| '),
    rank: Math.max(
      rankOf(String(name), typed),
      ...values.map(([field, value]) =>
        Math.min(rankOf(value, typed), field === doctype.title_field ? RANK.exact : RANK.word),
      ),
    ),
    named: namedBy(String(name), typed),
    modified: String(row['modified']),
  };
}

// The customer of this name comes before the invoices that show it as their title.
function namedBy(name: string, typed: string): number {
  if (name === typed) return 3;
  const [here, text] = [fold(name), fold(typed)];
  return here === text ? 2 : here.startsWith(text) ? 1 : 0;
}

function rankOf(value: string, typed: string): number {
  const here = fold(value.slice(0, LIMITS.globalSearchValue)).trim();
  const text = fold(typed);
  if (here === text) return RANK.exact;
  if (here.startsWith(text)) return RANK.prefix;
  return text.split(/\s+/).every((word) => beginsWord(here, word)) ? RANK.word : RANK.contains;
}

/** True if the text has this somewhere, and no letter or digit before it. */
function beginsWord(text: string, sought: string): boolean {
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    if (!/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))) return true;
  }
  return false;
}
