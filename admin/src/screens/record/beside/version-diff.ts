/** Old and new value of a field, as text; null if unset. */
export interface Changed {
  readonly fieldname: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Change of one row of a table. */
export interface ChangedRow {
  readonly table: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Counted from 1; 0 if unknown. */
  readonly number: number;
  readonly fields: readonly Changed[];
}

/** Changes in a version. */
export interface VersionDiff {
  readonly fields: readonly Changed[];
  readonly rows: readonly ChangedRow[];
  /** True if the version was too large to store the rows' values. */
  readonly isTruncated: boolean;
}

const NOTHING: VersionDiff = { fields: [], rows: [], isTruncated: false };

/** Fields of a row without meaning for users. */
const OF_THE_SERVER = new Set([
  'name',
  'owner',
  'creation',
  'modified',
  'modified_by',
  'docstatus',
  'idx',
  'parent',
  'parentfield',
  'parenttype',
  'doctype',
]);

/** Parses `Version.data` defensively, because other programs write versions too. */
export function readVersion(data: string): VersionDiff {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    return NOTHING;
  }
  if (!isRecord(parsed)) return NOTHING;
  return {
    fields: listOf(parsed['changed']).flatMap(changedOf),
    rows: [
      ...listOf(parsed['added']).flatMap((one) => wholeRow('added', one)),
      ...listOf(parsed['removed']).flatMap((one) => wholeRow('removed', one)),
      ...listOf(parsed['row_changed']).flatMap(changedRow),
    ],
    isTruncated: parsed['truncated'] === true,
  };
}

function changedOf(one: unknown): readonly Changed[] {
  if (!Array.isArray(one) || typeof one[0] !== 'string') return [];
  return [{ fieldname: one[0], before: one[1] ?? null, after: one[2] ?? null }];
}

function wholeRow(kind: 'added' | 'removed', one: unknown): readonly ChangedRow[] {
  if (!Array.isArray(one) || typeof one[0] !== 'string' || !isRecord(one[1])) return [];
  const fields = Object.entries(one[1])
    .filter(([name, value]) => !OF_THE_SERVER.has(name) && value !== null && value !== '')
    .map(([fieldname, value]) =>
      kind === 'added'
        ? { fieldname, before: null, after: value }
        : { fieldname, before: value, after: null },
    );
  return [{ table: one[0], kind, number: Number(one[1]['idx'] ?? 0), fields }];
}

function changedRow(one: unknown): readonly ChangedRow[] {
  if (!Array.isArray(one) || typeof one[0] !== 'string') return [];
  const fields = listOf(one[3]).flatMap(changedOf);
  return [{ table: one[0], kind: 'changed', number: Number(one[1]) + 1 || 0, fields }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
