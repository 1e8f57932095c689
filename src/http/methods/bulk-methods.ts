import type { Fields } from '../../kernel/value.ts';
import { textArgument } from '../arguments.ts';
import { type BulkItem, bulkReport, recordsArgument, runBulk } from '../bulk.ts';
import type { BuiltIn, BuiltIns } from './built-in.ts';

/** Many documents in one request, each in a unit of work of its own: so the method itself has none. */
export const bulkMethods: BuiltIns = {
  bulk_delete: many(async (_ctx, args, call) => {
    const items = recordsArgument(args, 'docs').map((doc) => ({ ...placeOf(doc, 'name'), fields: null }));
    return bulkReport('deleted', items, await runBulk(call, items), place);
  }),

  bulk_update: many(async (_ctx, args, call) => {
    const items = recordsArgument(args, 'docs').map((doc) => itemOf(doc, 'name'));
    return bulkReport('updated', items, await runBulk(call, items), place);
  }),

  'frappe.client.bulk_update': many(async (_ctx, args, call) => {
    const docs = recordsArgument(args, 'docs');
    const outcomes = await runBulk(
      call,
      docs.map((doc) => itemOf(doc, 'docname')),
    );
    return {
      failed_docs: docs.flatMap((doc, index) => {
        const error = outcomes[index];
        return error ? [{ doc, exc: `frappe.exceptions.${error.type}: ${error.message}` }] : [];
      }),
    };
  }),
};

function many(run: BuiltIn['run']): BuiltIn {
  return { http: ['POST', 'PUT'], allowGuest: false, context: 'read', run };
}

function placeOf(doc: Fields, nameKey: 'name' | 'docname') {
  return { doctypeName: textArgument(doc, 'doctype'), name: textArgument(doc, nameKey) };
}

function itemOf(doc: Fields, nameKey: 'name' | 'docname'): BulkItem {
  const { doctype: _doctype, [nameKey]: _name, ...fields } = doc;
  return { ...placeOf(doc, nameKey), fields };
}

function place({ doctypeName, name }: BulkItem) {
  return { doctype: doctypeName, name };
}
