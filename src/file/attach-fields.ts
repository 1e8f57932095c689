import { EMPTY, ident, sql } from '../db/sql.ts';
import type { ChildRow, DocField, DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import { nameKey } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { rowsOf } from '../document/document.ts';
import { memo2 } from '../kernel/memo.ts';
import { nameOfField } from './attached-field.ts';
import { carriesFiles } from './attachment.ts';
import { parseFileUrl } from './file-name.ts';

/** Attach and Attach Image fields of a document, or of the rows in one of its tables. */
interface AttachPlace {
  /** The table; null for the document itself. */
  readonly table: DocField | null;
  /** The doctype whose table holds the columns. */
  readonly doctype: string;
  readonly fields: readonly DocField[];
}

/** The attach fields that hold a url after a save, by their names in `attached_to_field`. */
export interface HeldUrl {
  readonly fields: ReadonlySet<string>;
  /** Fields that hold it since this save. */
  readonly gained: ReadonlySet<string>;
  /** Fields that no longer hold it. */
  readonly lost: ReadonlySet<string>;
}

/** Urls of stored files that a save added to attach fields, or removed from some of them. */
export function movedUrls(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  before: Document | null,
): ReadonlyMap<string, HeldUrl> {
  const now = urlsOf(ctx, doctype, doc);
  const earlier = before ? urlsOf(ctx, doctype, before) : new Map<string, Set<string>>();
  const moved = new Map<string, HeldUrl>();
  for (const [url, fields] of now) {
    const had = earlier.get(url) ?? new Set<string>();
    const [gained, lost] = [fields.difference(had), had.difference(fields)];
    if (gained.size > 0 || lost.size > 0) moved.set(url, { fields, gained, lost });
  }
  return moved;
}

function urlsOf(ctx: Context, doctype: DocType, doc: Document): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { table, fields } of attachPlaces(ctx.doctypes, doctype)) {
    for (const { fieldname } of fields) {
      for (const holder of holders(doc, table)) {
        const url = holder[fieldname];
        if (typeof url !== 'string' || !parseFileUrl(url)) continue;
        const names = found.get(url) ?? new Set<string>();
        found.set(url, names.add(nameOfField(ctx.doctypes, doctype, fieldname, table)));
      }
    }
  }
  return found;
}

/** Replaces urls in the attach fields of a document that is not stored yet. */
export function putUrls(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  urls: ReadonlyMap<string, string | null>,
): void {
  for (const { table, fields } of attachPlaces(ctx.doctypes, doctype)) {
    for (const { fieldname } of fields) {
      for (const holder of holders(doc, table)) {
        const url = urls.get(String(holder[fieldname]));
        if (url !== undefined) holder[fieldname] = url;
      }
    }
  }
}

/**
 * Replaces the url `from` by `to` in every attach field of one document and its rows. The user may lack the
 * right to write it: the document gets a new revision, and keeps its `modified`. A field above permlevel 0
 * counts no revision, which would reveal its value to everybody.
 */
export async function replaceAttached(
  ctx: Context,
  file: Document,
  from: string,
  to: string | null,
): Promise<void> {
  const { attached_to_doctype: doctypeName, attached_to_name: name } = file;
  const doctype = typeof doctypeName === 'string' ? ctx.doctypes.find(doctypeName) : undefined;
  if (!doctype || typeof name !== 'string') return;
  for (const place of attachPlaces(ctx.doctypes, doctype)) {
    for (const field of place.fields) {
      const column = ident(field.fieldname);
      const isOpen = field.permlevel === 0 && (place.table?.permlevel ?? 0) === 0;
      if (place.table === null) {
        const revised = isOpen ? sql`, "_revision" = "_revision" + 1` : EMPTY;
        await ctx.db.run(
          sql`update ${ident(doctype.name)} set ${column} = ${to}${revised}
            where "name" = ${nameKey(doctype, name)} and ${column} = ${from}`,
        );
        continue;
      }
      const changed = await ctx.db.run(
        sql`update ${ident(place.doctype)} set ${column} = ${to}
          where "parent" = ${name} and "parenttype" = ${doctype.name} and "parentfield" = ${place.table.fieldname}
            and ${column} = ${from}`,
      );
      if (changed === 0 || !isOpen) continue;
      await ctx.db.run(
        sql`update ${ident(doctype.name)} set "_revision" = "_revision" + 1 where "name" = ${nameKey(doctype, name)}`,
      );
    }
  }
}

const attachPlaces = memo2((registry: DoctypeRegistry, doctype: DocType): readonly AttachPlace[] =>
  carriesFiles(doctype) ? findPlaces(registry, doctype) : [],
);

function findPlaces(registry: DoctypeRegistry, doctype: DocType): readonly AttachPlace[] {
  const own: AttachPlace = { table: null, doctype: doctype.name, fields: attachFields(doctype) };
  const ofRows = doctype.tables.map((table): AttachPlace => {
    const child = registry.find(table.options);
    return { table, doctype: table.options, fields: child ? attachFields(child) : [] };
  });
  return [own, ...ofRows].filter(({ fields }) => fields.length > 0);
}

function attachFields(doctype: DocType): DocField[] {
  return doctype.columns.flatMap(({ field }) =>
    field?.fieldtype === 'Attach' || field?.fieldtype === 'Attach Image' ? [field] : [],
  );
}

function holders(doc: Document, table: DocField | null): readonly (Document | ChildRow)[] {
  return table === null ? [doc] : rowsOf(doc, table.fieldname);
}
