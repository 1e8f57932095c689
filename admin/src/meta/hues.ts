/** Colours of values. The text itself carries the meaning. */
export type Hue = 'gray' | 'blue' | 'green' | 'yellow' | 'red';

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

/** The colour of a Select's value: that of a well-known word, or else none. */
export function hueOf(value: string): Hue {
  return TELLING.find(([words]) => words.test(value.trim()))?.[1] ?? 'gray';
}

/** The colour of a document state. */
export function toneOf(docstatus: number): Hue {
  return docstatus === 1 ? 'blue' : docstatus === 2 ? 'red' : 'gray';
}
