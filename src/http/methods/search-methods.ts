import { listRight } from '../../access/list-right.ts';
import type { Row } from '../../db/database.ts';
import type { DocType } from '../../doctype/doctype.ts';
import type { Context } from '../../document/context.ts';
import { listDocuments, pickDocuments } from '../../document/list.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/value.ts';
import { listedFields } from '../../query/listed-fields.ts';
import { type Arguments, looseArgument, optionalText, textArgument } from '../arguments.ts';
import { type BuiltIns, reading } from './built-in.ts';

/** Looking for a document to link to. */
export const searchMethods: BuiltIns = {
  /** `[{value, description, label?}]` */
  'frappe.desk.search.search_link': reading(async (ctx, args) => {
    const { doctype, rows, fields } = await search(ctx, args);
    return rows.map((row) => {
      const label = doctype.title_field === '' ? null : row[doctype.title_field];
      const rest = fields.filter((field) => field !== 'name' && field !== doctype.title_field);
      const texts = rest.map((field) => row[field]).filter((value) => value !== null && value !== '');
      return { value: row['name'], description: texts.join(', '), ...(label ? { label } : {}) };
    });
  }),

  /** The same as arrays, the name first. */
  'frappe.desk.search.search_widget': reading(async (ctx, args) => {
    const { rows, fields } = await search(ctx, args);
    return rows.map((row) => fields.map((field) => row[field]));
  }),

  /** `{name, …fields}` of a document that exists and may be read, else `{name: null}`. */
  'frappe.client.validate_link': reading(async (ctx, args) => {
    const given = looseArgument(args, 'fields') ?? [];
    const fields = (Array.isArray(given) ? given : [given]).filter((field) => field !== 'name');
    const doctypeName = textArgument(args, 'doctype');
    const filters = [['name', '=', textArgument(args, 'docname')]];
    const asked = { fields: ['name', ...fields], filters, limit_page_length: 1 };
    const doctype = ctx.doctypes.get(doctypeName);
    const reads = listRight(ctx.user, doctype) === 'read';
    const [row] = reads ? await listDocuments(ctx, doctypeName, asked) : [];
    if (row || listRight(ctx.user, doctype, true) === 'read') return row ?? { name: null };
    // Out of reach to read, it may still be there to be linked to: with what a picker shows of it.
    const shown = listedFields({ user: ctx.user, right: 'select' }, doctype);
    const known = asked.fields.filter((field) => shown === 'all' || shown.has(String(field)));
    const [picked] = await pickDocuments(ctx, doctypeName, { ...asked, fields: known });
    return picked ?? { name: null };
  }),
};

interface Found {
  readonly doctype: DocType;
  readonly rows: readonly Row[];
  /** The name, then the fields looked through. */
  readonly fields: readonly string[];
}

async function search(ctx: Context, args: Arguments): Promise<Found> {
  const doctype = ctx.doctypes.get(textArgument(args, 'doctype'));
  const fields = searchedFields(ctx, doctype, optionalText(args, 'searchfield'));
  const pattern = `%${(optionalText(args, 'txt') ?? '').replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await pickDocuments(ctx, doctype.name, {
    fields,
    filters: filtersOf(doctype, args),
    or_filters: pattern === '%%' ? [] : fields.map((field) => [field, 'like', pattern]),
    limit_start: args.start,
    limit_page_length: args.page_length === undefined || args.page_length === '' ? 10 : args.page_length,
  });
  return { doctype, rows, fields };
}

/** The name and what the doctype is searched by, as far as the user may read it. */
function searchedFields(ctx: Context, doctype: DocType, wanted: string | undefined): string[] {
  const right = listRight(ctx.user, doctype, true);
  const readable = listedFields({ user: ctx.user, right }, doctype);
  const named = [wanted ?? '', doctype.title_field, ...doctype.search_fields.split(',')].map((one) =>
    one.trim(),
  );
  const texts = named.filter((name) => {
    const field = doctype.fieldByName.get(name);
    const kind = doctype.columnByName.get(name)?.kind;
    return (
      field && kind === 'text' && field.fieldtype !== 'Password' && (readable === 'all' || readable.has(name))
    );
  });
  return ['name', ...new Set(texts)];
}

// What was switched off is nothing to link to.
function filtersOf(doctype: DocType, args: Arguments): unknown {
  const given = looseArgument(args, 'filters');
  const filters = given === undefined || given === null || given === '' ? {} : given;
  const on: Record<string, number> = {};
  if (doctype.fieldByName.get('enabled')?.fieldtype === 'Check') on['enabled'] = 1;
  if (doctype.fieldByName.get('disabled')?.fieldtype === 'Check') on['disabled'] = 0;
  if (isRecord(filters)) return { ...on, ...filters };
  if (!Array.isArray(filters))
    throw new ServiceError('ValidationError', 'Argument filters must be an object or a list');
  const flat = filters.length > 0 && typeof filters[0] === 'string' ? [filters] : filters;
  return [...flat, ...Object.entries(on).map(([field, value]) => [field, '=', value])];
}
