import type { FieldSet } from '../access/field-level.ts';
import type { DocType } from '../doctype/doctype.ts';

// Per doctype and set of readable fields. Longer keys and further ones are worked out each time.
const MOST = 200;
const LONGEST_KEY = 2_000;

const EVERYTHING = {};
const always = () => true;

/**
 * Requests repeat their `fields` and `order_by` endlessly. Both depend on the doctype and on the readable fields,
 * which are identities; what is made of them once is one object for all, so that what is compiled from it can be
 * remembered in turn. Nothing outlives its doctype.
 */
export class Remembered<T> {
  readonly #known = new WeakMap<DocType, WeakMap<object, Map<string, T>>>();

  /** `lasts`: what was made holds for everyone with these readable fields; else it is made anew for each request. */
  get(
    doctype: DocType,
    readable: FieldSet,
    key: string,
    make: () => T,
    lasts: (made: T) => boolean = always,
  ): T {
    let byFields = this.#known.get(doctype);
    if (!byFields) {
      byFields = new WeakMap();
      this.#known.set(doctype, byFields);
    }
    const identity = readable === 'all' ? EVERYTHING : readable;
    let byKey = byFields.get(identity);
    if (!byKey) {
      byKey = new Map();
      byFields.set(identity, byKey);
    }
    const found = byKey.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (key.length <= LONGEST_KEY && byKey.size < MOST && lasts(made)) byKey.set(key, made);
    return made;
  }
}
