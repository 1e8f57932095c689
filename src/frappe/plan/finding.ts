/** What an import changes or leaves out, counted. */
export interface Finding {
  readonly kind: FindingKind;
  readonly doctype: string;
  /** Null when it concerns the whole row. */
  readonly field: string | null;
  readonly count: number;
  /** Names of rows, a few. */
  readonly examples: readonly string[];
}

export type FindingKind =
  | 'link differs in case'
  | 'broken link'
  | 'link to a doctype left behind'
  | 'row without parent'
  | 'row of a doctype left behind'
  | 'date of zeros'
  | 'decimal beyond a double'
  | 'unknown column'
  | 'long name';
