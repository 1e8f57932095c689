import { allows } from '../access/permission.ts';
import { type Document, RIGHTS } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { presentDocument } from '../document/load/present.ts';
import { hasRightOn, rightsOn } from '../document/load/rights-on.ts';
import { createDocument } from '../document/verbs/create.ts';
import { runDocumentMethod } from '../document/verbs/document-method.ts';
import { readDocument } from '../document/verbs/read.ts';
import { readPassword } from '../document/verbs/read-password.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/value.ts';
import { describeWithChildren } from '../site/schema/definitions/describe-doctype.ts';
import {
  type ArgumentValues,
  asSent,
  type DeclaredArgument,
  json,
  OPTIONAL_TEXT,
  optionalText,
  recordArgument,
  TEXT,
  textArgument,
} from './arguments.ts';
import { docinfo } from './docinfo.ts';
import { type Call, defineOperation, type Operation, successNotice } from './operation.ts';
import { DOCUMENT, NOTHING, object } from './result.ts';

/** A right, in upper or lower case. */
const RIGHT: DeclaredArgument<(typeof RIGHTS)[number]> = {
  schema: { type: 'string', enum: RIGHTS, default: 'read' },
  required: false,
  parse(given, name) {
    const asked = (optionalText(given, name) ?? 'read').toLowerCase();
    const right = RIGHTS.find((one) => one === asked);
    if (!right) throw new ServiceError('ValidationError', `There is no right ${asked}`);
    return right;
  },
};

const RUN_ARGUMENTS = {
  dt: OPTIONAL_TEXT,
  dn: OPTIONAL_TEXT,
  docs: asSent({ type: 'object' }),
  method: TEXT,
  args: json(),
  arg: json(),
};

/** The requests of a form: the user's rights, the definition, the document, and the document's methods. */
export const formOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.client.has_permission',
    summary: 'Check whether the caller has a right on a doctype or a document',
    effect: 'read',
    args: { doctype: TEXT, docname: OPTIONAL_TEXT, perm_type: RIGHT },
    result: object({ has_permission: { type: 'boolean' } }),
    run: async (ctx, { doctype: doctypeName, docname, perm_type: right }) => {
      const doctype = ctx.doctypes.get(doctypeName);
      const allowed =
        allows(ctx.user, doctype, right) && (!docname || (await hasRightOn(ctx, doctype, docname, right)));
      return { has_permission: allowed };
    },
  }),

  defineOperation({
    name: 'frappe.client.get_doc_permissions',
    summary: 'List the rights of the caller on a document',
    effect: 'read',
    args: { doctype: TEXT, docname: TEXT },
    result: object({ permissions: { type: 'object' } }),
    run: async (ctx, { doctype, docname }) => {
      const doc = await readDocument(ctx, doctype, docname);
      return { permissions: await rightsOn(ctx, ctx.doctypes.get(doc.doctype), doc) };
    },
  }),

  defineOperation({
    name: 'frappe.client.get_password',
    summary: 'Read a password in clear text, or null if none is set. For System Managers',
    effect: 'read',
    confidential: true,
    args: { doctype: TEXT, name: TEXT, fieldname: TEXT },
    result: { type: ['string', 'null'] },
    run: (ctx, { doctype, name, fieldname }) => readPassword(ctx, doctype, name, fieldname),
  }),

  defineOperation({
    name: 'frappe.client.get_time_zone',
    summary: 'Get the time zone of the site',
    effect: 'read',
    access: 'guest',
    result: object({ time_zone: { type: 'string' } }),
    run: (ctx) => ({ time_zone: ctx.site.config.timeZone }),
  }),

  // Has no result; the reply holds `docs` with the doctype and its child doctypes.
  defineOperation({
    name: 'frappe.desk.form.load.getdoctype',
    summary: 'Read a doctype and those of its child tables',
    effect: 'read',
    args: { doctype: TEXT },
    result: NOTHING,
    run: async (ctx, { doctype }, call) => {
      call.more['docs'] = await describeWithChildren(ctx, doctype);
      call.more['user_settings'] = '{}';
    },
  }),

  // Has no result; the reply holds `docs` with the document, and `docinfo`.
  defineOperation({
    name: 'frappe.desk.form.load.getdoc',
    summary: 'Read a document and everything that a form shows beside it',
    effect: 'read',
    args: { doctype: TEXT, name: TEXT },
    result: NOTHING,
    run: async (ctx, { doctype, name }, call) => {
      const doc = await readDocument(ctx, doctype, name);
      call.more['docs'] = [shown(ctx, doc)];
      call.more['docinfo'] = await docinfo(ctx, ctx.doctypes.get(doc.doctype), doc);
    },
  }),

  ...['run_doc_method', 'frappe.handler.run_doc_method'].map((name) =>
    defineOperation({
      name,
      summary: 'Run a method of a document',
      effect: 'write',
      events: 'any',
      http: ['GET', 'POST'],
      args: RUN_ARGUMENTS,
      run: runMethod,
    }),
  ),

  defineOperation({
    name: 'frappe.desk.form.utils.add_comment',
    summary: 'Comment on a document',
    effect: 'write',
    events: ['after_insert', 'on_change'],
    args: {
      reference_doctype: TEXT,
      reference_name: TEXT,
      content: TEXT,
      comment_email: asSent({ type: 'string' }),
      comment_by: asSent({ type: 'string' }),
    },
    result: DOCUMENT,
    run: (ctx, { comment_email = null, comment_by = null, ...about }) =>
      createDocument(ctx, 'Comment', { comment_type: 'Comment', ...about, comment_email, comment_by }),
  }),
];

function shown(ctx: Context, doc: Document): Record<string, unknown> {
  return presentDocument(ctx.doctypes, doc, {
    nulls: false,
    precision: ctx.site.settings.timestampPrecision,
  });
}

// `docs` holds the document after the call: the stored one, whatever else the client sent.
async function runMethod(
  ctx: Context,
  { dt, dn, docs, method, args, arg }: ArgumentValues<typeof RUN_ARGUMENTS>,
  call: Call,
): Promise<unknown> {
  const sent = dt === undefined ? recordArgument({ docs }, 'docs') : {};
  const doctypeName = dt ?? textArgument(sent, 'doctype');
  const name = dn ?? optionalText(sent, 'name') ?? doctypeName;
  const { result, message } = await runDocumentMethod(ctx, {
    doctypeName,
    name,
    method,
    verb: call.verb === 'POST' ? 'POST' : 'GET',
    args: methodArguments(args ?? arg),
  });
  if (message !== null) call.notices.push(successNotice(message));
  const isName = typeof result === 'string' || typeof result === 'number';
  const now = method === 'rename' && isName ? String(result) : name;
  call.more['docs'] = [shown(ctx, await readDocument(ctx, doctypeName, now))];
  return result;
}

function methodArguments(given: unknown): Record<string, unknown> {
  if (isRecord(given)) return given;
  return given === undefined || given === null || given === '' ? {} : { arg: given };
}
