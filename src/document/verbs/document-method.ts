import { requireMethodInScope } from '../../access/key-scope.ts';
import { requirePermission } from '../../access/permission.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { nameIn } from '../../doctype/numbered.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Context, Controllers, DocumentMethod, DocumentVerb } from '../contract.ts';
import { controllersOf } from '../controller.ts';
import { load } from '../load/load.ts';
import { absent, requireRight, visibleTo, writableDoctype } from '../load/permit.ts';
import { openStored } from '../write/save.ts';
import { cancelDocument } from './cancel.ts';
import { createDocument } from './create.ts';
import { defineDocumentMethod } from './method.ts';
import { renameDocument, renamedMessage } from './rename.ts';
import { submitDocument } from './submit.ts';

/** A client's call of a document method. */
export interface DocumentCall {
  readonly doctypeName: string;
  readonly name: string;
  readonly method: string;
  readonly verb: DocumentVerb;
  /** As sent; the method checks them. */
  readonly args: Fields;
}

/** What a document method returns, and its message for the person; null for none. */
export interface Ran {
  readonly result: unknown;
  readonly message: string | null;
}

/**
 * Runs a method of one document: `submit`, `cancel`, `rename`, `add_comment`, or one declared by a
 * controller. GET needs the right to read the document and has no effects, POST the right to write.
 * @throws ServiceError PermissionError, DoesNotExistError, MethodNotAllowedError, and the errors of the
 * method
 */
export async function runDocumentMethod(ctx: Context, call: DocumentCall): Promise<Ran> {
  const doctype = writableDoctype(ctx, call.doctypeName);
  const method = findMethod(ctx, doctype, call.method);
  const doc =
    call.verb === 'GET' ? await openToRead(ctx, doctype, call.name) : await openToWrite(ctx, doctype, call);
  if (!method) throw new ServiceError('DoesNotExistError', `${doctype.name} has no method ${call.method}`);
  // Built-in methods need only the right to write; an app's methods need to be allowed by name like any
  // method.
  if (!Object.hasOwn(ALWAYS, call.method)) {
    requireMethodInScope(ctx.user, `${doctype.name}.${call.method}`, call.verb === 'GET');
  }
  if (!method.http.includes(call.verb)) {
    const allow = method.http.join(', ');
    throw new ServiceError('MethodNotAllowedError', `Method ${call.method} accepts only ${allow}`, {
      headers: { Allow: allow },
    });
  }
  const result = await method.run(doc, ctx, call.args);
  const message = method.message?.(doc, result) ?? null;
  // The method worked on the whole document; the caller sees the fields that they may read.
  return { result: result === doc ? await visibleTo(ctx, doctype, doc) : result, message };
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

// An app's method of the same name wins, as with inheritance.
function findMethod(ctx: Context, doctype: DocType, name: string): BuiltInMethod | null {
  for (const { documentMethods } of controllersOf(ctx, doctype)) {
    const own = documentMethods && Object.hasOwn(documentMethods, name) ? documentMethods[name] : undefined;
    if (own) return own;
  }
  return Object.hasOwn(ALWAYS, name) ? (ALWAYS[name] ?? null) : null;
}

interface BuiltInMethod extends DocumentMethod {
  /** A message for the person. */
  message?(doc: Document, result: unknown): string;
}

const ALWAYS: Readonly<Record<string, BuiltInMethod>> = {
  // Clients send other parameters along with these two.
  submit: defineDocumentMethod({
    args: 'any',
    run: (doc, ctx) => submitDocument(ctx, doc.doctype, doc.name),
  }),
  cancel: defineDocumentMethod({
    args: 'any',
    run: (doc, ctx) => cancelDocument(ctx, doc.doctype, doc.name),
  }),
  rename: {
    ...defineDocumentMethod({
      args: {
        name: { type: 'Text', required: true },
        merge: { type: 'Check' },
        // Accepted and ignored: all checks apply.
        force: { type: 'JSON' },
        validate_rename: { type: 'JSON' },
      },
      run: async (doc, ctx, { name, merge }) => {
        const renamed = await renameDocument(ctx, doc.doctype, doc.name, name, { merge });
        return nameIn(ctx.doctypes, doc.doctype, renamed);
      },
    }),
    message: ({ name }, renamed) => renamedMessage(name, String(renamed)),
  },
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

/** True for the values that clients send for true: a Boolean, a number, or text of either. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true' || value === 'True';
}
