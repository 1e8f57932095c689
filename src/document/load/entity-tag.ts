import { createHash } from 'node:crypto';
import { mayLearn, type RowsOf } from '../../access/field-level.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { ChildRow, DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { memo, memo2 } from '../../kernel/memo.ts';
import type { Site } from '../contract.ts';
import type { Loaded } from '../document.ts';
import { rowsOf } from '../document.ts';
import { type FieldColumn, layoutOf } from '../layout.ts';

type TagSite = Pick<Site, 'doctypes' | 'restored'>;

/** Characters of the digest: 66 bits. */
const DIGEST = 11;

/**
 * The tag that identifies a state of a document for one reader: the revision, and a digest of the links and
 * files that the document shows in fields above permlevel 0. A rename of the target of such a field does not
 * count a revision: readers who may not see the field would learn which documents name the target. After a restore,
 * revisions count from an earlier state, so the tag has the restore's mark.
 */
export function entityTag({ doctypes, restored }: TagSite, { doc, revision }: Loaded): string {
  const digest = digestOfLevels(doctypes, doc, null);
  return revisionTag({ restored }, revision) + (digest === null ? '' : `-${digest}`);
}

/** The tag of a document without such fields. */
export function revisionTag({ restored }: Pick<Site, 'restored'>, revision: number): string {
  return restored === null ? `${revision}` : `${revision}.${restored}`;
}

/** The parts of a tag. */
interface EntityTag {
  readonly revision: number;
  readonly restored: string | null;
  readonly digest?: string;
}

/** Parses a tag: a revision, the mark of a restore, and the digest if there is one. Null for text that is not a tag. */
export function parseEntityTag(text: string): EntityTag | null {
  const [, revision, restored = null, digest] =
    /^(\d{1,15})(?:\.([0-9a-f]{8}))?(?:-([\w-]{11}))?$/.exec(text) ?? [];
  if (revision === undefined) return null;
  return { revision: Number(revision), restored, ...(digest !== undefined && { digest }) };
}

/**
 * The digest of the links and files in fields above permlevel 0; null when the document has no such field.
 * Covers the fields that `user` may see of a stored document, otherwise all present ones.
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
  const { own, tables } = digestedOf(registry, doctype);
  take(doc, doctype, own);
  for (const { table, child, fields } of tables) {
    const place = { parent: doctype, table };
    for (const row of rowsOf(doc, table)) take(row, child, fields, place);
  }
  if (held.length === 0) return null;
  return createHash('sha256').update(JSON.stringify(held)).digest('base64url').slice(0, DIGEST);
}

/** True when tags of the doctype's documents may have a digest. */
export function mayHaveDigest(registry: DoctypeRegistry, doctype: DocType): boolean {
  const { own, tables } = digestedOf(registry, doctype);
  return own.length > 0 || tables.length > 0;
}

/** The fields that a digest covers. */
const digestedOf = memo2((registry: DoctypeRegistry, doctype: DocType) => ({
  own: aboveLevelZero(doctype),
  tables: doctype.tables.flatMap(({ fieldname, options, permlevel }) => {
    const child = registry.get(options);
    const fields = permlevel > 0 ? referencesOf(child) : aboveLevelZero(child);
    return fields.length === 0 ? [] : [{ table: fieldname, child, fields }];
  }),
}));

const aboveLevelZero = memo((doctype: DocType): readonly FieldColumn[] =>
  referencesOf(doctype).filter(({ field }) => field.permlevel > 0),
);

/** Fields that the server changes by itself when their target is renamed. */
const REFERENCES: ReadonlySet<string> = new Set(['Link', 'Dynamic Link', 'Attach', 'Attach Image']);

function referencesOf(doctype: DocType): readonly FieldColumn[] {
  return layoutOf(doctype).fields.filter(({ field }) => REFERENCES.has(field.fieldtype));
}
