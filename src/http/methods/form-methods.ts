import { allows } from '../../access/permission.ts';
import { type Document, RIGHTS, type Right } from '../../doctype/doctype.ts';
import type { Context } from '../../document/context.ts';
import { createDocument } from '../../document/create.ts';
import { runDocumentMethod } from '../../document/document-method.ts';
import { presentDocument } from '../../document/present.ts';
import { readDocument } from '../../document/read.ts';
import { readPassword } from '../../document/read-password.ts';
import { hasRightOn, rightsOn } from '../../document/rights-on.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/value.ts';
import { describeWithChildren } from '../../site/describe-doctype.ts';
import { type Arguments, looseArgument, optionalText, recordArgument, textArgument } from '../arguments.ts';
import { docinfo } from '../docinfo.ts';
import { type BuiltIn, type BuiltIns, reading, writing } from './built-in.ts';

/** What a form asks: what it may do, the definition it follows, the document it shows, and methods of that document. */
export const formMethods: BuiltIns = {
  'frappe.client.has_permission': reading(async (ctx, args) => {
    const doctype = ctx.doctypes.get(textArgument(args, 'doctype'));
    const right = rightArgument(args);
    const name = optionalText(args, 'docname');
    const allowed =
      allows(ctx.user, doctype, right) && (!name || (await hasRightOn(ctx, doctype, name, right)));
    return { has_permission: allowed };
  }),

  'frappe.client.get_doc_permissions': reading(async (ctx, args) => {
    const doc = await readDocument(ctx, textArgument(args, 'doctype'), textArgument(args, 'docname'));
    return { permissions: await rightsOn(ctx, ctx.doctypes.get(doc.doctype), doc) };
  }),

  /** The clear text; null when there is none. */
  'frappe.client.get_password': reading((ctx, args) =>
    readPassword(
      ctx,
      textArgument(args, 'doctype'),
      textArgument(args, 'name'),
      textArgument(args, 'fieldname'),
    ),
  ),

  'frappe.client.get_time_zone': {
    ...reading((ctx) => Promise.resolve({ time_zone: ctx.site.config.timeZone })),
    allowGuest: true,
  },

  /** `{docs: [DocType, DocTypes of its child tables], user_settings}`: beside `message`, and without one. */
  'frappe.desk.form.load.getdoctype': reading(async (ctx, args, call) => {
    call.more.docs = await describeWithChildren(ctx, textArgument(args, 'doctype'));
    call.more.user_settings = '{}';
  }),

  /** `{docs: [document], docinfo}`. */
  'frappe.desk.form.load.getdoc': reading(async (ctx, args, call) => {
    const doc = await readDocument(ctx, textArgument(args, 'doctype'), textArgument(args, 'name'));
    call.more.docs = [shown(ctx, doc)];
    call.more.docinfo = await docinfo(ctx, ctx.doctypes.get(doc.doctype), doc);
  }),

  run_doc_method: runMethod(),
  'frappe.handler.run_doc_method': runMethod(),

  'frappe.desk.form.utils.add_comment': writing(['POST', 'PUT'], (ctx, args) =>
    createDocument(ctx, 'Comment', {
      comment_type: 'Comment',
      reference_doctype: textArgument(args, 'reference_doctype'),
      reference_name: textArgument(args, 'reference_name'),
      content: textArgument(args, 'content'),
      comment_email: args.comment_email ?? null,
      comment_by: args.comment_by ?? null,
    }),
  ),
};

function rightArgument(args: Arguments): Right {
  const asked = (optionalText(args, 'perm_type') ?? 'read').toLowerCase();
  const right = RIGHTS.find((one) => one === asked);
  if (!right) throw new ServiceError('ValidationError', `There is no right ${asked}`);
  return right;
}

function shown(ctx: Context, doc: Document): Record<string, unknown> {
  return presentDocument(ctx.doctypes, doc, {
    nulls: false,
    precision: ctx.site.settings.timestampPrecision,
  });
}

// `{docs: [document], message}`: the stored document is what the method runs on, whatever else is sent of it.
function runMethod(): BuiltIn {
  return {
    http: ['GET', 'POST'],
    allowGuest: false,
    context: 'unit',
    async run(ctx, args, call) {
      const sent = args.dt === undefined ? recordArgument(args, 'docs') : {};
      const doctypeName = optionalText(args, 'dt') ?? textArgument(sent, 'doctype');
      const name = optionalText(args, 'dn') ?? optionalText(sent, 'name') ?? doctypeName;
      const method = textArgument(args, 'method');
      const given = looseArgument(args, 'args') ?? looseArgument(args, 'arg');
      const { method: verb } = call.request;
      const result = await runDocumentMethod(ctx, {
        doctypeName,
        name,
        method,
        verb: verb === 'POST' ? 'POST' : 'GET',
        args: isRecord(given)
          ? given
          : given === undefined || given === null || given === ''
            ? {}
            : { arg: given },
      });
      const now = method === 'rename' && typeof result === 'string' ? result : name;
      call.more.docs = [shown(ctx, await readDocument(ctx, doctypeName, now))];
      return result;
    },
  };
}
