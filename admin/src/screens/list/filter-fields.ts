import type { BootUser } from '../../data/boot.ts';
import { type Condition, withOperator } from '../../grid/list-filters.ts';
import { isListable, isTable } from '../../meta/fieldtypes.ts';
import type { Field, Meta, MetaBundle } from '../../meta/meta.ts';
import { operatorsOf } from '../../meta/operators.ts';
import { readableFields } from '../../meta/permissions.ts';
import { labelOf, makeField, standardFields } from '../../meta/standard-fields.ts';

/** A field to filter by: of the document, or of the rows of a child table. */
export interface FilterField {
  readonly key: string;
  readonly table: string | null;
  readonly field: Field;
  /** `Customer`, `Items › Item`. */
  readonly label: string;
}

/**
 * All fields that a list can be filtered by. Fields of the document come first, the most useful of them before
 * the others.
 */
export function filterFields({ meta, children }: MetaBundle, user: BootUser): readonly FilterField[] {
  const own = readableFields(meta, user);
  const flat = [...own.toSorted((a, b) => rankOf(a, meta) - rankOf(b, meta)), ...standardFields(meta)]
    .filter((field) => isListable(field.fieldtype) && !field.is_virtual)
    .map((field) => ({ key: keyOf(null, field.fieldname), table: null, field, label: labelOf(field) }));
  const rows = own
    .filter((field) => isTable(field.fieldtype))
    .flatMap((table) => {
      const child = children.get(table.options);
      if (!child) return [];
      return readableFields(child, user)
        .filter((field) => isListable(field.fieldtype) && !field.is_virtual)
        .map((field) => ({
          key: keyOf(child.name, field.fieldname),
          table: child.name,
          field,
          label: `${labelOf(table)} › ${labelOf(field)}`,
        }));
    });
  return [...flat, ...rows.filter((one, at) => rows.findIndex((other) => other.key === one.key) === at)];
}

// The title, the fields of lists, the others; hidden fields and the series of the name last.
function rankOf(field: Field, meta: Meta): number {
  if (field.fieldname === meta.title_field) return 0;
  if (field.hidden || field.fieldname === 'naming_series') return 3;
  return field.in_standard_filter || field.in_list_view ? 1 : 2;
}

/** Identifies a field among all filter fields. */
export function keyOf(table: string | null, fieldname: string): string {
  return table === null ? fieldname : `${table}.${fieldname}`;
}

/** The field of a condition. Creates one for an unknown field in a hand-written address. */
export function fieldOf(fields: readonly FilterField[], { table, field }: Condition): FilterField {
  const key = keyOf(table, field);
  const label = table === null ? field : `${table} › ${field}`;
  const unknown = { key, table, label, field: makeField({ fieldname: field, fieldtype: 'Data' }) };
  return fields.find((one) => one.key === key) ?? unknown;
}

/** A condition on this field, or on the most likely one: a state, or else the title. */
export function emptyCondition(fields: readonly FilterField[], key?: string): Condition {
  const chosen =
    fields.find((one) => one.key === key) ??
    fields.find(({ field, table }) => table === null && field.in_standard_filter) ??
    fields.find(({ field, table }) => table === null && field.fieldtype === 'Select' && field.in_list_view) ??
    fields[0];
  if (!chosen) return { table: null, field: 'name', operator: 'like', value: null };
  const [operator = '='] = operatorsOf(chosen.field.fieldtype);
  return withOperator(
    { table: chosen.table, field: chosen.field.fieldname, operator: '=', value: null },
    operator,
  );
}
