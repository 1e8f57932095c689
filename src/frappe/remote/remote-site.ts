import { type Clock, nowMillis } from '../../kernel/clock.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Random } from '../../kernel/random.ts';
import { backoffDelay } from '../../kernel/retry.ts';
import { waited } from '../../kernel/wait.ts';
import { connectToSite, type SiteRequest, type SiteResponse } from '../../net/site-connection.ts';
import { RemoteError } from './remote-error.ts';
import { isTransient, readReply, retryAfter } from './reply.ts';

/** A document or a row as the site sends it. */
export type RemoteRow = Readonly<Record<string, unknown>>;

export type RemoteFilter = readonly [field: string, operator: string, value: unknown];

export interface RemoteList {
  readonly doctype: string;
  /** The doctype of the documents whose rows are listed, if `doctype` is one of child tables. */
  readonly parent?: string;
  readonly fields: readonly string[];
  readonly filters: readonly RemoteFilter[];
  readonly orderBy: string;
  readonly limit: number;
}

export interface RemoteSiteOptions {
  readonly origin: string;
  /** `key:secret` */
  readonly key: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** Waits before a further attempt; resolves to false when aborted. */
  readonly wait?: (millis: number, signal?: AbortSignal) => Promise<boolean>;
  /** Told of each failed attempt that will be repeated. */
  readonly retrying?: (why: string, millis: number) => void;
}

/**
 * A Frappe site, read through its REST API. A request is repeated while the site is busy, restarting or out of reach,
 * up to a limit. Every function rejects with a RemoteError.
 */
export class RemoteSite {
  readonly origin: string;
  readonly #options: RemoteSiteOptions;
  readonly #connection;

  constructor(options: RemoteSiteOptions) {
    this.origin = options.origin;
    this.#options = options;
    this.#connection = connectToSite(options.origin, {
      connections: LIMITS.remoteConnections,
      connectTimeout: LIMITS.remoteConnectTimeout,
      silence: LIMITS.remoteSilence,
    });
  }

  /** Documents of one page. The query of a long list does not fit into an address, so it is sent as a body. */
  async list({ doctype, parent, fields, filters, orderBy, limit }: RemoteList): Promise<RemoteRow[]> {
    const query = {
      fields: JSON.stringify(fields),
      filters: JSON.stringify(filters),
      order_by: orderBy,
      limit_page_length: String(limit),
      ...(parent === undefined ? {} : { parent }),
    };
    const what = `the list of ${doctype}`;
    const search = new URLSearchParams(query).toString();
    const reply = await (search.length > MOST_ADDRESS
      ? this.#post('frappe.client.get_list', { doctype, ...query }, what)
      : this.#get(`/api/resource/${encodeURIComponent(doctype)}?${search}`, what));
    const rows = Object(reply).data ?? Object(reply).message;
    if (!Array.isArray(rows))
      throw new RemoteError('stranger', `${this.origin} answered ${what} without a list`);
    return rows.map((row) => Object(row) as RemoteRow);
  }

  /** One document with its child tables. Also a single, whose name is that of its doctype. */
  async read(doctype: string, name: string): Promise<RemoteRow> {
    const path = `/api/resource/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`;
    const reply = await this.#get(path, `${doctype} ${name}`);
    return Object(Object(reply).data) as RemoteRow;
  }

  /** Calls a method that only reads. */
  async call(method: string, args: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const search = new URLSearchParams(args).toString();
    const reply = await this.#get(`/api/method/${method}${search === '' ? '' : `?${search}`}`, method);
    return Object(reply).message;
  }

  /**
   * The bytes of a file by its `file_url`. `take` gets them as a stream, and begins anew when it is called again
   * after a break.
   */
  async download<T>(fileUrl: string, take: (response: SiteResponse) => Promise<T>): Promise<T> {
    const what = `the file ${fileUrl}`;
    const path = fileUrl.split('/').map(encodeURIComponent).join('/');
    return this.#attempt(
      { method: 'GET', path, headers: { 'accept-encoding': 'identity' } },
      what,
      (response) =>
        response.status === 200
          ? take(response)
          : readReply(this.origin, what, response).then(() => {
              throw new RemoteError('refused', `${this.origin} answered ${what} with ${response.status}`);
            }),
    );
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #get(path: string, what: string): Promise<unknown> {
    return this.#attempt({ method: 'GET', path, headers: {} }, what, (response) =>
      readReply(this.origin, what, response),
    );
  }

  #post(method: string, args: Readonly<Record<string, unknown>>, what: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(args);
    return this.#attempt({ method: 'POST', path: `/api/method/${method}`, headers, body }, what, (response) =>
      readReply(this.origin, what, response),
    );
  }

  async #attempt<T>(
    request: SiteRequest,
    what: string,
    take: (response: SiteResponse) => Promise<T>,
  ): Promise<T> {
    const { key, clock, random, signal, wait = waited, retrying } = this.#options;
    const headers = { accept: 'application/json', authorization: `token ${key}`, ...request.headers };
    for (let failures = 1; ; failures += 1) {
      signal?.throwIfAborted();
      let why: string;
      let least = 0;
      try {
        const response = await this.#connection.send({ ...request, headers, ...(signal ? { signal } : {}) });
        if (!isTransient(response.status)) return await take(response);
        response.discard();
        why = `it answered with ${response.status}`;
        least = retryAfter(response.headers, nowMillis(clock));
      } catch (error) {
        why = networkFailure(error);
        if (why === '') throw error;
        if (isBadCertificate(error)) throw this.#unreachable(what, why, error);
      }
      if (failures >= LIMITS.remoteTries) throw this.#unreachable(what, why);
      const millis = Math.max(least, backoffDelay(failures, BACKOFF, random.fraction()));
      retrying?.(`${what}: ${why}`, millis);
      if (!(await wait(millis, signal))) signal?.throwIfAborted();
    }
  }

  #unreachable(what: string, why: string, cause?: unknown): RemoteError {
    return new RemoteError('unreachable', `${this.origin} did not answer ${what}: ${why}`, { cause });
  }
}

/** Characters of a query in an address; proxies accept 8,000 bytes for the whole first line. */
const MOST_ADDRESS = 4_000;

const BACKOFF = { base: LIMITS.remoteRetryBase, factor: 2, cap: LIMITS.remoteRetryCap };

/** What broke between us and the site; '' for any other error, such as a full disk here. */
function networkFailure(error: unknown): string {
  // JSON that ends too soon.
  if (error instanceof SyntaxError) return 'the response is not complete';
  const code = errorCode(error) ?? '';
  const isNetwork =
    /^(?:UND_ERR_(?!ABORTED|DESTROYED|CLOSED)|E(?:CONN|NOTFOUND|AI_|PIPE|HOST|NET|TIMEDOUT)|Z_|HPE_)/.test(
      code,
    );
  if (!isNetwork && !isBadCertificate(error)) return '';
  return error instanceof Error && error.message !== '' ? error.message : code;
}

function isBadCertificate(error: unknown): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL/.test(errorCode(error) ?? '');
}
