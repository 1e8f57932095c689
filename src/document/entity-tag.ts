import { createHash } from 'node:crypto';
import { mayLearn, type RowsOf } from '../access/field-level.ts';
import type { CurrentUser } from '../access/user.ts';
import type { ChildRow, DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import { rowsOf } from './document.ts';
import { type FieldColumn, layoutOf } from './layout.ts';
import type { Loaded } from './load.ts';

/** Characters of the digest: 64 bits and two more. */
const DIGEST = 11;

/**
 * What tells one state of a document from another, for one reader. It is the revision, followed by a digest of the
 * links and files in fields above permlevel 0 that the document shows. A rename of what such a field names counts no
 * revision: readers who may not see the field would learn from it which documents name the other one.
 */
export function entityTag(registry: DoctypeRegistry, { doc, revision }: Loaded): string {
  const digest = digestOfLevels(registry, doc, null);
  return digest === null ? `${revision}` : `${revision}-${digest}`;
}

/** What a tag stands for: a revision, and the digest where it has one. Null for text that is no tag. */
export function parseEntityTag(text: string): { readonly revision: number; readonly digest?: string } | null {
  const [, revision, digest] = /^(\d{1,15})(?:-([\w-]{11}))?$/.exec(text) ?? [];
  if (revision === undefined) return null;
  return { revision: Number(revision), ...(digest !== undefined && { digest }) };
}

/**
 * The digest of the links and files in fields above permlevel 0; null where the document has no such field. Of a
 * document as it is stored it takes what `user` may see, else all that is there.
 */
export function digestOfLevels(
  registry: DoctypeRegistry,
  doc: Document,
  user: CurrentUser | null,
): string | null {
  const doctype = registry.get(doc.doctype);
  const held: unknown[] = [];
  const take = (holder: Document | ChildRow, of: DocType, fields: readonly FieldColumn[], place?: RowsOf) => {
    for (const { fieldname } of fields) {
      if (holder[fieldname] === undefined || (user && !mayLearn(user, of, fieldname, place))) continue;
      held.push([fieldname, holder[fieldname]]);
    }
  };
  take(doc, doctype, aboveLevelZero(doctype));
  for (const table of doctype.tables) {
    const child = registry.get(table.options);
    const fields = table.permlevel > 0 ? referencesOf(child) : aboveLevelZero(child);
    if (fields.length === 0) continue;
    const place = { parent: doctype, table: table.fieldname };
    for (const row of rowsOf(doc, table.fieldname)) take(row, child, fields, place);
  }
  if (held.length === 0) return null;
  return createHash('sha256').update(JSON.stringify(held)).digest('base64url').slice(0, DIGEST);
}

const above = new WeakMap<DocType, readonly FieldColumn[]>();

function aboveLevelZero(doctype: DocType): readonly FieldColumn[] {
  let fields = above.get(doctype);
  if (!fields) {
    fields = referencesOf(doctype).filter(({ field }) => field.permlevel > 0);
    above.set(doctype, fields);
  }
  return fields;
}

/** What the server may change on its own, when something that the document names gets another name. */
const REFERENCES: ReadonlySet<string> = new Set(['Link', 'Dynamic Link', 'Attach', 'Attach Image']);

function referencesOf(doctype: DocType): readonly FieldColumn[] {
  return layoutOf(doctype).fields.filter(({ field }) => REFERENCES.has(field.fieldtype));
}
