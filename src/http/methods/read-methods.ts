import type { Context } from '../../document/context.ts';
import { countDocuments, listDocuments, listDocumentsText } from '../../document/list.ts';
import { readDocument } from '../../document/read.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type FieldValue, isRecord } from '../../kernel/value.ts';
import type { ListParameters } from '../../query/list-query.ts';
import { type Arguments, looseArgument, optionalText, textArgument } from '../arguments.ts';
import { JsonList } from '../reply.ts';
import { type BuiltIns, reading } from './built-in.ts';

/** `frappe.client.*` that reads. */
export const readMethods: BuiltIns = {
  'frappe.auth.get_logged_user': reading((ctx) => Promise.resolve(ctx.user.name)),

  'frappe.client.get_list': reading(
    async (ctx, args) =>
      new JsonList(await listDocumentsText(ctx, textArgument(args, 'doctype'), listParameters(args))),
  ),

  'frappe.client.get_count': reading((ctx, args) =>
    countDocuments(ctx, textArgument(args, 'doctype'), listParameters(args)),
  ),

  'frappe.client.get': reading(async (ctx, args) => {
    const doctypeName = textArgument(args, 'doctype');
    const name = optionalText(args, 'name') ?? (await findName(ctx, doctypeName, args));
    return readDocument(ctx, doctypeName, name);
  }),

  'frappe.client.get_value': reading((ctx, args) => getValue(ctx, args)),

  'frappe.client.get_single_value': reading(async (ctx, args) => {
    const doctypeName = textArgument(args, 'doctype');
    const field = textArgument(args, 'field');
    if (!ctx.doctypes.get(doctypeName).issingle) {
      throw new ServiceError('ValidationError', `${doctypeName} is not a single doctype`);
    }
    const [row] = await listDocuments(ctx, doctypeName, { fields: [`${field} as value`] });
    return row?.['value'] ?? null;
  }),
};

// `filters` alone finds the document; neither means the only document of a single doctype.
async function findName(ctx: Context, doctypeName: string, args: Arguments): Promise<string> {
  const filters = filtersOrName(args);
  if (filters === undefined) {
    if (ctx.doctypes.get(doctypeName).issingle) return doctypeName;
    throw new ServiceError('ValidationError', 'Argument name or filters is required');
  }
  const [row] = await listDocuments(ctx, doctypeName, {
    ...listParameters(args),
    fields: ['name'],
    filters,
    limit_page_length: 1,
  });
  if (typeof row?.name !== 'string') {
    throw new ServiceError('DoesNotExistError', `No ${doctypeName} matches`);
  }
  return row.name;
}

/** An object of the fields asked for, `{}` when nothing matches; with `as_dict` false a value or an array of them. */
async function getValue(
  ctx: Context,
  args: Arguments,
): Promise<FieldValue | FieldValue[] | Record<string, FieldValue>> {
  const given = looseArgument(args, 'fieldname') ?? 'name';
  const fields = Array.isArray(given) ? given : [given];
  const doctypeName = textArgument(args, 'doctype');
  const filters = filtersOrName(args) ?? [];
  // Whatever a single is called, there is one.
  const isNamed = isRecord(filters) && Object.keys(filters).join() === 'name';
  const anyName = isNamed && ctx.doctypes.get(doctypeName).issingle;
  const [row] = await listDocuments(ctx, doctypeName, {
    ...listParameters(args),
    fields,
    filters: anyName ? [] : filters,
    limit_page_length: 1,
    as_dict: true,
  });
  // Only a JSON false asks for plain values: clients send the text "False" and then read an object.
  if (args.as_dict !== false) return row ?? {};
  if (!row) return null;
  const values = Object.values(row);
  return Array.isArray(given) ? values : (values[0] ?? null);
}

function filtersOrName(args: Arguments): unknown {
  const filters = looseArgument(args, 'filters');
  if (filters === undefined || filters === null || filters === '') return undefined;
  return typeof filters === 'string' || typeof filters === 'number' ? { name: String(filters) } : filters;
}

// `start` and `page_length` are what newer clients send beside the old names, which win.
function listParameters(args: Arguments): ListParameters {
  const { doctype: _doctype, cmd: _cmd, start, page_length, ...parameters } = args;
  return {
    ...(start === undefined ? {} : { limit_start: start }),
    ...(page_length === undefined ? {} : { limit: page_length }),
    ...parameters,
  };
}
