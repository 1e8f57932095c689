import { readRecords } from '../../exchange/file-form.ts';
import { Matcher } from '../../exchange/match-columns.ts';
import type { BadCell, ImportRecord } from '../../exchange/records.ts';
import type { Targets } from '../../exchange/targets.ts';
import type { LoadProblem } from '../problems.ts';
import type { LoadSource, SourceFile, SourceRecord } from '../record.ts';
import { type ImportPlan, plannedColumns } from './import-plan.ts';

/** The records of a file, whose keys are the numbers of their first rows. */
export function fileSource(
  file: SourceFile,
  plan: ImportPlan,
  targets: Targets,
  { doctype, keyField }: { readonly doctype: string; readonly keyField: string },
): LoadSource {
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    read = 0;
    for await (const bytes of file.open()) {
      read += bytes.length;
      yield bytes;
    }
  }
  const columns = plannedColumns(plan, targets);
  const mapping = Object.fromEntries(columns.map(({ key, target }) => [key, target?.key ?? null]));
  async function* records(): AsyncGenerator<SourceRecord> {
    const matcher = new Matcher(targets, mapping);
    for await (const record of readRecords(counted, plan.form, columns, matcher, keyField))
      yield sourceRecord(doctype, record);
  }
  return {
    id: sourceId(file, doctype),
    label: file.name,
    total: null,
    records,
    part: () => (file.size === 0 ? null : Math.min(1, read / file.size)),
  };
}

/** Names a file and the doctype that it is imported into. */
export function sourceId({ name, fingerprint }: SourceFile, doctype: string): string {
  return `${doctype} ${fingerprint} ${name}`.slice(0, 300);
}

function sourceRecord(doctype: string, { row, values, places, bad }: ImportRecord): SourceRecord {
  const key = String(row);
  // The load names its file by its digest, so a row is always the same one, whatever becomes of fields and rights.
  return {
    doctype,
    key,
    row,
    hash: key,
    values,
    places,
    problems: bad.map((cell) => problem(doctype, key, cell)),
  };
}

function problem(doctype: string, key: string, { row, field, value, reason }: BadCell): LoadProblem {
  return { kind: 'error', doctype, key, row, field, value, reason };
}
