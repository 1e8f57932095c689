import { listRight } from '../access/list-right.ts';
import type { Row } from '../db/database.ts';
import type { DocType } from '../doctype/doctype.ts';
import { NAME_SCHEMA } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { listDocuments, pickDocuments } from '../document/list/list.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/value.ts';
import { listedFields } from '../query/listed-fields.ts';
import { type ArgumentValues, asSent, json, OPTIONAL_TEXT, TEXT } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const SEARCHED = {
  doctype: TEXT,
  txt: OPTIONAL_TEXT,
  filters: json(),
  searchfield: OPTIONAL_TEXT,
  start: asSent({ type: 'integer' }),
  page_length: asSent({ type: 'integer', default: 10 }),
};

const CHOICE = {
  ...object({ value: NAME_SCHEMA, description: { type: 'string' } }),
  properties: {
    value: NAME_SCHEMA,
    description: { type: 'string' },
    label: { type: 'string' },
  },
};

/** Finds documents to link to. */
export const searchLink = defineOperation({
  name: 'frappe.desk.search.search_link',
  summary: 'Find documents to link to',
  effect: 'read',
  args: SEARCHED,
  result: { type: 'array', items: CHOICE },
  run: async (ctx, args) => {
    const { doctype, rows, fields } = await search(ctx, args);
    return rows.map((row) => {
      const label = doctype.title_field === '' ? null : row[doctype.title_field];
      const rest = fields.filter((field) => field !== 'name' && field !== doctype.title_field);
      const texts = rest.map((field) => row[field]).filter((value) => value !== null && value !== '');
      return { value: row['name'], description: texts.join(', '), ...(label ? { label } : {}) };
    });
  },
});

/** Searches for documents to link to. */
export const searchOperations: readonly Operation[] = [
  searchLink,

  defineOperation({
    name: 'frappe.desk.search.search_widget',
    summary: 'Find documents to link to, as arrays with the name first',
    effect: 'read',
    args: SEARCHED,
    result: { type: 'array', items: { type: 'array' } },
    run: async (ctx, args) => {
      const { rows, fields } = await search(ctx, args);
      return rows.map((row) => fields.map((field) => row[field]));
    },
  }),

  defineOperation({
    name: 'frappe.client.validate_link',
    summary:
      'Read the name and fields of a document to link to; the name is null if the caller may not link to it',
    effect: 'read',
    args: { doctype: TEXT, docname: TEXT, fields: json() },
    result: {
      type: 'object',
      properties: { name: { type: ['string', 'integer', 'null'] } },
      required: ['name'],
    },
    run: async (ctx, { doctype: doctypeName, docname, fields: given = [] }) => {
      const fields = (Array.isArray(given) ? given : [given]).filter((field) => field !== 'name');
      const filters = [['name', '=', docname]];
      const asked = { fields: ['name', ...fields], filters, limit_page_length: 1 };
      const doctype = ctx.doctypes.get(doctypeName);
      const reads = listRight(ctx.user, doctype) === 'read';
      const [row] = reads ? await listDocuments(ctx, doctypeName, asked) : [];
      if (row || listRight(ctx.user, doctype, true) === 'read') return row ?? { name: null };
      // The user may be allowed to link to a document without reading it: the result then has the fields that
      // a link picker shows.
      const shown = listedFields({ user: ctx.user, right: 'select' }, doctype);
      const known = asked.fields.filter((field) => shown === 'all' || shown.has(String(field)));
      const [picked] = await pickDocuments(ctx, doctypeName, { ...asked, fields: known });
      return picked ?? { name: null };
    },
  }),
];

type Searched = ArgumentValues<typeof SEARCHED>;

interface Found {
  readonly doctype: DocType;
  readonly rows: readonly Row[];
  /** The name, then the searched fields. */
  readonly fields: readonly string[];
}

async function search(ctx: Context, args: Searched): Promise<Found> {
  const doctype = ctx.doctypes.get(args.doctype);
  const fields = searchedFields(ctx, doctype, args.searchfield);
  const text = (args.txt ?? '').replace(/[\\%_]/g, '\\$&');
  const start = Number(args.start || 0);
  const length = Number(args.page_length === undefined || args.page_length === '' ? 10 : args.page_length);
  const filters = filtersOf(doctype, args);
  const pickAny = (or_filters: readonly unknown[], limit_start: number, limit_page_length: number) =>
    pickDocuments(ctx, doctype.name, { fields, filters, or_filters, limit_start, limit_page_length });
  const pick = (pattern: string, from: number, most: number) =>
    pickAny(text === '' ? [] : fields.map((field) => [field, 'like', pattern]), from, most);
  const end = start + length;
  const isRanked = text !== '' && length > 0 && end <= RANKED;
  if (!isRanked) return { doctype, rows: await pick(`%${text}%`, start, length), fields };
  const named = await pickAny([['name', '=', args.txt?.trim()]], 0, 1);
  const begins = await pick(`${text}%`, 0, end);
  const contains = begins.length < end ? await pick(`%${text}%`, 0, end) : [];
  const rows = new Map([...named, ...begins, ...contains].map((row) => [row['name'], row]));
  return { doctype, rows: [...rows.values()].slice(start, end), fields };
}

/** Matches up to this one are ordered: the one of this name, those that begin with the text, the others. */
const RANKED = 200;

/** The name and the doctype's search fields, as far as the user may read them. */
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

// Disabled documents cannot be linked to.
function filtersOf(doctype: DocType, { filters: given }: Searched): unknown {
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
