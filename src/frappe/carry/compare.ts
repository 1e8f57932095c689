import type { DocColumn, DocType } from '../../doctype/doctype.ts';
import { datetimeText } from '../../doctype/fieldtypes/date.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { memo } from '../../kernel/memo.ts';
import type { Fields } from '../../kernel/value.ts';
import { hashText } from '../dump/hash.ts';

/** A column of a table, compared over all of its rows. */
export interface ComparedColumn {
  readonly doctype: string;
  readonly column: string;
  /** Sums of the hashes of all values with the names of their rows, in hexadecimal. */
  readonly source: string;
  readonly here: string;
  /** Rows whose values differ. */
  readonly differing: number;
  readonly examples: readonly { readonly name: string; readonly source: string; readonly here: string }[];
}

const SUM = 2 ** 48;
const SHOWN = 80;

interface Column {
  source: number;
  here: number;
  differing: number;
  readonly examples: { name: string; source: string; here: string }[];
}

/** Compares rows of one doctype, value by value, and sums them up. */
export class Comparison {
  readonly #doctype: DocType;
  readonly #columns: readonly DocColumn[];
  readonly #sums: Column[];

  constructor(doctype: DocType) {
    this.#doctype = doctype;
    this.#columns = comparedColumns(doctype);
    this.#sums = this.#columns.map(() => ({ source: 0, here: 0, differing: 0, examples: [] }));
  }

  /** The columns that it reads of a stored row. */
  get columns(): readonly string[] {
    return this.#columns.map(({ fieldname }) => fieldname);
  }

  add(name: string, source: Fields | null, here: Fields | null): void {
    for (const [at, column] of this.#columns.entries()) {
      const sum = this.#sums[at];
      if (!sum) continue;
      const given = source?.[column.fieldname];
      // A single may lack its owner and its times; this server has them always.
      if (column.field === null && source !== null && given === undefined) continue;
      const one = source === null ? null : expected(column, given);
      const other = here === null ? null : textOf(here[column.fieldname]);
      if (one !== null) sum.source = (sum.source + digest(name, one)) % SUM;
      if (other !== null) sum.here = (sum.here + digest(name, other)) % SUM;
      if (one === other) continue;
      sum.differing += 1;
      if (sum.examples.length < LIMITS.importExamples) {
        sum.examples.push({ name, source: shown(one), here: shown(other) });
      }
    }
  }

  result(): ComparedColumn[] {
    return this.#columns.map(({ fieldname }, at) => {
      const { source = 0, here = 0, differing = 0, examples = [] } = this.#sums[at] ?? {};
      const hex = (sum: number) => sum.toString(16).padStart(12, '0');
      return {
        doctype: this.#doctype.name,
        column: fieldname,
        source: hex(source),
        here: hex(here),
        differing,
        examples,
      };
    });
  }
}

/** Columns that the import makes anew: digests of files, the type of users by their roles, masks of secrets. */
const MADE_HERE: Readonly<Record<string, readonly string[]>> = {
  File: ['content_hash', 'file_size'],
  User: ['user_type'],
};

const TREE: ReadonlySet<string> = new Set(['lft', 'rgt', 'old_parent']);

const comparedColumns = memo((doctype: DocType): readonly DocColumn[] =>
  doctype.columns.filter(
    ({ fieldname, field }) =>
      field?.fieldtype !== 'Password' &&
      !TREE.has(fieldname) &&
      MADE_HERE[doctype.name]?.includes(fieldname) !== true,
  ),
);

/** The text of a value as this server should have stored it; the empty text for an unset one. */
function expected({ kind, field, empty }: DocColumn, value: unknown): string {
  if (value === undefined || value === null) return textOf(empty);
  if (!field) {
    if (kind === 'datetime') return datetimeText(String(value)) ?? String(value);
    return typeof value === 'string' ? value.normalize('NFC') : textOf(value);
  }
  try {
    return textOf(fieldtypeOf(field).coerce(value, field));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return textOf(value);
  }
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function digest(name: string, value: string): number {
  return hashText(`${name}\0${value}`, 1) % SUM;
}

function shown(value: string | null): string {
  return value === null ? '(no row)' : value.slice(0, SHOWN);
}
