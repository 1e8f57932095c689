import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { hashText } from '../dump/hash.ts';
import type { Engine, RowView } from '../dump/source.ts';
import type { Finding, FindingKind } from './finding.ts';
import { foldName } from './fold-name.ts';
import { HashTable } from './hash-table.ts';

/** Reports a finding about the current row at once. */
type Report = (kind: FindingKind, field: string | null, row: RowView) => void;

/**
 * Compares links with names over a whole dump, whatever the order of its tables: hashes of all names that a link
 * may have, and of each distinct link of each field, wait for the end.
 */
export class LinkScan {
  readonly #engine: Engine;
  readonly #registry: DoctypeRegistry;
  readonly #comes: (doctype: string) => boolean;
  readonly #names = new HashTable(LIMITS.plannedNames);
  readonly #foldedNames = new HashTable(LIMITS.plannedNames);
  readonly #links = new HashTable(LIMITS.plannedLinks, true);
  readonly #seeds = new Map<string, number>();
  readonly #fields: { readonly doctype: string; readonly field: string; readonly isParent: boolean }[] = [];
  comparedAll = true;

  constructor(engine: Engine, registry: DoctypeRegistry, comes: (doctype: string) => boolean) {
    this.#engine = engine;
    this.#registry = registry;
    this.#comes = comes;
    for (const { name } of registry.all()) this.#addName('DocType', name);
  }

  checks(doctype: DocType, at: ReadonlyMap<string, number>, report: Report): ((row: RowView) => void)[] {
    const checks: ((row: RowView) => void)[] = [];
    const nameAt = at.get('name');
    if (nameAt !== undefined && !doctype.istable) checks.push(this.#nameCheck(doctype.name, nameAt));
    for (const field of doctype.links) {
      const column = at.get(field.fieldname);
      if (column === undefined || field.options === 'DocType') continue;
      const target = this.#registry.find(field.options);
      if (!target || target.issingle || target.is_virtual) continue;
      if (this.#comes(field.options))
        checks.push(this.#linkCheck(doctype, field.fieldname, column, field.options));
      else checks.push(this.#leftCheck(field.fieldname, column, report));
    }
    for (const field of doctype.dynamicLinks) {
      const column = at.get(field.fieldname);
      const targetAt = at.get(field.options);
      if (column === undefined || targetAt === undefined) continue;
      checks.push(this.#dynamicCheck(doctype, field.fieldname, column, targetAt, report));
    }
    if (doctype.istable) checks.push(...this.#parentCheck(doctype, at, report));
    return checks;
  }

  *findings(): Generator<Finding> {
    const counts = new Map<
      string,
      { kind: FindingKind; doctype: string; field: string | null; count: number }
    >();
    for (const { hash, folded, kind, count } of this.#links.entries()) {
      const place = this.#fields[kind];
      // The hash of a link has its field in it, so that each field counts its own; the name's hash is the second.
      if (!place || this.#names.has(this.#unmixed(hash, kind))) continue;
      const found = this.#problem(folded, place.isParent);
      const key = `${found}|${kind}`;
      const entry = counts.get(key) ?? {
        kind: found,
        doctype: place.doctype,
        field: place.isParent ? null : place.field,
        count: 0,
      };
      entry.count += count;
      counts.set(key, entry);
    }
    for (const entry of counts.values()) yield { ...entry, examples: [] };
  }

  #problem(folded: number, isParent: boolean): FindingKind {
    if (this.#engine === 'mariadb' && this.#foldedNames.has(folded)) return 'link differs in case';
    return isParent ? 'row without parent' : 'broken link';
  }

  #nameCheck(doctype: string, at: number): (row: RowView) => void {
    const seed = this.#seedOf(doctype);
    return (row) => {
      const added = this.#names.add(row.hash(at, seed));
      if (this.#engine === 'mariadb')
        this.#foldedNames.add(hashText(foldName(String(row.cell(at) ?? '')), seed));
      if (!added) this.comparedAll = false;
    };
  }

  #addName(doctype: string, name: string): void {
    const seed = this.#seedOf(doctype);
    this.#names.add(hashText(name, seed));
    this.#foldedNames.add(hashText(foldName(name), seed));
  }

  #linkCheck(doctype: DocType, field: string, at: number, target: string): (row: RowView) => void {
    const kind = this.#fieldOf(doctype, field, false);
    const seed = this.#seedOf(target);
    return (row) => this.#link(row, at, kind, seed);
  }

  #leftCheck(field: string, at: number, report: Report): (row: RowView) => void {
    return (row) => {
      if (!row.isNull(at) && row.cell(at) !== '') report('link to a doctype left behind', field, row);
    };
  }

  #dynamicCheck(
    doctype: DocType,
    field: string,
    at: number,
    targetAt: number,
    report: Report,
  ): (row: RowView) => void {
    const kind = this.#fieldOf(doctype, field, false);
    const left = this.#leftCheck(field, at, report);
    return (row) => {
      if (row.isNull(at) || row.isNull(targetAt)) return;
      const target = String(row.cell(targetAt));
      if (target === '') return;
      const found = this.#registry.find(target);
      if (!found || !this.#comes(target)) left(row);
      else if (!found.issingle && !found.is_virtual) this.#link(row, at, kind, this.#seedOf(target));
    };
  }

  #parentCheck(
    doctype: DocType,
    at: ReadonlyMap<string, number>,
    report: Report,
  ): ((row: RowView) => void)[] {
    const parentAt = at.get('parent');
    const typeAt = at.get('parenttype');
    if (parentAt === undefined || typeAt === undefined) return [];
    const kind = this.#fieldOf(doctype, 'parent', true);
    return [
      (row) => {
        const type = String(row.cell(typeAt) ?? '');
        const parent = this.#registry.find(type);
        if (row.isNull(parentAt) || type === '') report('row without parent', null, row);
        else if (!parent || !this.#comes(type)) report('row of a doctype left behind', null, row);
        else if (!parent.issingle) this.#link(row, parentAt, kind, this.#seedOf(type));
      },
    ];
  }

  #link(row: RowView, at: number, kind: number, seed: number): void {
    if (row.isNull(at)) return;
    const hash = row.hash(at, seed);
    if (hash === emptyHash(seed)) return;
    const folded = () => hashText(foldName(String(row.cell(at) ?? '')), seed);
    if (!this.#links.count(this.#unmixed(hash, kind), kind, folded)) this.comparedAll = false;
  }

  /** Its own inverse: mixes the number of a field into a hash, or takes it out. */
  #unmixed(hash: number, kind: number): number {
    const high = Math.floor(hash / 2 ** 32);
    const low = (hash ^ Math.imul(kind + 1, 0x9e3779b1)) >>> 0;
    return high * 2 ** 32 + low;
  }

  #seedOf(doctype: string): number {
    let seed = this.#seeds.get(doctype);
    if (seed === undefined) {
      seed = this.#seeds.size + 1;
      this.#seeds.set(doctype, seed);
    }
    return seed;
  }

  #fieldOf({ name }: DocType, field: string, isParent: boolean): number {
    this.#fields.push({ doctype: name, field, isParent });
    return this.#fields.length - 1;
  }
}

const empty = new Map<number, number>();

/** The hash of the empty text. */
function emptyHash(seed: number): number {
  let hash = empty.get(seed);
  if (hash === undefined) {
    hash = hashText('', seed);
    empty.set(seed, hash);
  }
  return hash;
}
