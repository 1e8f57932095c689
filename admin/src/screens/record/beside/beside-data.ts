import { queryOptions } from '@tanstack/react-query';
import { readMethod } from '../../../data/api.ts';
import { type Filter, type ListQuery, listRows } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';

/** Maximum rows of each list beside a document. The list of the doctype shows the others. */
export const MOST = 100;

type Row = Readonly<Record<string, unknown>>;

function rowsQuery<T>(doctype: string, query: ListQuery, read: (row: Row) => T) {
  const whole = { limit_page_length: MOST, ...query };
  return queryOptions({
    queryKey: keys.list(doctype, whole),
    queryFn: async ({ signal }) => (await listRows<Row>(doctype, whole, { signal })).map(read),
  });
}

/** A file attached to a document. */
export interface Attachment {
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly bytes: number;
  readonly extension: string;
  readonly isPrivate: boolean;
}

/** The files that are attached to a document. */
export function attachmentsQuery(doctype: string, name: string) {
  const filters: readonly Filter[] = [
    ['attached_to_doctype', '=', doctype],
    ['attached_to_name', '=', name],
  ];
  const fields = ['name', 'file_name', 'file_url', 'file_size', 'file_type', 'is_private'];
  return rowsQuery(
    'File',
    { fields, filters, order_by: 'creation asc' },
    (row): Attachment => ({
      name: textOf(row['name']),
      title: textOf(row['file_name']) || textOf(row['name']),
      url: textOf(row['file_url']),
      bytes: Number(row['file_size'] ?? 0),
      extension: textOf(row['file_type']),
      isPrivate: row['is_private'] === 1,
    }),
  );
}

/** A comment. */
export interface CommentRow {
  readonly name: string;
  readonly owner: string;
  readonly creation: string;
  readonly content: string;
}

/** Comments on a document, newest first. */
export function commentsQuery(doctype: string, name: string) {
  const filters: readonly Filter[] = [
    ['reference_doctype', '=', doctype],
    ['reference_name', '=', name],
    ['comment_type', '=', 'Comment'],
  ];
  const fields = ['name', 'owner', 'creation', 'content'];
  return rowsQuery(
    'Comment',
    { fields, filters, order_by: 'creation desc' },
    (row): CommentRow => ({
      name: textOf(row['name']),
      owner: textOf(row['owner']),
      creation: textOf(row['creation']),
      content: textOf(row['content']),
    }),
  );
}

/** A stored change of a document. */
export interface VersionRow {
  readonly name: string;
  readonly owner: string;
  readonly creation: string;
  /** The difference, as JSON. */
  readonly data: string;
}

/** Changes of a document, newest first. */
export function versionsQuery(doctype: string, name: string) {
  const filters: readonly Filter[] = [
    ['ref_doctype', '=', doctype],
    ['docname', '=', name],
  ];
  const fields = ['name', 'owner', 'creation', 'data'];
  return rowsQuery(
    'Version',
    { fields, filters, order_by: 'creation desc' },
    (row): VersionRow => ({
      name: textOf(row['name']),
      owner: textOf(row['owner']),
      creation: textOf(row['creation']),
      data: textOf(row['data']),
    }),
  );
}

/** What the deletion of a document does to one that links to it. */
export type LinkEffect = 'blocks' | 'emptied' | 'deleted' | 'unaffected';

/** Documents of one doctype that link to a document. */
export interface Connection {
  readonly doctype: string;
  readonly count: number;
  readonly isCapped: boolean;
  /** Names of the last changed ones. */
  readonly names: readonly string[];
  /** The effect of a deletion on each of them. */
  readonly effects: readonly LinkEffect[];
}

interface WireConnection {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly names: readonly (string | number)[];
  readonly effects: readonly LinkEffect[];
}

/** Documents that link to a document. */
export function connectionsQuery(doctype: string, name: string) {
  return queryOptions({
    queryKey: keys.beside(doctype, name, 'connections'),
    queryFn: async ({ signal }): Promise<readonly Connection[]> => {
      const found = await readMethod<Readonly<Record<string, WireConnection>>>(
        'chancery.linked_documents',
        { doctype, name },
        { signal },
      );
      return Object.entries(found).map(([linking, { count_capped: isCapped = false, names, ...rest }]) => ({
        doctype: linking,
        isCapped,
        ...rest,
        names: names.map(String),
      }));
    },
  });
}

/** A webhook for a doctype, with the status of its last delivery. */
export interface FiringWebhook {
  readonly name: string;
  readonly event: string;
  readonly url: string;
  /** '' without deliveries. */
  readonly lastStatus: string;
}

/** The enabled webhooks of a doctype. */
export function webhooksQuery(doctype: string) {
  const filters: readonly Filter[] = [
    ['webhook_doctype', '=', doctype],
    ['enabled', '=', 1],
  ];
  const fields = ['name', 'webhook_docevent', 'request_url'];
  const query = { fields, filters, order_by: 'name asc', limit_page_length: 20 };
  return queryOptions({
    queryKey: keys.list('Webhook', query),
    queryFn: async ({ signal }): Promise<readonly FiringWebhook[]> => {
      const rows = await listRows<Row>('Webhook', query, { signal });
      const last = await Promise.all(rows.map((row) => lastStatus(textOf(row['name']), signal)));
      return rows.map((row, at) => ({
        name: textOf(row['name']),
        event: textOf(row['webhook_docevent']),
        url: textOf(row['request_url']),
        lastStatus: last[at] ?? '',
      }));
    },
  });
}

async function lastStatus(webhook: string, signal: AbortSignal): Promise<string> {
  const filters: readonly Filter[] = [['webhook', '=', webhook]];
  const query = { fields: ['status'], filters, order_by: 'creation desc', limit_page_length: 1 };
  const [row] = await listRows<Row>('Webhook Request Log', query, { signal });
  return textOf(row?.['status']);
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
