import { mergeDefinition } from '../../doctype/merge-definition.ts';
import type { Context } from '../../document/contract.ts';
import { presentDocument } from '../../document/load/present.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { customizationsOf, loadCustomizations } from './customizations.ts';
import type { Definition } from './stored-definitions.ts';

/**
 * The effective doctype: its DocType document with custom fields in their places and property setters
 * applied.
 * @throws ServiceError DoesNotExistError, PermissionError for a user who may not read its documents
 */
export async function describeDoctype(ctx: Context, doctypeName: string): Promise<Definition> {
  const { name } = ctx.doctypes.get(doctypeName);
  const precision = ctx.site.settings.timestampPrecision;
  const stored = presentDocument(ctx.doctypes, await readDocument(ctx, 'DocType', name), {
    nulls: true,
    precision,
  });
  const found = await loadCustomizations(ctx.db, ctx.doctypes, { only: name });
  return mergeDefinition(stored, customizationsOf(found, name));
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
