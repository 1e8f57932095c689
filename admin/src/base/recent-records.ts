import { createKept } from './kept.ts';

/** Records kept as opened. */
const MOST = 20;

/** A record that the user opened. */
export interface OpenedRecord {
  readonly doctype: string;
  readonly name: string;
  readonly title: string;
}

/** Records last opened on this device, newest first. */
export const recentRecords = createKept<readonly OpenedRecord[]>('chancery.records', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isRecord) : null,
);

/** Records that a record was opened. */
export function noteRecord(record: OpenedRecord): void {
  const { doctype, name } = record;
  const rest = recentRecords.get().filter((one) => one.doctype !== doctype || one.name !== name);
  recentRecords.set([record, ...rest].slice(0, MOST));
}

function isRecord(stored: unknown): stored is OpenedRecord {
  const { doctype, name, title } = (stored ?? {}) as Partial<OpenedRecord>;
  return [doctype, name, title].every((one) => typeof one === 'string');
}
