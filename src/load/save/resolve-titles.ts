import { ident, join, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { readContext } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { pickDocuments } from '../../document/list/list.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import type { LoadProblem } from '../problems.ts';
import type { KeyedRecord } from '../record.ts';
import type { SaveOptions } from './save-options.ts';
import { problemsAt } from './save-problems.ts';

/** What the text of a link stands for: a name, by itself or by a title; null for a title of several documents. */
interface Meaning {
  readonly name: string | null;
}

/** A record whose links are names. */
export interface ResolvedRecord extends KeyedRecord {
  readonly problems: readonly LoadProblem[];
}

/**
 * Replaces titles in Link fields by the names of the documents that have them, as the user sees them. A name wins over
 * a title. A title of several documents is a problem; any other text stays, for the check of links.
 */
export class TitleResolver {
  readonly #options: SaveOptions;
  readonly #known = new Recent<Meaning>(REMEMBERED);

  constructor(options: SaveOptions) {
    this.#options = options;
  }

  async resolve(records: readonly KeyedRecord[]): Promise<readonly ResolvedRecord[]> {
    const { site, user, doctype } = this.#options;
    const ctx = readContext(site, user);
    const asked = new Map<string, Set<string>>();
    for (const record of records)
      eachLink(ctx, doctype, record.values, (target, value) => {
        if (this.#known.get(`${target}\n${value}`) !== undefined) return;
        asked.set(target, (asked.get(target) ?? new Set()).add(value));
      });
    const found = new Map<string, Meaning>();
    for (const [target, values] of asked) await this.#look(ctx, target, [...values], found);
    return records.map((record) => this.#replaced(ctx, record, found));
  }

  async #look(
    ctx: Context,
    target: string,
    values: readonly string[],
    found: Map<string, Meaning>,
  ): Promise<void> {
    const doctype = ctx.doctypes.find(target);
    if (!doctype || doctype.title_field === '' || doctype.rowsFrom === 'controller') return;
    for (let start = 0; start < values.length; start += LIMITS.inValues / 2) {
      const some = values.slice(start, start + LIMITS.inValues / 2);
      const names = await existing(ctx, doctype, some);
      for (const name of names) this.#learn(found, target, name, name);
      const titles = some.filter((value) => !names.has(value));
      if (titles.length > 0) await this.#lookByTitle(ctx, doctype, titles, found);
    }
  }

  async #lookByTitle(
    ctx: Context,
    doctype: DocType,
    titles: readonly string[],
    found: Map<string, Meaning>,
  ): Promise<void> {
    const { name: target, title_field: title } = doctype;
    const filters = [[title, 'in', titles]];
    const parameters = { fields: ['name', title], filters, limit_page_length: LIMITS.inValues * 2 };
    const rows = await pickDocuments(ctx, target, parameters).catch((error: unknown) => {
      // Who may not list the documents names them.
      if (error instanceof ServiceError) return [];
      throw error;
    });
    const byTitle = Map.groupBy(rows, (row) => String(row[title]));
    for (const value of titles) {
      const [first, second] = byTitle.get(value) ?? [];
      // A document with this name or title may come later in the file.
      if (first) this.#learn(found, target, value, second ? null : String(first['name']));
    }
  }

  #learn(found: Map<string, Meaning>, target: string, value: string, name: string | null): void {
    found.set(`${target}\n${value}`, { name });
    this.#known.set(`${target}\n${value}`, { name });
  }

  #replaced(ctx: Context, record: KeyedRecord, found: ReadonlyMap<string, Meaning>): ResolvedRecord {
    const { doctype } = this.#options;
    const problems = [...(record.problems ?? [])];
    let values = record.values;
    eachLink(ctx, doctype, record.values, (target, value, place) => {
      const key = `${target}\n${value}`;
      const meaning = found.get(key) ?? this.#known.get(key);
      if (!meaning || meaning.name === value) return;
      if (meaning.name === null) {
        problems.push(
          ...problemsAt(record, [place], [`Several documents of ${target} have the title "${value}"`]),
        );
      } else values = withValue(values, place, meaning.name);
    });
    return { ...record, values, problems };
  }
}

const REMEMBERED = 20_000;

/** Where a value is in a record. */
interface Place {
  readonly fieldname: string;
  readonly table?: string;
  /** From 1. */
  readonly row?: number;
}

function eachLink(
  ctx: Context,
  doctype: DocType,
  values: Fields,
  visit: (target: string, value: string, place: Place) => void,
): void {
  for (const { fieldname, options } of doctype.links) {
    const value = values[fieldname];
    if (typeof value === 'string' && value !== '') visit(options, value, { fieldname });
  }
  for (const table of doctype.tables) {
    const rows = values[table.fieldname];
    if (!Array.isArray(rows)) continue;
    const { links } = ctx.doctypes.get(table.options);
    for (const [at, row] of rows.entries())
      for (const { fieldname, options } of links) {
        const value: unknown = isRecord(row) ? row[fieldname] : null;
        if (typeof value === 'string' && value !== '')
          visit(options, value, { fieldname, table: table.fieldname, row: at + 1 });
      }
  }
}

function withValue(values: Fields, { fieldname, table, row = 0 }: Place, value: string): Fields {
  if (table === undefined) return { ...values, [fieldname]: value };
  const rows = [...(values[table] as readonly Fields[])];
  rows[row - 1] = { ...rows[row - 1], [fieldname]: value };
  return { ...values, [table]: rows };
}

async function existing(
  ctx: Context,
  doctype: DocType,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = join(names.map((name) => sql`${nameKey(doctype, name)}`));
  const rows = await ctx.db.all(sql`select "name" from ${ident(doctype.name)} where "name" in (${keys})`);
  return new Set(rows.map((row) => String(row['name'])));
}
