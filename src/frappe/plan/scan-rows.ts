import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { DumpTable, Engine, RowHandler, RowView } from '../dump/source.ts';
import type { SourceDatabase } from '../input/read-database.ts';
import type { Finding, FindingKind } from './finding.ts';
import { LinkScan } from './link-scan.ts';
import { doctypeOf } from './read-schema.ts';
import { isBeyondDouble, isZeroDate } from './values.ts';

export interface ScannedRows {
  /** Rows by table. */
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** False when there were more names or links than the plan compares. */
  readonly comparedAll: boolean;
}

/** Reads every row of the tables that come, and counts what will not stay as it is. */
export async function scanRows(
  source: SourceDatabase,
  registry: DoctypeRegistry,
  comes: (doctype: string) => boolean,
): Promise<ScannedRows> {
  const counts = new Map<string, number>();
  const scan = new RowScan(source.engine, registry, comes);
  await source.read({
    table(table) {
      const doctype = doctypeOf(table.name);
      const found = doctype !== null && comes(doctype) ? registry.find(doctype) : undefined;
      const check = found && !found.issingle ? scan.checker(table, found) : null;
      let count = 0;
      counts.set(table.name, 0);
      return (row) => {
        count += 1;
        counts.set(table.name, count);
        check?.(row);
      };
    },
  });
  return { counts, ...scan.result() };
}

class RowScan {
  readonly #links: LinkScan;
  readonly #found = new Map<
    string,
    { -readonly [K in keyof Finding]: Finding[K] } & { examples: string[] }
  >();

  constructor(engine: Engine, registry: DoctypeRegistry, comes: (doctype: string) => boolean) {
    this.#links = new LinkScan(engine, registry, comes);
  }

  checker(table: DumpTable, doctype: DocType): RowHandler {
    const at = new Map(table.columns.map((column, index) => [column.name, index]));
    const nameAt = at.get('name') ?? -1;
    const checks: ((row: RowView) => void)[] = [];
    for (const [index, { name, type }] of table.columns.entries()) {
      const check = this.#columnCheck(doctype, name, type, index, nameAt);
      if (check) checks.push(check);
    }
    checks.push(
      ...this.#links.checks(doctype, at, (kind, field, row) => this.#note(kind, doctype, field, row, nameAt)),
    );
    return (row) => {
      for (const check of checks) check(row);
    };
  }

  result(): Pick<ScannedRows, 'findings' | 'comparedAll'> {
    return {
      findings: [...this.#found.values(), ...this.#links.findings()].sort(byDoctype),
      comparedAll: this.#links.comparedAll,
    };
  }

  #columnCheck(
    doctype: DocType,
    name: string,
    type: string,
    at: number,
    nameAt: number,
  ): ((row: RowView) => void) | null {
    if (name === 'name') {
      return (row) => {
        const text = row.cell(at);
        if (typeof text === 'string' && isLong(text)) this.#note('long name', doctype, null, row, nameAt);
      };
    }
    if (!isKnown(doctype, name)) {
      const isNumber = /int|decimal|numeric|real|double/.test(type);
      return (row) => {
        if (row.isNull(at)) return;
        const value = row.cell(at);
        if (value === '' || (isNumber && Number(value) === 0)) return;
        this.#note('unknown column', doctype, name, row, nameAt);
      };
    }
    if (/^(?:date|timestamp)/.test(type) || type === '' || type === 'text') {
      const { kind } = doctype.columnByName.get(name) ?? {};
      if (kind !== 'date' && kind !== 'datetime') return null;
      return (row) => {
        if (isZeroDate(row.cell(at))) this.#note('date of zeros', doctype, name, row, nameAt);
      };
    }
    if (!/^(?:decimal|numeric)/.test(type)) return null;
    return (row) => {
      if (isBeyondDouble(row.cell(at))) this.#note('decimal beyond a double', doctype, name, row, nameAt);
    };
  }

  #note(
    kind: FindingKind,
    { name: doctype }: DocType,
    field: string | null,
    row: RowView,
    nameAt: number,
  ): void {
    const key = `${kind}|${doctype}|${field}`;
    let finding = this.#found.get(key);
    if (!finding) {
      finding = { kind, doctype, field, count: 0, examples: [] };
      this.#found.set(key, finding);
    }
    finding.count += 1;
    if (finding.examples.length < LIMITS.importExamples)
      finding.examples.push(String(row.cell(nameAt) ?? ''));
  }
}

const SIDE = new Set(['_comments', '_seen', '_last_update', 'lft', 'rgt', 'old_parent']);

/** Columns of the source that an import reads or that this server keeps in its own way. */
export function isKnown(doctype: DocType, column: string): boolean {
  return (
    doctype.columnByName.has(column) ||
    doctype.fieldByName.has(column) ||
    SIDE.has(column) ||
    isPlace(doctype, column)
  );
}

// Frappe gave normal doctypes these columns in former versions.
function isPlace(doctype: DocType, column: string): boolean {
  return !doctype.istable && ['parent', 'parentfield', 'parenttype'].includes(column);
}

function isLong(name: string): boolean {
  return name.length > LIMITS.nameLength && [...name.normalize('NFC')].length > LIMITS.nameLength;
}

function byDoctype(one: Finding, other: Finding): number {
  return one.kind === other.kind ? (one.doctype < other.doctype ? -1 : 1) : one.kind < other.kind ? -1 : 1;
}
