import type { Connection } from '../db/database.ts';
import type { Context } from '../document/contract.ts';
import { countRows, listDocuments, listDocumentsText, listRows } from '../document/list/list.ts';
import { readDocumentWithRevision } from '../document/verbs/read.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Fields, type FieldValue, isRecord } from '../kernel/value.ts';
import { isFalse } from '../query/json-parameter.ts';
import type { ListParameters } from '../query/list-query.ts';
import { asSent, json, LIST_ARGUMENTS, looseArgument, OPTIONAL_TEXT, TEXT } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { DOCUMENT, JsonList, ROWS } from './result.ts';

const COUNTED = {
  doctype: TEXT,
  filters: asSent(),
  or_filters: asSent(),
  parent: asSent({ type: 'string' }),
  parent_doctype: asSent({ type: 'string' }),
};

/** The `frappe.client.*` operations that read. */
export const readingOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.auth.get_logged_user',
    summary: 'Get the name of the caller',
    effect: 'read',
    access: 'user',
    result: { type: 'string' },
    run: (ctx) => ctx.user.name,
  }),

  defineOperation({
    name: 'frappe.client.get_list',
    summary: 'List documents',
    effect: 'read',
    args: { ...LIST_ARGUMENTS, doctype: TEXT },
    result: ROWS,
    run: async (ctx, args, { replica }) =>
      new JsonList(await listDocumentsText(ctx, args.doctype, listParameters(args), replica())),
  }),

  defineOperation({
    name: 'frappe.client.get_count',
    summary: 'Count documents',
    effect: 'read',
    args: COUNTED,
    result: { type: 'integer' },
    run: (ctx, { doctype, ...parameters }, { replica }) => countRows(ctx, doctype, parameters, replica()),
  }),

  defineOperation({
    name: 'frappe.client.get',
    summary: 'Read a document by name, or the first one that the filters find',
    effect: 'read',
    args: { ...LIST_ARGUMENTS, doctype: TEXT, name: OPTIONAL_TEXT },
    result: DOCUMENT,
    run: async (ctx, { name, ...args }, call) => {
      const replica = call.replica();
      const found = name ?? (await findName(ctx, args.doctype, args, replica));
      return (await readDocumentWithRevision(ctx, args.doctype, found, replica)).doc;
    },
  }),

  defineOperation({
    name: 'frappe.client.get_value',
    summary: 'Read fields of the first document that the filters find',
    effect: 'read',
    args: { ...LIST_ARGUMENTS, doctype: TEXT, fieldname: json() },
    run: (ctx, args, { replica }) => getValue(ctx, args, replica()),
  }),

  defineOperation({
    name: 'frappe.client.get_single_value',
    summary: 'Read a field of a single doctype',
    effect: 'read',
    args: { doctype: TEXT, field: TEXT },
    run: async (ctx, { doctype, field }) => {
      if (!ctx.doctypes.get(doctype).issingle) {
        throw new ServiceError('ValidationError', `${doctype} is not a single doctype`);
      }
      const [row] = await listDocuments(ctx, doctype, { fields: [`${field} as value`] });
      return row?.['value'] ?? null;
    },
  }),
];

// With `filters` alone, these find the document. With neither, it is the one document of a single doctype.
async function findName(
  ctx: Context,
  doctypeName: string,
  args: Fields,
  replica: Connection | null,
): Promise<string> {
  const filters = filtersOrName(args);
  if (filters === undefined) {
    if (ctx.doctypes.get(doctypeName).issingle) return doctypeName;
    throw new ServiceError('ValidationError', 'Argument name or filters is required');
  }
  const first = { ...listParameters(args), fields: ['name'], filters, limit_page_length: 1 };
  const [row] = await listRows(ctx, doctypeName, first, replica);
  const name = row?.['name'] ?? null;
  if (name === null) throw new ServiceError('DoesNotExistError', `No ${doctypeName} matches`);
  return String(name);
}

/**
 * An object of the requested fields, `{}` without a match. With `as_dict` false or 0, a value or an array of
 * values; with the text of one, always an array.
 */
async function getValue(
  ctx: Context,
  args: Fields & { readonly doctype: string },
  replica: Connection | null,
): Promise<FieldValue | FieldValue[] | Record<string, FieldValue>> {
  const given = args['fieldname'] ?? 'name';
  const fields = Array.isArray(given) ? given : [given];
  const doctypeName = args.doctype;
  const filters = filtersOrName(args) ?? [];
  // A single has one document, under whatever name.
  const isNamed = isRecord(filters) && Object.keys(filters).join() === 'name';
  const anyName = isNamed && ctx.doctypes.get(doctypeName).issingle;
  const first = {
    ...listParameters(args),
    fields,
    filters: anyName ? [] : filters,
    limit_page_length: 1,
    as_dict: true,
  };
  const [row] = await listRows(ctx, doctypeName, first, replica);
  const asDict = args['as_dict'];
  if (!row) return asDict === false || asDict === 0 ? null : {};
  if (!isFalse(asDict)) return row;
  const values = Object.values(row);
  // In Frappe a text is true where one value would be taken out of the list.
  if (typeof asDict === 'string') return values;
  return Array.isArray(given) ? values : (values[0] ?? null);
}

function filtersOrName(args: Fields): unknown {
  const filters = looseArgument(args, 'filters');
  if (filters === undefined || filters === null || filters === '') return undefined;
  return typeof filters === 'string' || typeof filters === 'number' ? { name: String(filters) } : filters;
}

// Newer clients send `start` and `page_length` beside the old names, which win.
function listParameters(args: Fields): ListParameters {
  const { doctype: _doctype, start, page_length, ...parameters } = args;
  return {
    ...(start === undefined ? {} : { limit_start: start }),
    ...(page_length === undefined ? {} : { limit: page_length }),
    ...parameters,
  };
}
