import type { ListQuery } from '../../../data/documents.ts';
import { eachPage, type Row } from '../../../grid/list-requests.ts';
import { isChosen, type Selection } from '../../../grid/list-selection.ts';
import { BATCH, fetchTitles } from '../../../meta/link-titles.ts';
import type { ExportColumn } from './export-columns.ts';

/** Rows per request: enough for speed, and for the server's audit log to record an export. */
const ROWS = 2_000;
/** Names per request, limited by the length of an address. */
const NAMES = 100;

/** The selected documents of a query, page by page, so that memory holds one page. */
export async function* chosenRows(
  doctype: string,
  query: ListQuery,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  if (selection.mode === 'all') {
    for await (const rows of eachPage(doctype, query, ROWS, signal))
      yield rows.filter((row) => isChosen(selection, String(row['name'])));
    return;
  }
  const names = [...selection.names];
  for (let at = 0; at < names.length; at += NAMES) {
    const filters = [['name', 'in', names.slice(at, at + NAMES)] as const];
    yield* eachPage(doctype, { fields: query.fields, filters, order_by: query.order_by }, NAMES, signal);
  }
}

/** Puts titles in the place of linked names. Asks for each title once. */
export class LinkTitles {
  readonly #known = new Map<string, Map<string, string>>();
  readonly #links: readonly ExportColumn[];
  readonly #signal: AbortSignal;

  constructor(columns: readonly ExportColumn[], signal: AbortSignal) {
    this.#links = columns.filter(({ field }) => ['Link', 'Dynamic Link'].includes(field.fieldtype));
    this.#signal = signal;
  }

  async replaced(docs: readonly Row[]): Promise<readonly Row[]> {
    if (this.#links.length === 0) return docs;
    for (const [doctype, names] of this.#missing(docs))
      for (let at = 0; at < names.length; at += BATCH) {
        const found = await fetchTitles(doctype, names.slice(at, at + BATCH), this.#signal);
        const known = this.#of(doctype);
        for (const [name, title] of found) known.set(name, title);
      }
    return docs.map((doc) => this.#titled(doc));
  }

  #missing(docs: readonly Row[]): readonly (readonly [string, readonly string[]])[] {
    const missing = new Map<string, Set<string>>();
    for (const doc of docs)
      for (const column of this.#links)
        for (const row of rowsOf(doc, column)) {
          const [doctype, name] = linkOf(row, column);
          if (name === '' || this.#of(doctype).has(name)) continue;
          missing.set(doctype, (missing.get(doctype) ?? new Set()).add(name));
        }
    return [...missing].map(([doctype, names]) => [doctype, [...names]]);
  }

  #titled(doc: Row): Row {
    const changed: Record<string, unknown> = { ...doc };
    for (const { table } of this.#links)
      if (table !== null && Array.isArray(doc[table]))
        changed[table] = doc[table].map((row: Row) => ({ ...row }));
    for (const column of this.#links)
      for (const row of rowsOf(changed, column) as Record<string, unknown>[]) {
        const [doctype, name] = linkOf(row, column);
        if (name !== '') row[column.field.fieldname] = this.#of(doctype).get(name) ?? name;
      }
    return changed;
  }

  #of(doctype: string): Map<string, string> {
    const known = this.#known.get(doctype) ?? new Map<string, string>();
    this.#known.set(doctype, known);
    return known;
  }
}

function rowsOf(doc: Row, { table }: ExportColumn): readonly Row[] {
  if (table === null) return [doc];
  const rows = doc[table];
  return Array.isArray(rows) ? (rows as Row[]) : [];
}

function linkOf(row: Row, { field, beside }: ExportColumn): readonly [string, string] {
  const doctype = field.fieldtype === 'Link' ? field.options : String((beside && row[beside]) ?? '');
  return [doctype, String(row[field.fieldname] ?? '')];
}
