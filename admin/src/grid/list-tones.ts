import { choicesOf } from '../meta/field-values.ts';
import type { Field } from '../meta/meta.ts';

/** Colours of values. The text itself carries the meaning. */
export type Hue = 'gray' | 'blue' | 'green' | 'yellow' | 'red' | 'violet';

const TELLING: readonly (readonly [RegExp, Hue])[] = [
  [
    /^(closed|completed?|done|paid|approved|active|enabled|delivered|success(ful)?|resolved|published|passed|ok)$/i,
    'green',
  ],
  [
    /^(failed|error|rejected|cancelled|canceled|overdue|exhausted|expired|blocked|critical|urgent|lost|disputed)$/i,
    'red',
  ],
  [/^(pending|waiting|on hold|held|hold|warning|retrying|high|unpaid|partly paid|in review)$/i, 'yellow'],
  [/^(open|new|in progress|sent|working|running|submitted|started|todo|to do)$/i, 'blue'],
  [/^(draft|none|low|disabled|inactive|archived|template|not started|unknown)$/i, 'gray'],
];
const OTHERS: readonly Hue[] = ['blue', 'violet', 'green', 'yellow', 'gray'];

/**
 * The colour of a Select's value: by well-known words, or else by position among the options, so that it is
 * stable.
 */
export function hueOf(value: string, field: Field): Hue {
  const told = TELLING.find(([words]) => words.test(value.trim()));
  if (told) return told[1];
  const place = choicesOf(field).indexOf(value);
  return place < 0 ? 'gray' : (OTHERS[place % OTHERS.length] ?? 'gray');
}

/** The colour of a document state. */
export function toneOf(docstatus: number): Hue {
  return docstatus === 1 ? 'blue' : docstatus === 2 ? 'red' : 'gray';
}
