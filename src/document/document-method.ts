import { requireMethodInScope } from '../access/key-scope.ts';
import { requirePermission } from '../access/permission.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { cancelDocument } from './cancel.ts';
import type { Context } from './context.ts';
import { type Controllers, controllersOf } from './controller.ts';
import { createDocument } from './create.ts';
import { load } from './load.ts';
import { type DocumentMethod, type DocumentVerb, defineDocumentMethod } from './method.ts';
import { absent, requireRight, visibleTo, writableDoctype } from './permit.ts';
import { renameDocument } from './rename.ts';
import { openStored } from './save.ts';
import { submitDocument } from './submit.ts';

/** A document method as a client asks for it. */
export interface DocumentCall {
  readonly doctypeName: string;
  readonly name: string;
  readonly method: string;
  readonly verb: DocumentVerb;
  /** As sent; the method checks them. */
  readonly args: Fields;
}

/**
 * Runs a method of one document: `submit`, `cancel`, `rename`, `add_comment`, or one that a controller declares. By GET
 * it needs the right to read the document and has no effects, by POST the right to write.
 * @throws ServiceError PermissionError, DoesNotExistError, MethodNotAllowedError, and what the method throws
 */
export async function runDocumentMethod(ctx: Context, call: DocumentCall): Promise<unknown> {
  const doctype = writableDoctype(ctx, call.doctypeName);
  const method = findMethod(ctx, doctype, call.method);
  const doc =
    call.verb === 'GET' ? await openToRead(ctx, doctype, call.name) : await openToWrite(ctx, doctype, call);
  if (!method) throw new ServiceError('DoesNotExistError', `${doctype.name} has no method ${call.method}`);
  // What every document has, anybody may do who may write it; an app's own methods are named like any method.
  if (!Object.hasOwn(ALWAYS, call.method)) {
    requireMethodInScope(ctx.user, `${doctype.name}.${call.method}`, call.verb === 'GET');
  }
  if (!method.http.includes(call.verb)) {
    const allow = method.http.join(', ');
    throw new ServiceError('MethodNotAllowedError', `Method ${call.method} answers ${allow}`, {
      headers: { Allow: allow },
    });
  }
  const result = await method.run(doc, ctx, call.args);
  // The method worked on the whole document; whoever asked sees what they may read of it.
  return result === doc ? visibleTo(ctx, doctype, doc) : result;
}

async function openToRead(ctx: Context, doctype: DocType, name: string): Promise<Document> {
  requirePermission(ctx.user, doctype, 'read');
  const stored = await load(ctx, doctype, name);
  if (!stored) throw absent(ctx, doctype, name, 'read');
  await requireRight(ctx, doctype, 'read', stored.doc);
  return stored.doc;
}

async function openToWrite(ctx: Context, doctype: DocType, { name }: DocumentCall): Promise<Document> {
  return (await openStored(ctx, doctype, name, 'write')).doc;
}

/** The methods that controllers declare for a doctype, by name. */
export function declaredMethods(
  controllers: Controllers,
  doctype: DocType,
): ReadonlyMap<string, DocumentMethod> {
  const found = new Map<string, DocumentMethod>();
  for (const { documentMethods } of [
    ...(controllers.get(doctype.name) ?? []),
    ...(controllers.get('*') ?? []),
  ]) {
    for (const [name, method] of Object.entries(documentMethods ?? {})) {
      if (!found.has(name)) found.set(name, method);
    }
  }
  return found;
}

// An app's method of the same name wins, as it would by inheritance.
function findMethod(ctx: Context, doctype: DocType, name: string): DocumentMethod | null {
  for (const { documentMethods } of controllersOf(ctx, doctype)) {
    const own = documentMethods && Object.hasOwn(documentMethods, name) ? documentMethods[name] : undefined;
    if (own) return own;
  }
  return Object.hasOwn(ALWAYS, name) ? (ALWAYS[name] ?? null) : null;
}

const ALWAYS: Readonly<Record<string, DocumentMethod>> = {
  // Clients send what they have at hand along with these two.
  submit: defineDocumentMethod({
    args: 'any',
    run: (doc, ctx) => submitDocument(ctx, doc.doctype, doc.name),
  }),
  cancel: defineDocumentMethod({
    args: 'any',
    run: (doc, ctx) => cancelDocument(ctx, doc.doctype, doc.name),
  }),
  rename: defineDocumentMethod({
    args: {
      name: { type: 'Text', required: true },
      merge: { type: 'Check' },
      // Nothing is forced, and everything is checked.
      force: { type: 'JSON' },
      validate_rename: { type: 'JSON' },
    },
    run: (doc, ctx, { name, merge }) => renameDocument(ctx, doc.doctype, doc.name, name, { merge }),
  }),
  add_comment: defineDocumentMethod({
    args: {
      comment_type: { type: 'Data', default: 'Comment' },
      text: { type: 'Text' },
      comment_email: { type: 'Data' },
      comment_by: { type: 'Data' },
    },
    run: (doc, ctx, { text, ...comment }) =>
      createDocument(ctx, 'Comment', {
        ...comment,
        reference_doctype: doc.doctype,
        reference_name: doc.name,
        content: text,
      }),
  }),
};

/** What clients send for true: a Boolean, a number, or text of either. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true' || value === 'True';
}
