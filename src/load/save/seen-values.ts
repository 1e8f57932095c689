import type { DocType } from '../../doctype/doctype.ts';
import type { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { LoadOutcome } from '../applier.ts';
import { contentHash } from '../batches.ts';
import type { ResolvedRecord } from './resolve-titles.ts';
import type { SaveOptions } from './save-options.ts';
import { problemsAt } from './save-problems.ts';
import { keyForm, type Saved } from './save-record.ts';

/**
 * The names and unique values of the records that a check has seen: it stores none, so the database does not know them.
 * Remembers `LIMITS.importSeenValues`.
 */
export class SeenValues {
  readonly #doctype: DocType;
  readonly #mode: SaveOptions['mode'];
  readonly #keyField: string;
  readonly #rows = new Map<string, number>();

  constructor({ doctype, mode, keyField }: SaveOptions) {
    this.#doctype = doctype;
    this.#mode = mode;
    this.#keyField = keyField;
  }

  /** The outcome of a record that can be saved by itself: it fails if another one has its name or unique value. */
  outcomeOf(record: ResolvedRecord, saved: Saved): LoadOutcome {
    const problems = [...this.#keysOf(record, saved)].flatMap(([fieldname, value]) => {
      const key = contentHash(`${fieldname}\n${value}`);
      const row = this.#rows.get(key);
      if (row === undefined) {
        if (this.#rows.size < LIMITS.importSeenValues) this.#rows.set(key, record.row ?? 0);
        return [];
      }
      // A check that tries a record again has seen it.
      if (row === record.row) return [];
      return problemsAt(record, [{ fieldname }], [`Row ${row} has the same ${this.#labelOf(fieldname)}`]);
    });
    if (problems.length === 0) return { action: saved.action, problems };
    if (this.#mode === 'Insert' || problems.some(({ field }) => field !== this.#keyField)) {
      return { action: 'failed', problems };
    }
    // Both change one document, the later one last.
    return { action: 'updated', problems: problems.map((one) => ({ ...one, kind: 'changed' })) };
  }

  /** True if the record only links to documents that earlier records of the file create. */
  explains({ values }: ResolvedRecord, { type, details }: ServiceError): boolean {
    const { places = [] } = details;
    if (type !== 'LinkValidationError' || places.length === 0) return false;
    return places.every((place) => {
      if (!place || place.table !== undefined) return false;
      const field = this.#doctype.fieldByName.get(place.fieldname);
      const value = values[place.fieldname];
      return field?.options === this.#doctype.name && this.#rows.has(contentHash(`name\n${String(value)}`));
    });
  }

  #keysOf({ values }: ResolvedRecord, { name, action }: Saved): ReadonlyMap<string, string> {
    const keys = new Map<string, string>();
    for (const { fieldname, unique } of this.#doctype.fields) {
      const value = values[fieldname];
      if ((unique || fieldname === this.#keyField) && value !== null && value !== undefined && value !== '')
        keys.set(fieldname, String(this.#finds(fieldname) ? keyForm(value) : value));
    }
    // Numbers of series are the same in each unit that is undone.
    const isChosen = action !== 'inserted' || name === '' || String(values['name'] ?? '') === name;
    const byField = /^field:(.+)$/.exec(this.#doctype.autoname)?.[1];
    const chosen = byField === undefined ? (isChosen ? (values['name'] ?? name) : '') : values[byField];
    if (chosen !== null && chosen !== undefined && chosen !== '') keys.set('name', String(chosen));
    return keys;
  }

  /** Whether documents are found by a field. */
  #finds(fieldname: string): boolean {
    return this.#mode !== 'Insert' && fieldname === this.#keyField;
  }

  #labelOf(fieldname: string): string {
    return fieldname === 'name' ? 'name' : this.#doctype.fieldByName.get(fieldname)?.label || fieldname;
  }
}
