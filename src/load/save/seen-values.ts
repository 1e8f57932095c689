import type { SqlValue } from '../../db/sql.ts';
import { autonameField } from '../../document/naming/naming.ts';
import type { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fields } from '../../kernel/value.ts';
import type { LoadOutcome } from '../applier.ts';
import { contentHash } from '../batches.ts';
import { documentKey, type Identity, identitiesOf, identityKey, keyForm } from './identities.ts';
import type { ResolvedRecord } from './resolve-titles.ts';
import type { SaveOptions } from './save-options.ts';
import { problemsAt } from './save-problems.ts';
import type { Saved } from './save-record.ts';

/**
 * The names and unique values of the records that a check has seen: it stores none, so the database does not know them.
 * Remembers `LIMITS.importSeenValues`, each with the first row of its document.
 */
export class SeenValues {
  readonly #options: SaveOptions;
  readonly #rows = new Map<string, number>();

  constructor(options: SaveOptions) {
    this.#options = options;
  }

  /**
   * The outcome of a record that can be saved by itself: it fails if another document of the file has its name or
   * unique value.
   */
  outcomeOf(record: ResolvedRecord, saved: Saved): LoadOutcome {
    const { doctype, keyField } = this.#options;
    // All change the one document.
    if (doctype.issingle) return { action: saved.action, problems: [] };
    const { row = 0, values } = record;
    const document = documentKey(this.#options, values);
    const first = document === null ? row : (this.#rowOf(keyField, document) ?? row);
    const keys = this.#keysOf(record, saved);
    const taken = keys.flatMap(({ fieldname, value }) => {
      const other = this.#rowOf(fieldname, value);
      // A check that tries a record again has seen it.
      if (other === null || other === first || other === row) return [];
      return problemsAt(record, [{ fieldname }], [this.#sameAs(other, fieldname)]);
    });
    if (taken.length > 0) return { action: 'failed', problems: taken };
    for (const key of keys) this.#note(key, first);
    if (first === row) return { action: saved.action, problems: [] };
    // Both change one document, the later one last.
    const problems = problemsAt(record, [{ fieldname: keyField }], [this.#sameAs(first, keyField)]);
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
      const value = String(keyForm(values[place.fieldname]));
      return field?.options === doctype.name && this.#rowOf('name', value) !== null;
    });
  }

  /** The identities that its document would have. */
  #keysOf({ values }: ResolvedRecord, saved: Saved): readonly Identity[] {
    const stated = identitiesOf(this.#options, values).filter(({ fieldname }) => fieldname !== 'name');
    const name = this.#nameOf(values, saved);
    return name === null ? stated : [...stated, { fieldname: 'name', value: name }];
  }

  /** Null for a name from a series: each unit of work that is undone gets the same number. */
  #nameOf(values: Fields, { action, name }: Saved): string | null {
    if (action !== 'inserted') return name;
    const given = values[autonameField(this.#options.doctype) ?? 'name'];
    const chosen = given === null || given === undefined ? '' : String(keyForm(given));
    return chosen !== '' && (name === '' || chosen === name) ? chosen : null;
  }

  /** The first row of the document that has this value; null if no row has it. */
  #rowOf(fieldname: string, value: SqlValue): number | null {
    return this.#rows.get(seenKey(fieldname, value)) ?? null;
  }

  #note({ fieldname, value }: Identity, row: number): void {
    const key = seenKey(fieldname, value);
    if (!this.#rows.has(key) && this.#rows.size < LIMITS.importSeenValues) this.#rows.set(key, row);
  }

  #sameAs(row: number, fieldname: string): string {
    const label = this.#options.doctype.fieldByName.get(fieldname)?.label || fieldname;
    return `Row ${row} has the same ${label}`;
  }
}

function seenKey(fieldname: string, value: SqlValue): string {
  return contentHash(identityKey({ fieldname, value }));
}
