import type { BootUser } from '../../../data/boot.ts';
import type { ListQuery } from '../../../data/documents.ts';
import { columnFields } from '../../../grid/list-columns.ts';
import { isListable, isTable } from '../../../meta/fieldtypes.ts';
import type { Field, Meta, MetaBundle } from '../../../meta/meta.ts';
import { readableFields } from '../../../meta/permissions.ts';
import { labelOf } from '../../../meta/standard-fields.ts';

/** A column of an export: a field of the document, or of the rows of one of its tables. */
export interface ExportColumn {
  /** `customer`, `items.qty`. */
  readonly key: string;
  readonly label: string;
  readonly field: Field;
  /** The fieldname of the table; null for a field of the document. */
  readonly table: string | null;
  /** The field that holds the doctype of a Dynamic Link. */
  readonly beside: string | null;
}

/** All columns that the user may read; those of child rows come last. */
export function exportColumns({ meta, children }: MetaBundle, user: BootUser): readonly ExportColumn[] {
  const tables = readableFields(meta, user).filter((field) => isTable(field.fieldtype));
  return [
    ...columnFields(meta, user).map((field) => columnOf(field, null, meta)),
    ...tables.flatMap((table) => {
      const child = children.get(table.options);
      if (!child) return [];
      const fields = readableFields(child, user).filter(
        (field) => isListable(field.fieldtype) && !field.is_virtual,
      );
      return fields.map((field) => columnOf(field, table, child));
    }),
  ];
}

function columnOf(field: Field, table: Field | null, meta: Meta): ExportColumn {
  const isKnown = field.fieldtype === 'Dynamic Link' && meta.fieldByName.has(field.options);
  return {
    key: table ? `${table.fieldname}.${field.fieldname}` : field.fieldname,
    label: table ? `${labelOf(table)} › ${labelOf(field)}` : labelOf(field),
    field,
    table: table?.fieldname ?? null,
    beside: isKnown ? field.options : null,
  };
}

/** The list's query, with the fields that the columns need. Its own fields stay: they decide which rows it has. */
export function exportQuery(query: ListQuery, columns: readonly ExportColumn[]): ListQuery {
  const own = new Set<string>();
  const rows = new Map<string, Set<string>>();
  for (const { field, table, beside } of columns) {
    const names = table === null ? own : (rows.get(table) ?? new Set());
    if (table !== null) rows.set(table, names);
    names.add(field.fieldname);
    if (beside !== null) names.add(beside);
  }
  const tables = [...rows].map(([table, names]) => ({ [table]: [...names] }));
  return { ...query, fields: [...new Set(['name', ...(query.fields ?? []), ...own]), ...tables] };
}
