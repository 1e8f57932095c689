import { allows } from '../access/permission.ts';
import { EMPTY, sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import { wireName } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { listDocuments, readableRows } from '../document/list/list.ts';
import { rightsOn } from '../document/load/rights-on.ts';
import { ServiceError } from '../kernel/errors.ts';

/** Rows of each list that a form shows beside a document. */
const ROWS = 100;

type Part = (ctx: Context, doctype: DocType, doc: Document) => Promise<unknown>;

/** The parts that a document can be read with. Each holds what the reader may see. */
const PARTS: Readonly<Record<string, Part>> = {
  permissions: rightsOn,
  attachments,
  comments: (ctx, doctype, doc) => commentsOn(ctx, doctype, doc, ['Comment']),
  assignments: async (_ctx, _doctype, doc) => users(doc, '_assign').map((owner) => ({ owner, name: owner })),
  likes: async (_ctx, _doctype, doc) => users(doc, '_liked_by'),
  tags: async (_ctx, _doctype, doc) =>
    String(doc['_user_tags'] ?? '')
      .split(',')
      .filter((tag) => tag !== ''),
  versions: (ctx, doctype, doc) =>
    listed(
      ctx,
      'Version',
      ['name', 'owner', 'creation', 'data'],
      { ref_doctype: doctype.name, docname: doc.name },
      'creation desc',
    ),
  shares: (ctx, doctype, doc) =>
    listed(ctx, 'DocShare', ['name', 'user', 'everyone', 'read', 'write', 'submit', 'share'], {
      share_doctype: doctype.name,
      share_name: doc.name,
    }),
};

/**
 * The parts in `include`, a comma-separated text.
 * @throws ServiceError ValidationError for an unknown part
 */
export async function includedParts(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  include: string,
): Promise<Record<string, unknown>> {
  const names = new Set(
    include
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
  const found: Record<string, unknown> = {};
  for (const name of names) {
    if (!Object.hasOwn(PARTS, name)) {
      const known = Object.keys(PARTS).join(', ');
      throw new ServiceError(
        'ValidationError',
        `include accepts ${known}, not ${JSON.stringify(name.slice(0, 100))}`,
      );
    }
    found[name] = await PARTS[name]?.(ctx, doctype, doc);
  }
  return found;
}

/** Everything that Frappe's forms load with a document. */
export async function docinfo(
  ctx: Context,
  doctype: DocType,
  doc: Document,
): Promise<Record<string, unknown>> {
  const {
    tags,
    shares,
    likes: _likes,
    ...parts
  } = await includedParts(ctx, doctype, doc, Object.keys(PARTS).join());
  const comments = parts['comments'];
  return {
    doctype: doctype.name,
    name: wireName(doctype, doc.name),
    ...parts,
    total_comments: Array.isArray(comments) ? comments.length : 0,
    shared: shares,
    tags: Array.isArray(tags) ? tags.join() : '',
    info_logs: await commentsOn(ctx, doctype, doc, ['Info', 'Edit', 'Label']),
    assignment_logs: await commentsOn(ctx, doctype, doc, ['Assigned', 'Assignment Completed']),
    attachment_logs: await commentsOn(ctx, doctype, doc, ['Attachment', 'Attachment Removed']),
    like_logs: await commentsOn(ctx, doctype, doc, ['Like']),
    workflow_logs: await commentsOn(ctx, doctype, doc, ['Workflow']),
    communications: [],
    automated_messages: [],
    milestones: [],
    views: [],
  };
}

// Not a list of files, which shows users without access to the desk only their own.
async function attachments(ctx: Context, doctype: DocType, doc: Document): Promise<unknown> {
  const file = ctx.doctypes.get('File');
  if (!allows(ctx.user, file, 'read')) return [];
  const rows = readableRows(ctx, file);
  return ctx.db.all(
    sql`select "name", "file_name", "file_url", "is_private" from "File"
        where "attached_to_doctype" = ${doctype.name} and "attached_to_name" = ${doc.name}
          ${rows ? sql`and (${rows})` : EMPTY} order by "creation", "name" limit ${ROWS}`,
  );
}

function commentsOn(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  types: readonly string[],
): Promise<unknown> {
  const fields = ['name', 'creation', 'owner', 'content', 'comment_type', 'comment_by'];
  const filters = { reference_doctype: doctype.name, reference_name: doc.name };
  return listed(ctx, 'Comment', fields, { ...filters, comment_type: ['in', types] });
}

async function listed(
  ctx: Context,
  target: string,
  fields: readonly string[],
  filters: Readonly<Record<string, unknown>>,
  order_by = 'creation asc',
): Promise<unknown> {
  const doctype = ctx.doctypes.find(target);
  if (!doctype || !allows(ctx.user, doctype, 'read')) return [];
  return listDocuments(ctx, target, { fields, filters, order_by, limit_page_length: ROWS });
}

// Stored beside the document, like `_user_tags`.
function users(doc: Document, column: '_assign' | '_liked_by'): readonly string[] {
  const value = doc[column];
  if (typeof value !== 'string' || value === '') return [];
  const list: unknown = JSON.parse(value);
  return Array.isArray(list) ? list.map(String) : [];
}
