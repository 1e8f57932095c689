import type { OpenBytes } from '../exchange/line.ts';
import type { Fields } from '../kernel/value.ts';
import type { LoadProblem } from './problems.ts';

/** A file as a source sees it. */
export interface SourceFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Distinguishes its content from that of other files of this name. */
  readonly fingerprint: string;
  readonly open: OpenBytes;
}

/** One document of a source. */
export interface SourceRecord {
  readonly doctype: string;
  /** Distinguishes it within its source and doctype: its name, or the number of its row. */
  readonly key: string;
  /**
   * By fieldname, with the rows of child tables as lists; also `name`, `owner`, `creation`, `modified`,
   * `modified_by`, `idx` and `docstatus`. A record of a child doctype is a row, with `parent`, `parenttype` and
   * `parentfield`.
   */
  readonly values: Fields;
  /** Its row or line in the file, from 1, for the log; absent where that says nothing. */
  readonly row?: number;
  /** A digest of its content, if the source has one at hand; the engine computes it otherwise. */
  readonly hash?: string;
  /** Values that the source could not read; an import refuses the record. */
  readonly problems?: readonly LoadProblem[];
  /** For each table, the rows of the file that its rows come from. */
  readonly places?: ReadonlyMap<string, readonly number[]>;
}

/** A record with the digest of its content. */
export interface KeyedRecord extends SourceRecord {
  readonly hash: string;
}

/** A record that a source cannot read, such as a line that is not JSON. It counts as failed. */
export interface BrokenRecord {
  readonly row: number;
  readonly reason: string;
}

/**
 * Where records come from. A source is read from its start at every run, in the same order: what the ledger knows is
 * skipped. It holds only a few records in memory at a time.
 */
export interface LoadSource {
  /** What it is (a file, a site) and a fingerprint of its content: the same text means the same records. */
  readonly id: string;
  /** For people: the file name, or the address of the site. */
  readonly label: string;
  /** The number of records; null when it is unknown before the end. */
  readonly total: number | null;
  /** The records in order. Aborted by `return` of the iterator, which closes files. */
  records(): AsyncIterable<SourceRecord | BrokenRecord>;
  /** The part that has been read, from 0 to 1; null when unknown. */
  part(): number | null;
}
