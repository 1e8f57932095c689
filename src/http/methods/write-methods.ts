import type { DocType, Document } from '../../doctype/doctype.ts';
import { cancelDocument } from '../../document/cancel.ts';
import type { Context } from '../../document/context.ts';
import { createDocument } from '../../document/create.ts';
import { deleteDocument } from '../../document/delete.ts';
import { rowsOf } from '../../document/document.ts';
import { isTrue } from '../../document/document-method.ts';
import { readDocument } from '../../document/read.ts';
import { renameDocument } from '../../document/rename.ts';
import { submitDocument } from '../../document/submit.ts';
import { updateDocument } from '../../document/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import { type Arguments, looseArgument, optionalText, recordArgument, textArgument } from '../arguments.ts';
import { type BuiltIns, writing } from './built-in.ts';

/** `frappe.client.*` that writes. */
export const writeMethods: BuiltIns = {
  'frappe.client.insert': writing(['POST', 'PUT'], (ctx, args) => insert(ctx, recordArgument(args, 'doc'))),

  'frappe.client.insert_many': writing(['POST', 'PUT'], async (ctx, args, { request }) => {
    const docs = looseArgument(args, 'docs');
    if (!Array.isArray(docs) || !docs.every(isRecord)) {
      throw new ServiceError('ValidationError', 'Argument docs is required and must be a list of objects');
    }
    if (docs.length > LIMITS.insertMany) {
      throw new ServiceError('ValidationError', `Only ${LIMITS.insertMany} inserts allowed in one request`);
    }
    request.spend(docs.length - 1);
    const names: string[] = [];
    for (const doc of docs) names.push((await insert(ctx, doc)).name);
    return names;
  }),

  'frappe.client.save': writing(['POST', 'PUT'], (ctx, args) => {
    const doc = recordArgument(args, 'doc');
    const name = optionalText(doc, 'name');
    return name === undefined
      ? insert(ctx, doc)
      : updateDocument(ctx, textArgument(doc, 'doctype'), name, doc);
  }),

  'frappe.client.set_value': writing(['POST', 'PUT'], (ctx, args) => setValue(ctx, args)),

  'frappe.client.submit': writing(['POST', 'PUT'], async (ctx, args) => {
    // The Python client calls the argument doclist.
    const doc = recordArgument(args, args.doc === undefined ? 'doclist' : 'doc');
    const doctypeName = textArgument(doc, 'doctype');
    const { docstatus: _docstatus, ...fields } = doc;
    const name = optionalText(doc, 'name') ?? (await createDocument(ctx, doctypeName, fields)).name;
    return submitDocument(ctx, doctypeName, name, optionalText(doc, 'name') === undefined ? {} : fields);
  }),

  'frappe.client.cancel': writing(['POST', 'PUT'], (ctx, args) =>
    cancelDocument(ctx, textArgument(args, 'doctype'), textArgument(args, 'name')),
  ),

  'frappe.client.delete': writing(['POST', 'DELETE'], async (ctx, args) => {
    await deleteDocument(ctx, textArgument(args, 'doctype'), textArgument(args, 'name'));
    return null;
  }),

  'frappe.client.rename_doc': writing(['POST', 'PUT'], (ctx, args) =>
    renameDocument(
      ctx,
      textArgument(args, 'doctype'),
      textArgument(args, 'old_name'),
      textArgument(args, 'new_name'),
      { merge: isTrue(args.merge) },
    ),
  ),
};

// A child row is added through its parent, which is what comes back.
async function insert(ctx: Context, doc: Fields): Promise<Document> {
  const doctype = ctx.doctypes.get(textArgument(doc, 'doctype'));
  if (!doctype.istable) return createDocument(ctx, doctype.name, doc);
  const parenttype = textArgument(doc, 'parenttype');
  const parentfield = textArgument(doc, 'parentfield');
  const parent = await parentOf(ctx, doctype, {
    parenttype,
    parentfield,
    parent: textArgument(doc, 'parent'),
  });
  const rows = [...rowsOf(parent, parentfield), doc];
  return updateDocument(ctx, parenttype, parent.name, { [parentfield]: rows });
}

// What a whole document carries beside its fields; set_value sets fields.
const NOT_FIELDS = new Set([
  'name',
  'doctype',
  'owner',
  'creation',
  'modified_by',
  'docstatus',
  'idx',
  'parent',
  'parentfield',
  'parenttype',
]);

async function setValue(ctx: Context, args: Arguments): Promise<Document> {
  const doctype = ctx.doctypes.get(textArgument(args, 'doctype'));
  const name = doctype.issingle ? doctype.name : textArgument(args, 'name');
  const values = valuesToSet(args);
  if (!doctype.istable) return updateDocument(ctx, doctype.name, name, values);
  const place = await readDocument(ctx, doctype.name, name);
  const parentfield = String(place.parentfield);
  const parent = await parentOf(ctx, doctype, {
    parenttype: String(place.parenttype),
    parentfield,
    parent: String(place.parent),
  });
  const rows = rowsOf(parent, parentfield).map((row) => (row.name === name ? { ...row, ...values } : row));
  return updateDocument(ctx, parent.doctype, parent.name, { [parentfield]: rows });
}

function valuesToSet(args: Arguments): Fields {
  const fieldname = looseArgument(args, 'fieldname');
  if (isRecord(fieldname)) {
    return Object.fromEntries(Object.entries(fieldname).filter(([key]) => !NOT_FIELDS.has(key)));
  }
  const single = textArgument(args, 'fieldname');
  if (NOT_FIELDS.has(single) || single === 'modified') {
    throw new ServiceError('ValidationError', 'Cannot edit standard fields');
  }
  return { [single]: args.value ?? null };
}

interface Place {
  readonly parenttype: string;
  readonly parentfield: string;
  readonly parent: string;
}

async function parentOf(ctx: Context, child: DocType, place: Place): Promise<Document> {
  const field = ctx.doctypes.get(place.parenttype).fieldByName.get(place.parentfield);
  if (field?.options !== child.name) {
    throw new ServiceError(
      'ValidationError',
      `${place.parentfield} is not a table of ${child.name} in ${place.parenttype}`,
    );
  }
  return readDocument(ctx, place.parenttype, place.parent);
}
