import { mayChange, mayLearn, type RowsOf } from '../access/field-level.ts';
import type { CurrentUser } from '../access/user.ts';
import type { DocField, DocType, DoctypeRegistry } from '../doctype/doctype.ts';

/** A field of a doctype's documents, or of the rows in one of their tables. */
interface FieldPlace {
  readonly holder: DocType;
  readonly field: DocField;
  /** Of a field of rows. */
  readonly table?: DocField;
}

/** Fields by the names that `attached_to_field` may give them. */
type FieldNames = ReadonlyMap<string, readonly FieldPlace[]>;

// A name may mean several fields. Files then have the permission of all of them: nobody knows which one was meant.
const namesOf = new WeakMap<DoctypeRegistry, WeakMap<DocType, FieldNames>>();

/** True when the user may read the field, and so what is attached to it. False for a field that there is not. */
export function mayReadField(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
  name: string,
): boolean {
  return isEvery(registry, doctype, name, ({ holder, field, table }) =>
    mayLearn(user, holder, field.fieldname, rowsOf(doctype, table)),
  );
}

/** True of a field that is there and that the user may not read. */
export function isHiddenField(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
  name: string,
): boolean {
  return fieldNames(registry, doctype).has(name) && !mayReadField(registry, user, doctype, name);
}

/** True when the user may write the field, by its permlevel. False for a field that there is not. */
export function mayWriteField(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
  name: string,
): boolean {
  return isEvery(registry, doctype, name, ({ holder, field, table }) =>
    mayChange(user, holder, field.fieldname, rowsOf(doctype, table)),
  );
}

/** True when whoever may read the document may read the field. False for a field that there is not. */
export function isOpenField(registry: DoctypeRegistry, doctype: DocType, name: string): boolean {
  return isEvery(
    registry,
    doctype,
    name,
    ({ field, table }) => field.permlevel === 0 && (table?.permlevel ?? 0) === 0,
  );
}

/** What `attached_to_field` says for a field: its name where that means no other field, else `table.field`, or `.field`. */
export function nameOfField(
  registry: DoctypeRegistry,
  doctype: DocType,
  fieldname: string,
  table: DocField | null,
): string {
  const isOnly = fieldNames(registry, doctype).get(fieldname)?.length === 1;
  return isOnly ? fieldname : `${table?.fieldname ?? ''}.${fieldname}`;
}

/** Every name of a field, as the user may read them or not. */
export function namesByReading(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
): { readonly readable: readonly string[]; readonly hidden: readonly string[] } {
  const { true: readable = [], false: hidden = [] } = Object.groupBy(
    fieldNames(registry, doctype).keys(),
    (name) => (mayReadField(registry, user, doctype, name) ? 'true' : 'false'),
  );
  return { readable, hidden };
}

function isEvery(
  registry: DoctypeRegistry,
  doctype: DocType,
  name: string,
  test: (place: FieldPlace) => boolean,
): boolean {
  const places = fieldNames(registry, doctype).get(name);
  return places?.every(test) ?? false;
}

function rowsOf(parent: DocType, table: DocField | undefined): RowsOf | undefined {
  return table && { parent, table: table.fieldname };
}

function fieldNames(registry: DoctypeRegistry, doctype: DocType): FieldNames {
  let known = namesOf.get(registry);
  if (!known) {
    known = new WeakMap();
    namesOf.set(registry, known);
  }
  let names = known.get(doctype);
  if (!names) {
    names = findNames(registry, doctype);
    known.set(doctype, names);
  }
  return names;
}

function findNames(registry: DoctypeRegistry, doctype: DocType): FieldNames {
  const names = new Map<string, FieldPlace[]>();
  const add = (name: string, place: FieldPlace) => {
    const places = names.get(name);
    if (places) places.push(place);
    else names.set(name, [place]);
  };
  for (const field of doctype.fields) {
    add(field.fieldname, { holder: doctype, field });
    add(`.${field.fieldname}`, { holder: doctype, field });
  }
  for (const table of doctype.tables) {
    const holder = registry.find(table.options);
    for (const field of holder?.fields ?? []) {
      if (!holder) continue;
      const place = { holder, field, table };
      add(field.fieldname, place);
      add(`${table.fieldname}.${field.fieldname}`, place);
    }
  }
  return names;
}
