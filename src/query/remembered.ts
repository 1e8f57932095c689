import type { FieldSet } from '../access/field-level.ts';
import type { DocType } from '../doctype/doctype.ts';
import { memo2 } from '../kernel/memo.ts';

// Entries per doctype and set of readable fields. Longer keys and further ones are not cached.
const MOST = 200;
const LONGEST_KEY = 2_000;

const EVERYTHING = {};
const always = () => true;

/**
 * A cache of parsed `fields` and `order_by`, which requests repeat endlessly. Results depend on the doctype
 * and the readable fields, both compared by identity. Equal requests get the same object, so that its
 * compiled form can be cached in turn. No entry outlives its doctype.
 */
export class Remembered<T> {
  readonly #known = memo2((_: DocType, _fields: object) => new Map<string, T>());

  /** `lasts`: the result is valid for all users with these readable fields; otherwise it is not cached. */
  get(
    doctype: DocType,
    readable: FieldSet,
    key: string,
    make: () => T,
    lasts: (made: T) => boolean = always,
  ): T {
    const byKey = this.#known(doctype, readable === 'all' ? EVERYTHING : readable);
    const found = byKey.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (key.length <= LONGEST_KEY && byKey.size < MOST && lasts(made)) byKey.set(key, made);
    return made;
  }
}
