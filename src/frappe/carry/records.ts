import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import type { LoadSource, SourceRecord } from '../../load/record.ts';
import type { Scratch, ScratchRow } from '../input/scratch.ts';
import { quoted } from '../input/sqlite-file.ts';
import type { Source } from '../plan/make-plan.ts';
import { type Conversion, convertDocument } from './convert.ts';

/** The documents of a source as records, in a fixed order. */
export interface FrappeRecords extends LoadSource {
  /** The doctypes that have documents, in this order. */
  readonly doctypes: readonly DocType[];
  /** One document by its name in the source; null when there is none. */
  record(doctype: DocType, row: ScratchRow): SourceRecord;
}

/** Users of this server, who do not come. */
export const OWN_USERS = `"name" not in ('Administrator', 'Guest')`;

/** What this server needs first: roles, then users. */
const FIRST = ['Role', 'Role Profile', 'User'];

export function frappeRecords(
  scratch: Scratch,
  { comes }: Pick<Source, 'comes'>,
  registry: DoctypeRegistry,
  conversion: Conversion,
  identity: Pick<LoadSource, 'id' | 'label'>,
): FrappeRecords {
  const doctypes = orderedDoctypes(registry, scratch, comes);
  const total = doctypes.reduce((sum, doctype) => sum + countOf(scratch, doctype), 0);
  let done = 0;
  const record = (doctype: DocType, row: ScratchRow): SourceRecord =>
    convertDocument(doctype, row, conversion, registry, (child, { fieldname }) =>
      childRows(scratch, doctype, child, String(row['name'] ?? doctype.name), fieldname),
    );
  return {
    ...identity,
    total,
    doctypes,
    record,
    part: () => (total === 0 ? null : done / total),
    async *records() {
      done = 0;
      for (const doctype of doctypes) {
        for (const row of rowsOf(scratch, doctype)) {
          done += 1;
          yield record(doctype, row);
        }
      }
    },
  };
}

/** The rows of a doctype in the source, one after the other. */
export function* rowsOf(scratch: Scratch, doctype: DocType): Generator<ScratchRow> {
  if (doctype.issingle) {
    const row = singleRow(scratch, doctype);
    if (row) yield row;
    return;
  }
  const where = doctype.name === 'User' ? ` where ${OWN_USERS}` : '';
  yield* scratch.each(`select * from ${quoted(`tab${doctype.name}`)}${where} order by rowid`);
}

function orderedDoctypes(
  registry: DoctypeRegistry,
  scratch: Scratch,
  comes: (doctype: string) => boolean,
): DocType[] {
  const all = registry
    .all()
    .filter((doctype) => comes(doctype.name) && !doctype.istable && doctype.rowsFrom === 'table')
    .filter((doctype) =>
      doctype.issingle ? singleRow(scratch, doctype) : scratch.tables.has(`tab${doctype.name}`),
    );
  const place = ({ name }: DocType) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return all.sort((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1));
}

function countOf(scratch: Scratch, doctype: DocType): number {
  if (doctype.issingle) return 1;
  const where = doctype.name === 'User' ? ` where ${OWN_USERS}` : '';
  const row = scratch.get(`select count(*) as "count" from ${quoted(`tab${doctype.name}`)}${where}`);
  return Number(row?.['count'] ?? 0);
}

function singleRow(scratch: Scratch, { name }: DocType): ScratchRow | null {
  if (!scratch.tables.has('tabSingles')) return null;
  const rows = scratch.all('select "field", "value" from "tabSingles" where "doctype" = ?', name);
  if (rows.length === 0) return null;
  return Object.fromEntries(rows.map(({ field, value }) => [String(field), value ?? null]));
}

function childRows(
  scratch: Scratch,
  doctype: DocType,
  child: DocType,
  name: string,
  fieldname: string,
): ScratchRow[] {
  if (!scratch.tables.has(`tab${child.name}`)) return [];
  return scratch.all(
    `select * from ${quoted(`tab${child.name}`)} where "parenttype" = ? and "parent" = ? and "parentfield" = ?
     order by cast("idx" as integer), rowid`,
    doctype.name,
    name,
    fieldname,
  );
}
