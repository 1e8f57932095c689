import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { noteText } from '../../../doctype/note.ts';
import { otherProperties } from '../../../doctype/other-properties.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { nearMiss } from '../../../kernel/near-miss.ts';
import { recordsIn } from '../../../kernel/value.ts';
import type { DefinedApp } from './defined-apps.ts';
import type { Definition } from './stored-definitions.ts';

/** Keys of a definition without a column of DocType. */
const WITHOUT_COLUMN: ReadonlySet<string> = new Set(['indexes']);

/** Keys of Frappe's definitions that resemble a misspelled key of ours. */
const FRAPPE_KEYS: ReadonlySet<string> = new Set(['colour']);

/**
 * Refuses keys of a definition or its rows that resemble a misspelled property: `{"role": "Reader", "raed":
 * 1}`. `meta` knows the metadata doctypes; `doctypeName` is the one that describes this definition.
 * @throws ServiceError ValidationError with every problem in `details.messages`
 */
export function checkKnownKeys(definition: Definition, meta: DoctypeRegistry, doctypeName: string): void {
  const problems = objectsOf(definition, meta, doctypeName).flatMap(({ title, keys, known }) =>
    keys.flatMap((key) => {
      const meant = FRAPPE_KEYS.has(key) ? undefined : nearMiss(key, known);
      return meant === undefined ? [] : [`${title}: unknown property ${key}; did you mean ${meant}?`];
    }),
  );
  const [first] = problems;
  if (first !== undefined) throw new ServiceError('ValidationError', first, { messages: problems });
}

/** The notes on the doctypes, and the properties of the apps' definitions without effect: one sentence each. */
export function notesOn(
  doctypes: readonly DocType[],
  apps: readonly DefinedApp[],
  meta: DoctypeRegistry,
): string[] {
  const odd = doctypes.flatMap(({ app, notes }) => notes.map((note) => ofApp(app, noteText(note))));
  const unused = apps.flatMap(({ app, definitions }) => {
    const unknown = definitions.flatMap((definition) =>
      objectsOf(definition, meta, 'DocType').flatMap(({ keys }) => keys),
    );
    const names = [...new Set(unknown)].sort().join(', ');
    return names === '' ? [] : [ofApp(app.name, `these properties have no effect: ${names}`)];
  });
  return [...odd, ...unused];
}

function ofApp(app: string, note: string): string {
  return app === '' ? note : `App ${app}: ${note}`;
}

interface KeyedObject {
  /** For messages: `Permission in row 1`. */
  readonly title: string;
  /** The keys that are not in `known`. */
  readonly keys: readonly string[];
  readonly known: readonly string[];
}

/** The definition itself, and each row of its child tables. */
function objectsOf(definition: Definition, meta: DoctypeRegistry, doctypeName: string): KeyedObject[] {
  const doctype = meta.get(doctypeName);
  const rows = doctype.tables.flatMap(({ fieldname, options, label }) =>
    recordsIn(definition[fieldname]).map((row, index) =>
      keyed(`${label} in row ${index + 1}`, row, meta.get(options)),
    ),
  );
  return [keyed(`${doctypeName} ${definition['name'] ?? ''}`.trim(), definition, doctype), ...rows];
}

function keyed(title: string, object: Definition, doctype: DocType): KeyedObject {
  const known = [...doctype.fieldByName.keys()];
  const keys = Object.keys(otherProperties(object, doctype)).filter((key) => !WITHOUT_COLUMN.has(key));
  return { title, keys, known };
}
