import type { DocField } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { convertCell, isFlag } from './convert-cell.ts';
import { type Cell, isEmpty } from './line.ts';
import type { Locale } from './locale.ts';
import type { Target, Targets } from './targets.ts';

/** A column of a file, or a key of its objects. */
export interface Column {
  /** The head, or `#3` where it is empty or occurs twice. Mappings name columns by it. */
  readonly key: string;
  readonly head: string;
}

/** A column with the target that its cells fill; null when they are left out. */
export interface MatchedColumn extends Column {
  readonly target: Target | null;
  /** Why: the mapping says so, the head is a fieldname or label, or the values fit only this field. */
  readonly by: 'mapping' | 'head' | 'shape' | null;
}

/** The column that a report of failed rows adds. An import leaves it out. */
export const REASON_HEAD = 'Reason (not imported)';

/** Columns from the heads of a file. */
export function columnsOf(heads: readonly string[]): readonly Column[] {
  const counts = new Map<string, number>();
  for (const head of heads) counts.set(head, (counts.get(head) ?? 0) + 1);
  return heads.map((head, at) => ({
    head,
    key: head.trim() !== '' && counts.get(head) === 1 ? head : `#${at + 1}`,
  }));
}

/** Chooses targets, by a mapping of column keys to target keys; '' and null leave a column out. */
export class Matcher {
  readonly #targets: Targets;
  readonly #mapping: ReadonlyMap<string, Target | null>;
  readonly #taken = new Map<Target, string>();
  readonly #known = new Map<string, MatchedColumn>();

  /** @throws ServiceError ValidationError for a target that the doctype does not have, or one that is used twice */
  constructor(targets: Targets, mapping: Fields = {}) {
    this.#targets = targets;
    this.#mapping = new Map(Object.entries(mapping).map(([key, to]) => [key, targetNamed(targets, key, to)]));
    for (const [key, target] of this.#mapping) if (target) this.#take(target, key);
  }

  #take(target: Target, key: string): void {
    const other = this.#taken.get(target);
    if (other !== undefined && other !== key) {
      throw new ServiceError('ValidationError', `Columns ${other} and ${key} both fill ${target.key}`);
    }
    this.#taken.set(target, key);
  }

  /** A column with its target, by the mapping, else by its head if no other column has the target. */
  match(column: Column): MatchedColumn {
    const known = this.#known.get(column.key);
    if (known) return known;
    const matched = this.#found(column);
    this.#known.set(column.key, matched);
    return matched;
  }

  #found(column: Column): MatchedColumn {
    const mapped = this.#mapping.get(column.key);
    if (mapped !== undefined) return { ...column, target: mapped, by: 'mapping' };
    const isReason = column.head === REASON_HEAD;
    const target = isReason ? undefined : this.#targets.named(column.head);
    if (!target || this.#taken.has(target)) return { ...column, target: null, by: null };
    this.#taken.set(target, column.key);
    return { ...column, target, by: 'head' };
  }

  /** A suggestion for a column without a target: the only free field of the document that holds all its values. */
  suggest(column: MatchedColumn, samples: readonly Cell[], locale: Locale): MatchedColumn {
    if (column.by !== null || column.head === REASON_HEAD) return column;
    const values = samples.filter((cell) => !isEmpty(cell));
    if (values.length === 0) return column;
    for (const isOfKind of KINDS) {
      const free = this.#targets.all.filter(
        ({ field, table }) => field !== null && table === null && isOfKind(field),
      );
      const fitting = free.filter((target) => !this.#taken.has(target) && fits(target, values, locale));
      const [only] = fitting;
      if (!only || fitting.length > 1) continue;
      this.#taken.set(only, column.key);
      return { ...column, target: only, by: 'shape' };
    }
    return column;
  }
}

function targetNamed(targets: Targets, key: string, to: unknown): Target | null {
  if (to === null || to === undefined || to === '') return null;
  const target = typeof to === 'string' ? (targets.byKey.get(to) ?? targets.named(to)) : null;
  if (target) return target;
  throw new ServiceError(
    'ValidationError',
    `Column ${key} cannot fill ${String(to)}: there is no such field`,
  );
}

// Only fields whose values have a shape of their own, the narrowest kind first.
const KINDS: readonly ((field: DocField) => boolean)[] = [
  // A series is chosen by rules, which any text passes here.
  ({ fieldname, fieldtype, options }) =>
    fieldtype === 'Select' && options.trim() !== '' && fieldname !== 'naming_series',
  ({ fieldtype }) => fieldtype === 'Check',
  ({ fieldtype }) => fieldtype === 'Datetime' || fieldtype === 'Date',
  ({ fieldtype }) => fieldtype === 'Time',
  ({ fieldtype, options }) => fieldtype === 'Data' && ['Email', 'URL', 'Phone'].includes(options),
  ({ fieldtype }) => ['Int', 'Float', 'Currency', 'Percent'].includes(fieldtype),
];

function fits({ field }: Target, values: readonly Cell[], locale: Locale): boolean {
  if (!field) return false;
  // Zeros and ones are numbers, unless a word is among them.
  if (field.fieldtype === 'Check') {
    const texts = values.map(String);
    return texts.every(isFlag) && texts.some((text) => !/^\s*[01]\s*$/.test(text));
  }
  return values.every((value) => {
    try {
      convertCell(value, field, locale);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  });
}
