import { autonameField } from '../../document/naming/naming.ts';
import type { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fields } from '../../kernel/value.ts';
import type { LoadOutcome } from '../applier.ts';
import { contentHash } from '../batches.ts';
import { identitiesOf } from './identities.ts';
import type { ResolvedRecord } from './resolve-titles.ts';
import type { SaveOptions } from './save-options.ts';
import { problemsAt } from './save-problems.ts';
import type { Saved } from './save-record.ts';

/**
 * The names and unique values of the records that a check has seen: it stores none, so the database does not know them.
 * Remembers `LIMITS.importSeenValues`.
 */
export class SeenValues {
  readonly #options: SaveOptions;
  readonly #rows = new Map<string, number>();

  constructor(options: SaveOptions) {
    this.#options = options;
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
    const { mode, keyField } = this.#options;
    if (mode === 'Insert' || problems.some(({ field }) => field !== keyField)) {
      return { action: 'failed', problems };
    }
    // Both change one document, the later one last.
    return { action: 'updated', problems: problems.map((one) => ({ ...one, kind: 'changed' })) };
  }

  /** True if the record only links to documents that earlier records of the file create. */
  explains({ values }: ResolvedRecord, { type, details }: ServiceError): boolean {
    const { places = [] } = details;
    const { doctype } = this.#options;
    if (type !== 'LinkValidationError' || places.length === 0) return false;
    return places.every((place) => {
      if (!place || place.table !== undefined) return false;
      const field = doctype.fieldByName.get(place.fieldname);
      const value = values[place.fieldname];
      return field?.options === doctype.name && this.#rows.has(contentHash(`name\n${String(value)}`));
    });
  }

  /** What its document would have, by field. */
  #keysOf({ values }: ResolvedRecord, saved: Saved): ReadonlyMap<string, unknown> {
    const stated = identitiesOf(this.#options, values).filter(({ fieldname }) => fieldname !== 'name');
    const keys = new Map<string, unknown>(stated.map(({ fieldname, value }) => [fieldname, value]));
    const name = this.#nameOf(values, saved);
    if (name !== null && name !== undefined && name !== '') keys.set('name', name);
    return keys;
  }

  #nameOf(values: Fields, { action, name }: Saved): unknown {
    const { doctype, keyField } = this.#options;
    // Another field has found it.
    if (action !== 'inserted') return keyField === 'name' ? name : null;
    const namedBy = autonameField(doctype);
    if (namedBy !== null) return values[namedBy];
    // Numbers of series are the same in each unit that is undone.
    return name === '' || String(values['name'] ?? '') === name ? values['name'] : null;
  }

  #labelOf(fieldname: string): string {
    return fieldname === 'name'
      ? 'name'
      : this.#options.doctype.fieldByName.get(fieldname)?.label || fieldname;
  }
}
