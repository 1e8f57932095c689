import { ident, sql } from '../db/sql.ts';
import type { DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { announce } from './announce.ts';
import type { Change } from './change.ts';
import { checkName } from './check/name.ts';
import type { Context } from './context.ts';
import { cloneDocument, rowsOf } from './document.ts';
import { autonameField } from './naming.ts';
import { writableDoctype } from './permit.ts';
import { openStored } from './save.ts';
import { renameSecrets } from './secret.ts';
import { stampUpdate } from './stamp.ts';
import { labelUnique } from './unique.ts';

/**
 * Gives a document another name, everywhere: its rows, every link to it, its attachments and secrets. Documents that
 * link to it get a new revision, but keep their `modified`. Resolves to the new name, as it is stored.
 * @throws ServiceError PermissionError, DoesNotExistError, NameError, ValidationError when the doctype does not allow
 *   it or the name is taken
 */
export async function renameDocument(
  ctx: Context,
  doctypeName: string,
  oldName: string,
  newName: string,
): Promise<string> {
  const doctype = writableDoctype(ctx, doctypeName);
  const { doc: before, revision } = await openStored(ctx, doctype, oldName, 'write', 'remove');
  if (!doctype.allow_rename || doctype.issingle) {
    throw new ServiceError('ValidationError', `${doctype.name} not allowed to be renamed`);
  }
  const name = checkName(doctype, newName);
  await requireFree(ctx, doctype, before.name, name);

  const doc = cloneDocument(before);
  const change: Change = { action: 'rename', doctype, before, doc, revision, input: {}, problems: [] };
  doc.name = name;
  stampUpdate(ctx, change);
  const named = autonameField(doctype);
  if (named !== null) doc[named] = name;
  for (const table of doctype.tables) for (const row of rowsOf(doc, table.fieldname)) row.parent = name;

  await renameRow(ctx, change, named);
  await renameReferences(ctx, doctype, before.name, name);
  await renameSecrets(ctx.site, ctx.db, doctype.name, before.name, name);
  await announce(ctx, change, [{ event: 'after_rename' }]);
  return name;
}

async function requireFree(ctx: Context, doctype: DocType, oldName: string, name: string): Promise<void> {
  if (name === oldName) {
    throw new ServiceError('ValidationError', 'No changes made because old and new name are the same.');
  }
  const taken = await ctx.db.get(sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${name}`);
  if (taken) {
    throw new ServiceError(
      'ValidationError',
      `Another ${doctype.name} with name ${name} exists, select another name`,
    );
  }
}

async function renameRow(ctx: Context, change: Change, named: string | null): Promise<void> {
  const { doctype, doc, before } = change;
  const field = named === null ? sql`` : sql`, ${ident(named)} = ${doc.name}`;
  const row = sql`update ${ident(doctype.name)} set "name" = ${doc.name}, "modified" = ${doc.modified},
    "modified_by" = ${doc.modified_by}, "_revision" = "_revision" + 1${field} where "name" = ${before?.name ?? null}`;
  await labelUnique(doctype, () => ctx.db.run(row));
  for (const child of new Set(doctype.tables.map((table) => table.options))) {
    await ctx.db.run(
      sql`update ${ident(child)} set "parent" = ${doc.name}
          where "parent" = ${before?.name ?? null} and "parenttype" = ${doctype.name}`,
    );
  }
}

/** A field that may hold the old name, and the field that must name the doctype for it to be meant. */
interface Reference {
  readonly doctype: DocType;
  readonly fieldname: string;
  readonly typeField: string | null;
}

async function renameReferences(
  ctx: Context,
  doctype: DocType,
  oldName: string,
  newName: string,
): Promise<void> {
  for (const { doctype: from, fieldname, typeField } of references(ctx.doctypes, doctype)) {
    const meant = typeField === null ? sql`` : sql` and ${ident(typeField)} = ${doctype.name}`;
    const pointing = (name: string) => sql`${ident(fieldname)} = ${name}${meant}`;
    const revised = from.istable ? sql`` : sql`, "_revision" = "_revision" + 1`;
    const changed = await ctx.db.run(
      sql`update ${ident(from.name)} set ${ident(fieldname)} = ${newName}${revised} where ${pointing(oldName)}`,
    );
    if (changed === 0 || !from.istable) continue;
    // A row's change is its parent's: whoever holds the parent's ETag must notice.
    for (const parent of new Set(ctx.doctypes.parentsOf(from.name).map((link) => link.doctype))) {
      if (parent.is_virtual) continue;
      await ctx.db.run(
        sql`update ${ident(parent.name)} set "_revision" = "_revision" + 1 where "name" in
            (select "parent" from ${ident(from.name)}
             where "parenttype" = ${parent.name} and ${pointing(newName)})`,
      );
    }
  }
}

function references(registry: DoctypeRegistry, doctype: DocType): Reference[] {
  const found: Reference[] = [
    ...registry.linksTo(doctype.name).map((link) => ({ link, typeField: null })),
    ...registry.dynamicLinks().map((link) => ({ link, typeField: link.field.options })),
  ].map(({ link, typeField }) => ({ doctype: link.doctype, fieldname: link.field.fieldname, typeField }));
  const file = registry.find('File');
  if (file?.columnByName.has('attached_to_name')) {
    found.push({ doctype: file, fieldname: 'attached_to_name', typeField: 'attached_to_doctype' });
  }
  return found.filter((reference) => !reference.doctype.is_virtual);
}
