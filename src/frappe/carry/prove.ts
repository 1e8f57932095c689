import { loadSecret } from '../../access/secret.ts';
import { ident, join, sql } from '../../db/sql.ts';
import type { DocField, DocType } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { layoutOf } from '../../document/layout.ts';
import type { Fields } from '../../kernel/value.ts';
import { groupsOf } from '../../load/batches.ts';
import { entryKey, knownKeys } from '../../load/ledger.ts';
import type { SourceRecord } from '../../load/record.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { Scratch } from '../input/scratch.ts';
import { type ComparedColumn, Comparison } from './compare.ts';
import { type FrappeRecords, rowsOf } from './records.ts';

/** The rows of one doctype, in the source and here. */
export interface ProvedTable {
  readonly doctype: string;
  /** Rows in the source. */
  readonly source: number;
  /** Of these, documents that were here before, and stayed as they were. */
  readonly skipped: number;
  /** Of these, rows that this server refused; the log of the load gives reasons. */
  readonly failed: number;
  /** Rows here that the import stored. */
  readonly here: number;
}

export interface Proof {
  readonly tables: readonly ProvedTable[];
  readonly columns: readonly ComparedColumn[];
  readonly secrets: { readonly source: number; readonly equal: number };
}

/** Rows of a table that came and that no load refused, but that are not here. */
export function missingRows({ source, skipped, failed, here }: ProvedTable): number {
  return Math.max(0, source - skipped - failed - here);
}

/** Whether all rows and secrets are here. Values may differ: HTML is sanitised, for example. */
export function isComplete({ tables, secrets }: Proof): boolean {
  return secrets.equal === secrets.source && tables.every((table) => missingRows(table) === 0);
}

/** Documents compared at a time; fewer where they are large. */
const BATCH = 200;

/** Compares every value of the converted source with what is stored here. Changes nothing. */
export async function prove(
  site: OpenSite,
  load: string,
  records: FrappeRecords,
  scratch: Scratch,
  tell: (done: number) => void,
): Promise<Proof> {
  const prover = new Prover(site, load);
  let done = 0;
  for (const doctype of records.doctypes) {
    const converted = rowsOf(scratch, doctype).map((row) => records.record(doctype, row));
    for (const group of groupsOf(converted, BATCH)) {
      await prover.compare(doctype, group);
      done += group.length;
      tell(done);
    }
  }
  return prover.result();
}

interface Count {
  source: number;
  skipped: number;
  failed: number;
  here: number;
}

class Prover {
  readonly #site: OpenSite;
  readonly #load: string;
  readonly #comparisons = new Map<DocType, Comparison>();
  readonly #counts = new Map<DocType, Count>();
  readonly #secrets = { source: 0, equal: 0 };

  constructor(site: OpenSite, load: string) {
    this.#site = site;
    this.#load = load;
  }

  async compare(doctype: DocType, records: readonly SourceRecord[]): Promise<void> {
    if (records.length === 0) return;
    const known = await knownKeys(this.#site.database.reader, this.#load, records);
    const stored: { readonly name: string; readonly values: Fields }[] = [];
    for (const record of records) {
      const entry = known.get(entryKey(record));
      const isSkipped = entry?.action === 'skipped' || entry?.action === 'kept';
      if (entry && !isSkipped) stored.push({ name: entry.name, values: record.values });
      const change = { source: 1, skipped: isSkipped ? 1 : 0, failed: entry ? 0 : 1 };
      this.#count(doctype, change);
      for (const table of doctype.tables) {
        const rows = rowsIn(record.values, table);
        const child = this.#site.doctypes.find(table.options);
        if (!child || rows.length === 0) continue;
        const of = (part: number) => part * rows.length;
        this.#count(child, { source: rows.length, skipped: of(change.skipped), failed: of(change.failed) });
      }
    }
    if (stored.length === 0) return;
    await this.#compareDocuments(doctype, stored);
    for (const table of doctype.tables) await this.#compareRows(doctype, table, stored);
    await this.#compareSecrets(doctype, stored);
  }

  result(): Proof {
    return {
      tables: [...this.#counts].map(([{ name }, count]) => ({ doctype: name, ...count })),
      columns: [...this.#comparisons.values()].flatMap((comparison) => comparison.result()),
      secrets: this.#secrets,
    };
  }

  async #compareDocuments(
    doctype: DocType,
    stored: readonly { readonly name: string; readonly values: Fields }[],
  ): Promise<void> {
    const comparison = this.#comparisonOf(doctype);
    const keys = join(stored.map(({ name }) => sql`${nameKey(doctype, name)}`));
    const columns = join(comparison.columns.map(ident));
    const rows = await this.#site.database.reader.all(
      sql`select ${columns} from ${ident(doctype.name)} where "name" in (${keys})`,
    );
    const here = new Map(rows.map((row) => [String(row['name']), row]));
    for (const { name, values } of stored) comparison.add(name, { ...values, name }, here.get(name) ?? null);
    this.#count(doctype, { here: rows.length });
  }

  async #compareRows(
    doctype: DocType,
    table: DocField,
    stored: readonly { readonly name: string; readonly values: Fields }[],
  ): Promise<void> {
    const child = this.#site.doctypes.find(table.options);
    if (!child) return;
    const place = { parenttype: doctype.name, parentfield: table.fieldname };
    const comparison = this.#comparisonOf(child);
    const parents = join(stored.map(({ name }) => sql`${name}`));
    const rows = await this.#site.database.reader.all(
      sql`select ${join(comparison.columns.map(ident))} from ${ident(child.name)}
          where "parenttype" = ${doctype.name} and "parentfield" = ${table.fieldname} and "parent" in (${parents})`,
    );
    const here = new Map(rows.map((row) => [String(row['name']), row]));
    for (const { name: parent, values } of stored) {
      for (const [index, row] of rowsIn(values, table).entries()) {
        const name = String(row['name']);
        const idx = Number(row['idx'] ?? 0) || index + 1;
        comparison.add(name, { ...row, ...place, parent, idx }, here.get(name) ?? null);
        here.delete(name);
      }
    }
    for (const [name, row] of here) comparison.add(name, null, row);
    this.#count(child, { here: rows.length });
  }

  async #compareSecrets(
    doctype: DocType,
    stored: readonly { readonly name: string; readonly values: Fields }[],
  ): Promise<void> {
    for (const { fieldname } of layoutOf(doctype).passwords) {
      for (const { name, values } of stored) {
        const clear = values[fieldname];
        if (typeof clear !== 'string') continue;
        this.#secrets.source += 1;
        const here = await loadSecret(this.#site, this.#site.database.reader, doctype.name, name, fieldname);
        if (here === clear) this.#secrets.equal += 1;
      }
    }
  }

  #comparisonOf(doctype: DocType): Comparison {
    let comparison = this.#comparisons.get(doctype);
    if (!comparison) {
      comparison = new Comparison(doctype);
      this.#comparisons.set(doctype, comparison);
    }
    return comparison;
  }

  #count(doctype: DocType, change: Partial<Count>): void {
    const count = this.#counts.get(doctype) ?? { source: 0, skipped: 0, failed: 0, here: 0 };
    for (const key of ['source', 'skipped', 'failed', 'here'] as const) count[key] += change[key] ?? 0;
    this.#counts.set(doctype, count);
  }
}

function rowsIn(values: Fields, { fieldname }: DocField): readonly Fields[] {
  const rows: unknown = values[fieldname];
  return Array.isArray(rows) ? (rows as Fields[]) : [];
}
