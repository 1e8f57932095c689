import { ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { nameText } from '../../doctype/numbered.ts';
import type { Context } from '../contract.ts';
import { load } from '../load/load.ts';
import { labelUnique } from './unique.ts';

/** A field that may hold a document's name, and the field with the doctype of that document. */
export interface Reference {
  readonly doctype: DocType;
  readonly fieldname: string;
  readonly typeField: string | null;
}

/** Fields of built-in doctypes that name a document without being links. */
const UNLINKED: readonly (readonly [doctype: string, typeField: string, fieldname: string])[] = [
  ['File', 'attached_to_doctype', 'attached_to_name'],
  ['Comment', 'reference_doctype', 'reference_name'],
  ['Version', 'ref_doctype', 'docname'],
  ['Notification Log', 'document_type', 'document_name'],
  ['Document Follow', 'ref_doctype', 'ref_docname'],
];

/**
 * Moves all references from one document to another: Link and Dynamic Link fields of documents, singles and
 * rows, attachments, versions. One statement per field. The changed documents get a new revision, so that
 * ETags change, but keep their `modified`, because nobody edited them. A field above permlevel 0 counts no
 * revision, which would reveal its value to everybody: its readers see the change in their ETag
 * (`entityTag`).
 */
export async function moveReferences(
  ctx: Context,
  doctype: DocType,
  oldName: string,
  newName: string,
): Promise<void> {
  for (const reference of references(ctx.doctypes, doctype)) {
    const { doctype: from, fieldname, typeField } = reference;
    const isOpen = (from.fieldByName.get(fieldname)?.permlevel ?? 0) === 0;
    const meant = typeField === null ? sql`` : sql` and ${ident(typeField)} = ${doctype.name}`;
    const pointing = sql`${ident(fieldname)} = ${oldName}${meant}`;
    // A change of a row changes its parent. Runs before the rows change, while the old name still finds them.
    if (from.istable && isOpen) await reviseParents(ctx, from, pointing);
    const revised = from.istable || !isOpen ? sql`` : sql`, "_revision" = "_revision" + 1`;
    await labelUnique(from, () =>
      ctx.db.run(
        sql`update ${ident(from.name)} set ${ident(fieldname)} = ${newName}${revised} where ${pointing}`,
      ),
    );
  }
}

/** Reloads a document: the move may have changed its own links. */
export async function takeMovedLinks(ctx: Context, doctype: DocType, doc: Document): Promise<void> {
  const loaded = await load(ctx, doctype, doc.name);
  if (loaded) Object.assign(doc, loaded.doc);
}

async function reviseParents(ctx: Context, child: DocType, pointing: Sql): Promise<void> {
  const open = ctx.doctypes.parentsOf(child.name).filter(({ field }) => field.permlevel === 0);
  for (const [parent, tables] of Map.groupBy(open, ({ doctype }) => doctype)) {
    if (parent.is_virtual) continue;
    const fields = join(tables.map(({ field }) => sql`${field.fieldname}`));
    await ctx.db.run(
      sql`update ${ident(parent.name)} set "_revision" = "_revision" + 1 where ${nameText(parent)} in
          (select "parent" from ${ident(child.name)}
            where "parenttype" = ${parent.name} and "parentfield" in (${fields}) and ${pointing})`,
    );
  }
}

/** Every field that may hold the name of a document of this doctype, in doctypes that are not virtual. */
export function references(registry: DoctypeRegistry, doctype: DocType): Reference[] {
  const found: Reference[] = [
    ...registry.linksTo(doctype.name).map((link) => ({ link, typeField: null })),
    ...registry.dynamicLinks().map((link) => ({ link, typeField: link.field.options })),
  ].map(({ link, typeField }) => ({ doctype: link.doctype, fieldname: link.field.fieldname, typeField }));
  for (const [name] of UNLINKED) {
    const holder = registry.find(name);
    if (holder) found.push(...unlinkedIn(holder));
  }
  return found.filter((reference) => !reference.doctype.is_virtual);
}

/** Every field of a doctype that may hold the name of a document, with the doctype of it where that is fixed. */
export function referencesIn(doctype: DocType): (Reference & { readonly target: string | null })[] {
  return [
    ...doctype.links.map(({ fieldname, options }) => ({
      ...{ doctype, fieldname, typeField: null, target: options },
    })),
    ...doctype.dynamicLinks.map(({ fieldname, options }) => ({
      ...{ doctype, fieldname, typeField: options, target: null },
    })),
    ...unlinkedIn(doctype).map((reference) => ({ ...reference, target: null })),
  ];
}

function unlinkedIn(doctype: DocType): Reference[] {
  return UNLINKED.filter(
    ([holder, typeField, fieldname]) =>
      holder === doctype.name &&
      doctype.columnByName.has(fieldname) &&
      doctype.columnByName.has(typeField) &&
      !doctype.dynamicLinks.some((field) => field.fieldname === fieldname),
  ).map(([_, typeField, fieldname]) => ({ doctype, fieldname, typeField }));
}
