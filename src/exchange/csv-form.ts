import type { Encoding } from './encoding.ts';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
/** What separates the cells of a row. */
export type Delimiter = (typeof DELIMITERS)[number];

/** How a CSV file is written. */
export interface CsvForm {
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
}
