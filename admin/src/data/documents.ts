import { readMethod } from './api.ts';
import { type Query, type Request, send } from './wire.ts';

/**
 * A wire document: null fields are left out, tables are arrays of rows. Its name is text here, also where
 * the wire has a number (`autoincrement`).
 */
export interface Doc {
  readonly doctype: string;
  readonly name: string;
  readonly owner: string;
  readonly creation: string;
  readonly modified: string;
  readonly modified_by: string;
  readonly docstatus: 0 | 1 | 2;
  readonly [fieldname: string]: unknown;
}

/** A document with its version, which an update sends back. */
export interface Versioned {
  readonly doc: Doc;
  readonly etag: string | null;
}

/** A condition: field, operator, value. A condition on a row's field starts with the child doctype. */
export type Filter = readonly [string, string, unknown] | readonly [string, string, string, unknown];

/** The query of a list. One object serves the rows, the count, the export and bulk actions. */
export interface ListQuery {
  /** Fieldnames; `{items: ['qty']}` for fields of child rows, which come as arrays. */
  readonly fields?: readonly (string | Readonly<Record<string, readonly string[]>>)[];
  readonly filters?: readonly Filter[];
  readonly or_filters?: readonly Filter[];
  /** `modified desc` */
  readonly order_by?: string;
  readonly limit_start?: number;
  readonly limit_page_length?: number;
  readonly [parameter: string]: unknown;
}

type Options = Pick<Request, 'signal' | 'headers'>;

/** Rows of a doctype. They contain only `name` unless fields are given. */
export async function listRows<T = Readonly<Record<string, unknown>>>(
  doctype: string,
  query: ListQuery,
  options: Options = {},
): Promise<readonly T[]> {
  const { body } = await send('GET', resourcePath(doctype), { ...options, query });
  return (body as { data: readonly T[] }).data;
}

/** A count with a limit. `isCapped` means that there are more. */
export interface Count {
  readonly count: number;
  readonly isCapped: boolean;
  /** Of a capped count; null if the server has none. */
  readonly estimate: number | null;
}

/**
 * Counts the rows of a list: up to 10,000, or all with `exact`. The fields and the order are part of the query
 * because they can decide which documents the user sees.
 */
export async function countRows(
  doctype: string,
  listed: ListQuery,
  { exact = false, ...options }: Options & { readonly exact?: boolean } = {},
): Promise<Count> {
  const query: Query = {
    fields: ['name'],
    ...listed,
    limit_page_length: 1,
    ...(exact ? { count: 'exact' } : { include: 'count' }),
  };
  const { body } = await send('GET', resourcePath(doctype), { ...options, query });
  const {
    count = 0,
    count_capped: capped = false,
    count_estimate: estimate = null,
  } = body as { count?: number; count_capped?: boolean; count_estimate?: number };
  return { count, isCapped: Boolean(capped), estimate };
}

/** A document and its version. */
export async function readDocument(doctype: string, name: string, options: Options = {}): Promise<Versioned> {
  return versioned(await send('GET', resourcePath(doctype, name), options));
}

/** Creates a document. */
export async function createDocument(
  doctype: string,
  fields: Query,
  options: Options = {},
): Promise<Versioned> {
  return versioned(await send('POST', resourcePath(doctype), { ...options, body: fields }));
}

/** Changes fields of a document. With `etag`, fails with 412 if another client changed it since. */
export async function updateDocument(
  doctype: string,
  name: string,
  fields: Query,
  { etag, ...options }: Options & { readonly etag?: string | null } = {},
): Promise<Versioned> {
  const headers = { ...options.headers, ...(etag ? { 'if-match': etag } : {}) };
  return versioned(await send('PUT', resourcePath(doctype, name), { ...options, headers, body: fields }));
}

/** Deletes a document. */
export async function deleteDocument(doctype: string, name: string, options: Options = {}): Promise<void> {
  await send('DELETE', resourcePath(doctype, name), options);
}

/** One result of a link search. */
export interface Found {
  readonly value: string;
  readonly description: string;
  readonly label?: string;
}

/** Searches documents to link to by name, title and search fields. */
export async function searchLink(
  doctype: string,
  text: string,
  options: Options & { readonly filters?: unknown; readonly pageLength?: number } = {},
): Promise<readonly Found[]> {
  const { filters, pageLength = 10, ...rest } = options;
  const args = { doctype, txt: text, filters, page_length: pageLength };
  const found = await readMethod<readonly Found[]>('frappe.desk.search.search_link', args, rest);
  return found.map((one) => ({ ...one, value: String(one.value) }));
}

/** The path of a doctype or of one document. */
export function resourcePath(doctype: string, name?: string): string {
  const path = `/api/resource/${encodeURIComponent(doctype)}`;
  return name === undefined ? path : `${path}/${encodeURIComponent(name)}`;
}

function versioned({ body, etag }: { body: unknown; etag: string | null }): Versioned {
  const { data } = body as { data: Doc };
  return { doc: { ...data, name: String(data.name) }, etag };
}
