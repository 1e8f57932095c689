import { type ClientEvent, type Listening, listen } from './events.ts';
import { type AnyList, each, listParameters } from './lists.ts';
import {
  type ClientOptions,
  createTransport,
  type RequestOptions,
  type Transport,
  type WireReply,
} from './transport.ts';
import type {
  ArgumentsOf,
  Changes,
  Creation,
  DocTypeMap,
  DocTypeName,
  ListOptions,
  MethodMap,
  Received,
  Row,
  ScalarField,
  Selection,
} from './types.ts';
import { type Upload, type UploadedFile, uploadFile } from './upload.ts';

/** Guards a change against overwriting another one. */
export interface ChangeOptions extends RequestOptions {
  /**
   * From `readWithRevision`. The server refuses the change with PreconditionFailedError when the document has
   * another revision by now.
   */
  readonly revision?: string;
}

/** Options of a method call. */
export interface CallOptions extends RequestOptions {
  /** Default POST. A GET sends its arguments in the URL, and has no effects. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
}

/**
 * Typed access to a Chancery server. `M` is the `DocTypes` interface that `chancery types` writes, `P` its
 * `Methods`.
 */
export interface Client<M extends DocTypeMap, P extends MethodMap = object> {
  /** Rows of a list, null where a field is unset. */
  list<D extends DocTypeName<M>, F extends ScalarField<M[D]> = Extract<'name', ScalarField<M[D]>>>(
    doctype: D,
    options?: ListOptions<M[D], F> & RequestOptions,
  ): Promise<Row<M[D], F>[]>;
  /**
   * Every row, fetched page by page during the loop; `limit` is the size of a page. Without `orderBy`, rows
   * are ordered by name. Each page begins after the last row of the previous page, so a late page is as fast
   * as the first one. No row that stays unchanged is missed or repeated, whatever other clients change
   * meanwhile.
   */
  each<D extends DocTypeName<M>, F extends ScalarField<M[D]> = Extract<'name', ScalarField<M[D]>>>(
    doctype: D,
    options?: ListOptions<M[D], F> & RequestOptions,
  ): AsyncGenerator<Row<M[D], F>, void, undefined>;
  count<D extends DocTypeName<M>>(doctype: D, options?: Selection<M[D]> & RequestOptions): Promise<number>;
  read<D extends DocTypeName<M>>(
    doctype: D,
    name: string | number,
    options?: RequestOptions,
  ): Promise<Received<M[D]>>;
  /** The document, with the revision that guards a change. */
  readWithRevision<D extends DocTypeName<M>>(
    doctype: D,
    name: string | number,
    options?: RequestOptions,
  ): Promise<{ readonly doc: Received<M[D]>; readonly revision: string }>;
  create<D extends DocTypeName<M>>(
    doctype: D,
    fields: Creation<M[D]>,
    options?: RequestOptions,
  ): Promise<Received<M[D]>>;
  update<D extends DocTypeName<M>>(
    doctype: D,
    name: string | number,
    changes: Changes<M[D]>,
    options?: ChangeOptions,
  ): Promise<Received<M[D]>>;
  delete(doctype: DocTypeName<M>, name: string | number, options?: ChangeOptions): Promise<void>;
  submit<D extends DocTypeName<M>>(
    doctype: D,
    name: string | number,
    options?: ChangeOptions,
  ): Promise<Received<M[D]>>;
  cancel<D extends DocTypeName<M>>(
    doctype: D,
    name: string | number,
    options?: ChangeOptions,
  ): Promise<Received<M[D]>>;
  /**
   * Calls a method. The caller states the type of its answer: `const ticket: Escalated = await
   * client.call(…)`. The form `call<Escalated>(…)` leaves the arguments unchecked.
   */
  call<T = unknown, const N extends string = string>(
    method: N,
    ...more: Partial<ArgumentsOf<P, N>> extends ArgumentsOf<P, N>
      ? [args?: ArgumentsOf<P, N>, options?: CallOptions]
      : [args: ArgumentsOf<P, N>, options?: CallOptions]
  ): Promise<T>;
  upload(file: Blob, options?: Upload): Promise<UploadedFile>;
  /**
   * Changes of documents, as they happen. Read all shown documents when `open` or `reset` arrives, and the
   * changed one at a `change`. Reconnects after a broken connection, until the loop ends or `signal` aborts.
   */
  events<D extends DocTypeName<M>>(listening: Listening<D>): AsyncGenerator<ClientEvent<D>, void, undefined>;
}

/** The client object, before the caller's types. */
interface Plain extends Omit<Client<Record<string, Record<string, string>>>, 'call'> {
  call(method: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<unknown>;
}

/** Creates a client of the server at `options.url`. */
export function createClient<M extends DocTypeMap, P extends MethodMap = object>(
  options: ClientOptions,
): Client<M, P> {
  const transport = createTransport(options);
  // The types hold because `chancery types` made them from the server's doctypes.
  const client: Plain = {
    list: (doctype, list = {}) => readRows(transport, doctype, list),
    each: (doctype, list = {}) => each((page, paging) => readPage(transport, doctype, page, paging), list),
    count: async (doctype, { signal, ...selection } = {}) => {
      const { fields: _fields, ...query } = listParameters(selection);
      const request = { method: 'GET', path: methodPath('frappe.client.get_count') } as const;
      const reply = await transport.send({
        ...request,
        query: { doctype, ...query },
        ...(signal ? { signal } : {}),
      });
      return Number(reply.body['message']);
    },
    read: async (doctype, name, more) =>
      data(await transport.send({ ...more, method: 'GET', path: pathOf(doctype, name) })),
    async readWithRevision(doctype, name, more) {
      const reply = await transport.send({ ...more, method: 'GET', path: pathOf(doctype, name) });
      return { doc: data(reply), revision: reply.header('etag') ?? '' };
    },
    create: async (doctype, fields, more) =>
      data(await transport.send({ ...more, method: 'POST', path: pathOf(doctype), json: fields })),
    update: async (doctype, name, changes, more) =>
      data(await change(transport, 'PUT', pathOf(doctype, name), more, changes)),
    async delete(doctype, name, more) {
      await change(transport, 'DELETE', pathOf(doctype, name), more);
    },
    submit: async (doctype, name, more) =>
      data(await change(transport, 'PUT', pathOf(doctype, name), more, { docstatus: 1 })),
    cancel: async (doctype, name, more) =>
      data(await change(transport, 'PUT', pathOf(doctype, name), more, { docstatus: 2 })),
    call: (method, args, more) => call(transport, method, args, more),
    upload: (file, upload) => uploadFile(transport, file, upload),
    events: (listening) => listen(transport, listening),
  };
  return client as unknown as Client<M, P>;
}

async function readRows<R>(
  transport: Transport,
  doctype: string,
  list: AnyList & RequestOptions,
): Promise<R[]> {
  return (await readPage<R>(transport, doctype, list)).rows;
}

async function readPage<R>(
  transport: Transport,
  doctype: string,
  { signal, ...list }: AnyList & RequestOptions,
  paging: Readonly<Record<string, string>> = {},
): Promise<{ rows: R[]; cursor: string | null }> {
  const query = { ...listParameters(list), ...paging };
  const request = { method: 'GET', path: pathOf(doctype), query } as const;
  const { body } = await transport.send(signal ? { ...request, signal } : request);
  return { rows: body['data'] as R[], cursor: typeof body['cursor'] === 'string' ? body['cursor'] : null };
}

function pathOf(doctype: string, name?: string | number): string {
  const collection = `/api/resource/${encodeURIComponent(doctype)}`;
  if (name === undefined) return collection;
  // An empty name would be the address of the list.
  if (name === '') throw new TypeError(`The name of a ${doctype} must not be empty`);
  return `${collection}/${encodeURIComponent(name)}`;
}

function methodPath(method: string): string {
  return `/api/method/${encodeURIComponent(method)}`;
}

function data<T>(reply: WireReply): T {
  return reply.body['data'] as T;
}

function change(
  transport: Transport,
  method: 'PUT' | 'DELETE',
  path: string,
  { revision, ...more }: ChangeOptions = {},
  json?: unknown,
): Promise<WireReply> {
  const headers = revision === undefined ? {} : { headers: { 'if-match': revision } };
  return transport.send({ ...more, ...headers, method, path, json });
}

async function call<T>(
  transport: Transport,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  { method = 'POST', ...more }: CallOptions = {},
): Promise<T> {
  const path = methodPath(name);
  const reply = await (method === 'GET' || method === 'DELETE'
    ? transport.send({ ...more, method, path, query: inQuery(args) })
    : transport.send({ ...more, method, path, json: args }));
  // The reply of a method without a result has no `message`.
  return (reply.body['message'] ?? null) as T;
}

function inQuery(args: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    given.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
