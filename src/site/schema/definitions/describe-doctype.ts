import { LENIENT } from '../../../doctype/definition.ts';
import { type DocType, RIGHTS } from '../../../doctype/doctype.ts';
import { mergeDefinition } from '../../../doctype/merge-definition.ts';
import { shownProperties } from '../../../doctype/other-properties.ts';
import { parseDoctype } from '../../../doctype/parse-doctype.ts';
import { resolveReferences } from '../../../doctype/references.ts';
import type { Context } from '../../../document/contract.ts';
import { presentDocument } from '../../../document/load/present.ts';
import { readDocument } from '../../../document/verbs/read.ts';
import { recordsIn } from '../../../kernel/value.ts';
import { customizationsOf, loadCustomizations } from './customizations.ts';
import type { Definition } from './stored-definitions.ts';

/**
 * The effective doctype: its DocType document with custom fields in their places and property setters
 * applied, without the oddities that its notes name.
 * @throws ServiceError DoesNotExistError, PermissionError for a user who may not read its documents
 */
export async function describeDoctype(ctx: Context, doctypeName: string): Promise<Definition> {
  const { name, app, notes } = ctx.doctypes.get(doctypeName);
  const precision = ctx.site.settings.timestampPrecision;
  const stored = presentDocument(ctx.doctypes, await readDocument(ctx, 'DocType', name), {
    nulls: true,
    precision,
  });
  const found = await loadCustomizations(ctx.db, ctx.doctypes, { only: [name] });
  const whole = mergeDefinition(stored, customizationsOf(found, name));
  const fields = recordsIn(whole['fields']).map((row) => ({ ...row, ...shownProperties(row) }));
  const merged = { ...whole, fields };
  if (notes.length === 0) return merged;
  return asUnderstood(merged, resolveReferences(parseDoctype(merged, app, LENIENT), ctx.doctypes.find));
}

/** The effective doctype, followed by the doctypes of its child tables. */
export async function describeWithChildren(ctx: Context, doctypeName: string): Promise<Definition[]> {
  const doctype = ctx.doctypes.get(doctypeName);
  const definitions = [await describeDoctype(ctx, doctype.name)];
  for (const child of new Set(doctype.tables.map((table) => table.options))) {
    definitions.push(await describeDoctype(ctx, child));
  }
  return definitions;
}

// Forms must not show what the server ignores.
function asUnderstood(definition: Definition, doctype: DocType): Definition {
  const { is_submittable, autoname, title_field, search_fields } = doctype;
  const byRow = new Map(doctype.fields.map((field) => [field.idx, field]));
  const fields = recordsIn(definition['fields']).flatMap((row, index) => {
    const field = byRow.get(index + 1);
    if (!field) return [];
    const { fieldtype, options, length, fetch_from, mandatory_depends_on, on_delete } = field;
    const flags = { reqd: Number(field.reqd), unique: Number(field.unique) };
    const search_index = Number(field.search_index);
    const texts = { fieldtype, options, fetch_from, mandatory_depends_on, on_delete, default: field.default };
    return { ...row, ...texts, length, ...flags, search_index };
  });
  const permissions = recordsIn(definition['permissions']).flatMap((row, index) => {
    const permission = doctype.permissions[index];
    const rights = RIGHTS.map((right) => [right, Number(permission?.rights.has(right))]);
    return permission ? [{ ...row, ...Object.fromEntries(rights) }] : [];
  });
  return {
    ...definition,
    is_submittable: Number(is_submittable),
    autoname,
    title_field,
    search_fields,
    fields,
    permissions,
  };
}
