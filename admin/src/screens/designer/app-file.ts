import { type Draft, definitionOf, type Raw } from './draft.ts';

/** Keys of a stored definition that a file must not have. */
const NOT_IN_FILES: ReadonlySet<string> = new Set(['custom', 'app', 'naming_rule']);

/** The definition of a draft as a file of an app's `doctypes/` folder. */
export function appFileOf(draft: Draft): Raw {
  const { fields, permissions, ...rest } = definitionOf(draft);
  const own = Object.entries(rest).filter(([key, value]) => !NOT_IN_FILES.has(key) && value !== null);
  const rows = (fields as readonly Raw[]).map(
    ({ is_custom_field: _custom, fieldname, label, fieldtype, options, ...row }) =>
      without({ fieldname, label, fieldtype, options, ...row }),
  );
  const { name, module, ...others } = Object.fromEntries(own);
  return { doctype: 'DocType', name, module, ...others, fields: rows, permissions };
}

/** The name of the file: `Sales Invoice` is `sales_invoice.json`. */
export function fileNameOf(doctype: string): string {
  const name = doctype
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
  return `${name || 'doctype'}.json`;
}

/** What Frappe stores beside a definition. */
const FOREIGN: ReadonlySet<string> = new Set([
  ...['owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx', 'app', 'custom', 'migration_hash'],
  ...['parent', 'parentfield', 'parenttype', 'doctype'],
]);

/**
 * The definition in a text: a DocType file of Frappe or of an app, also as `{"docs": [...]}`, `{"data": {...}}`
 * or a list of one. @throws Error in words for a person
 */
export function definitionIn(text: string): Raw {
  const found = firstOf(parsed(text));
  if (!found || !Array.isArray(found['fields'])) throw new Error('no doctype');
  const { fields, permissions, field_order: order, ...rest } = found;
  const rows = inOrder(rowsOf(fields), order);
  return { ...without(rest), fields: rows.map(without), permissions: rowsOf(permissions).map(without) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('no JSON');
  }
}

function firstOf(value: unknown): Raw | null {
  if (Array.isArray(value)) return firstOf(value[0]);
  if (typeof value !== 'object' || value === null) return null;
  const record = value as Raw;
  return firstOf(record['docs'] ?? record['data'] ?? record['message'] ?? null) ?? record;
}

function rowsOf(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.filter((row) => typeof row === 'object' && row !== null) : [];
}

function without(raw: Raw): Raw {
  const isSet = (value: unknown) => value !== null && value !== undefined && value !== '' && value !== 0;
  return Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => !FOREIGN.has(key) && !key.startsWith('_') && isSet(value)),
  );
}

// Frappe's files list the order of their fields beside them.
function inOrder(rows: readonly Raw[], order: unknown): readonly Raw[] {
  if (!Array.isArray(order)) return rows;
  const places = new Map(order.map((name, at) => [String(name), at]));
  const placeOf = (row: Raw) => places.get(String(row['fieldname'])) ?? Number.POSITIVE_INFINITY;
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other) || 0);
}
