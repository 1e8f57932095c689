import { EMPTY, ident, sql } from '../db/sql.ts';
import type { ChildRow, DocField, DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import type { Context } from '../document/context.ts';
import { rowsOf } from '../document/document.ts';
import { nameOfField } from './attached-field.ts';
import { carriesFiles } from './attachment.ts';
import { parseFileUrl } from './file-name.ts';

/** Attach and Attach Image fields of a document, or of the rows in one of its tables. */
interface Place {
  /** The table; null for the document itself. */
  readonly table: DocField | null;
  /** The doctype whose table holds the columns. */
  readonly doctype: string;
  readonly fields: readonly DocField[];
}

const placesOf = new WeakMap<DoctypeRegistry, Map<string, readonly Place[]>>();

/**
 * Urls of stored files that a save put into attach fields, where they were not before; each with the fields, by the names
 * that `attached_to_field` has for them.
 */
export function newlyAttached(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  before: Document | null,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { table, fields } of attachPlaces(ctx.doctypes, doctype)) {
    const earlier = before && holders(before, table);
    for (const { fieldname } of fields) {
      const known = new Set(earlier?.map((holder) => holder[fieldname]));
      for (const holder of holders(doc, table)) {
        const url = holder[fieldname];
        if (typeof url !== 'string' || known.has(url) || !parseFileUrl(url)) continue;
        const names = found.get(url) ?? new Set<string>();
        found.set(url, names.add(nameOfField(ctx.doctypes, doctype, fieldname, table)));
      }
    }
  }
  return found;
}

/**
 * Puts `to` into every attach field that holds the url `from`, in one document and its rows. Their user may not be able
 * to write it: the document gets a new revision, and keeps its `modified`. A field above permlevel 0 counts no revision,
 * which would tell everybody what it holds.
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
            where "name" = ${name} and ${column} = ${from}`,
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
        sql`update ${ident(doctype.name)} set "_revision" = "_revision" + 1 where "name" = ${name}`,
      );
    }
  }
}

function attachPlaces(registry: DoctypeRegistry, doctype: DocType): readonly Place[] {
  let known = placesOf.get(registry);
  if (!known) {
    known = new Map();
    placesOf.set(registry, known);
  }
  let places = known.get(doctype.name);
  if (!places) {
    places = carriesFiles(doctype) ? findPlaces(registry, doctype) : [];
    known.set(doctype.name, places);
  }
  return places;
}

function findPlaces(registry: DoctypeRegistry, doctype: DocType): readonly Place[] {
  const own: Place = { table: null, doctype: doctype.name, fields: attachFields(doctype) };
  const ofRows = doctype.tables.map((table): Place => {
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
