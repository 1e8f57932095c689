import type { Document } from '../doctype/doctype.ts';
import { NAME_SCHEMA, nameIn } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { cancelDocument } from '../document/verbs/cancel.ts';
import { createDocument } from '../document/verbs/create.ts';
import { renameDocument, renamedMessage } from '../document/verbs/rename.ts';
import { submitDocument } from '../document/verbs/submit.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import {
  asSent,
  FLAG,
  json,
  missingText,
  OPTIONAL_TEXT,
  optionalText,
  RECORD,
  recordArgument,
  records,
  required,
  TEXT,
  textArgument,
} from './arguments.ts';
import { CREATES, DELETES, EDITS, RENAMES, UPDATES } from './events.ts';
import { defineOperation, type Operation, successNotice } from './operation.ts';
import { createRecord, deleteRecord, updateRecord } from './records.ts';
import { DOCUMENT, NOTHING } from './result.ts';

/** The `frappe.client.*` operations that write. */
export const writingOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.client.insert',
    summary: 'Create a document',
    effect: 'write',
    events: [...CREATES, ...EDITS],
    args: { doc: RECORD },
    result: DOCUMENT,
    run: (ctx, { doc }) => insert(ctx, doc),
  }),

  defineOperation({
    name: 'frappe.client.insert_many',
    summary: 'Create documents, all or none',
    effect: 'write',
    events: [...CREATES, ...EDITS],
    args: { docs: records(LIMITS.insertMany) },
    result: { type: 'array', items: NAME_SCHEMA, description: 'Their names' },
    run: async (ctx, { docs }, call) => {
      call.spend(docs.length - 1);
      const names: (string | number)[] = [];
      for (const doc of docs) {
        const { doctype, name } = await insert(ctx, doc);
        names.push(nameIn(ctx.doctypes, doctype, name));
      }
      return names;
    },
  }),

  defineOperation({
    name: 'frappe.client.save',
    summary: 'Create or update a document',
    effect: 'write',
    events: [...CREATES, ...UPDATES],
    args: { doc: RECORD },
    result: DOCUMENT,
    run: async (ctx, { doc }) => {
      const name = optionalText(doc, 'name');
      if (name === undefined) return insert(ctx, doc);
      return (await updateRecord(ctx, textArgument(doc, 'doctype'), name, doc)).doc;
    },
  }),

  defineOperation({
    name: 'frappe.client.set_value',
    summary: 'Set fields of a document, or of a single doctype',
    effect: 'write',
    events: EDITS,
    args: { doctype: TEXT, name: OPTIONAL_TEXT, fieldname: required(json()), value: asSent() },
    result: DOCUMENT,
    run: async (ctx, { doctype, name, fieldname, value }) => {
      const found = ctx.doctypes.get(doctype);
      const named = found.issingle ? found.name : name;
      if (named === undefined) throw missingText('name');
      // For a child row, its parent is returned.
      return (await updateRecord(ctx, found.name, named, valuesToSet(fieldname, value))).holder;
    },
  }),

  defineOperation({
    name: 'frappe.client.submit',
    summary: 'Submit a document, after saving the fields that are sent',
    effect: 'write',
    events: CREATES,
    // The Python client names the argument doclist.
    args: { doc: json({ type: 'object' }), doclist: json({ type: 'object' }) },
    result: DOCUMENT,
    run: async (ctx, { doc: sent, doclist }) => {
      const doc = recordArgument({ doc: sent === undefined ? doclist : sent }, 'doc');
      const doctypeName = textArgument(doc, 'doctype');
      const { docstatus: _docstatus, ...fields } = doc;
      const name = optionalText(doc, 'name') ?? (await createDocument(ctx, doctypeName, fields)).name;
      return submitDocument(ctx, doctypeName, name, optionalText(doc, 'name') === undefined ? {} : fields);
    },
  }),

  defineOperation({
    name: 'frappe.client.cancel',
    summary: 'Cancel a submitted document',
    effect: 'write',
    events: ['on_cancel', 'on_change'],
    args: { doctype: TEXT, name: TEXT },
    result: DOCUMENT,
    run: (ctx, { doctype, name }) => cancelDocument(ctx, doctype, name),
  }),

  defineOperation({
    name: 'frappe.client.delete',
    summary: 'Delete a document',
    effect: 'write',
    events: DELETES,
    http: ['POST', 'DELETE'],
    args: { doctype: TEXT, name: TEXT },
    result: NOTHING,
    run: async (ctx, { doctype, name }) => {
      await deleteRecord(ctx, doctype, name);
      return null;
    },
  }),

  defineOperation({
    name: 'frappe.client.rename_doc',
    summary: 'Rename a document, or merge it into another',
    effect: 'write',
    events: RENAMES,
    args: { doctype: TEXT, old_name: TEXT, new_name: TEXT, merge: FLAG },
    result: { ...NAME_SCHEMA, description: 'The new name' },
    run: async (ctx, { doctype, old_name: before, new_name, merge }, call) => {
      const name = await renameDocument(ctx, doctype, before, new_name, { merge });
      call.notices.push(successNotice(renamedMessage(before, name)));
      return nameIn(ctx.doctypes, doctype, name);
    },
  }),
];

// For a child row, its parent is returned.
async function insert(ctx: Context, doc: Fields): Promise<Document> {
  return (await createRecord(ctx, textArgument(doc, 'doctype'), doc)).holder;
}

// Keys of a whole document that are not fields; set_value sets only fields.
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

function valuesToSet(fieldname: unknown, value: unknown): Fields {
  if (isRecord(fieldname)) {
    return Object.fromEntries(Object.entries(fieldname).filter(([key]) => !NOT_FIELDS.has(key)));
  }
  const single = textArgument({ fieldname }, 'fieldname');
  if (NOT_FIELDS.has(single) || single === 'modified') {
    throw new ServiceError('ValidationError', 'Cannot edit standard fields');
  }
  return { [single]: value ?? null };
}
