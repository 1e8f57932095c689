import { isRecord } from '../kernel/value.ts';

/** A definition or one of its rows: JSON in the form of a DocType file. */
type Raw = Readonly<Record<string, unknown>>;

/** A site's customizations of a doctype, oldest first. */
export interface Customizations {
  /** Custom Field documents. */
  readonly fields: readonly Raw[];
  /** Property Setter documents. */
  readonly setters: readonly Raw[];
  /** Custom DocPerm documents. */
  readonly permissions: readonly Raw[];
}

export const NO_CUSTOMIZATIONS: Customizations = { fields: [], setters: [], permissions: [] };

/**
 * The definition with its custom fields in their places, its property setters applied, and the site's own
 * permissions, if any, in place of its own. A field of the definition wins over a custom field of the same
 * name, and a setter for a missing field has no effect, so that neither blocks the upgrade of an app.
 */
export function mergeDefinition(definition: Raw, { fields, setters, permissions }: Customizations): Raw {
  if (fields.length === 0 && setters.length === 0 && permissions.length === 0) return definition;
  const merged: Record<string, unknown> = { ...definition, fields: placeFields(rowsOf(definition), fields) };
  if (permissions.length > 0) merged['permissions'] = permissions;
  for (const setter of setters) {
    const property = String(setter['property']);
    if (setter['doctype_or_field'] === 'DocType') {
      merged[property] = valueSet(setter);
      if (property === 'field_order') merged['fields'] = inOrder(rowsOf(merged), setter['value']);
    } else setOnField(merged, String(setter['field_name']), property, valueSet(setter));
  }
  return merged;
}

function rowsOf(definition: Raw): readonly Raw[] {
  const rows = definition['fields'];
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

// Each custom field follows the field that it names, and fields with the same place keep their order. A field
// without a place comes last.
function placeFields(own: readonly Raw[], custom: readonly Raw[]): Raw[] {
  const taken = new Set(own.map(fieldnameOf));
  const added = custom.filter((row) => !taken.has(fieldnameOf(row)));
  const names = new Set([...taken, ...added.map(fieldnameOf)]);
  const followers = Map.groupBy(added, (row) => {
    const place = String(row['insert_after'] ?? '').toLowerCase();
    return names.has(place) && place !== fieldnameOf(row) ? place : '';
  });
  const placed: Raw[] = [];
  const done = new Set<Raw>();
  const place = (row: Raw) => {
    if (done.has(row)) return;
    done.add(row);
    placed.push(row);
    for (const follower of followers.get(fieldnameOf(row)) ?? []) place(asField(follower));
  };
  const asFields = new Map(added.map((row) => [row, fieldOf(row)]));
  const asField = (row: Raw) => asFields.get(row) ?? row;
  for (const row of own) place(row);
  for (const row of followers.get('') ?? []) place(asField(row));
  // Fields that name each other are still unplaced; they come last.
  for (const row of added) place(asField(row));
  return placed;
}

// As in Frappe, the property is a JSON list of fieldnames. A field that it omits stays behind the field before it.
function inOrder(rows: readonly Raw[], value: unknown): Raw[] {
  const place = new Map(namesIn(value).map((name, at) => [name.toLowerCase(), at]));
  let last = -1;
  const placed = rows.map((row, at) => {
    last = place.get(fieldnameOf(row)) ?? last;
    return { row, place: last, at };
  });
  return placed.sort((one, other) => one.place - other.place || one.at - other.at).map(({ row }) => row);
}

function namesIn(value: unknown): string[] {
  try {
    const names: unknown = JSON.parse(String(value));
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

function fieldnameOf(row: Raw): string {
  return String(row['fieldname'] ?? '').toLowerCase();
}

const NOT_OF_A_FIELD = new Set(['dt', 'insert_after', 'doctype', 'module', 'docstatus', 'idx']);

function fieldOf(customField: Raw): Raw {
  const entries = Object.entries(customField).filter(([key]) => !NOT_OF_A_FIELD.has(key));
  return { ...Object.fromEntries(entries), is_custom_field: 1 };
}

function setOnField(
  merged: Record<string, unknown>,
  fieldname: string,
  property: string,
  value: unknown,
): void {
  merged['fields'] = rowsOf(merged).map((row) =>
    row['fieldname'] === fieldname ? { ...row, [property]: value } : row,
  );
}

// Values are stored as text; numbers become numbers again.
function valueSet(setter: Raw): unknown {
  const value = setter['value'] ?? '';
  const isNumber = ['Check', 'Int', 'Float'].includes(String(setter['property_type']));
  return isNumber && typeof value === 'string' && /^-?\d{1,15}(\.\d{1,9})?$/.test(value)
    ? Number(value)
    : value;
}
