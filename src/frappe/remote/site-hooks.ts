import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '../../kernel/limits.ts';
import { waited } from '../../kernel/wait.ts';

export interface SiteHooksOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The secret of the webhooks, with which the site signs them. */
  readonly secret: string;
  readonly isFollowed: (doctype: string) => boolean;
  /** Told of the first webhook of each doctype, and of the first refusal of each kind. */
  readonly tell: (line: string) => void;
}

/**
 * Receives webhooks of a followed site. A webhook only says that documents of its doctype changed; the documents are
 * read from the site. So a forged, repeated or lost webhook changes no data.
 */
export class SiteHooks {
  readonly #options: SiteHooksOptions;
  readonly #server: Server;
  readonly #changed = new Set<string>();
  readonly #told = new Set<string>();
  #wake = () => {};

  private constructor(options: SiteHooksOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        requestTimeout: LIMITS.remoteHookTimeout,
        headersTimeout: LIMITS.remoteHookTimeout,
        connectionsCheckingInterval: LIMITS.remoteHookTimeout / 10,
      },
      (request, response) => {
        // The site has hung up: there is nobody to answer.
        this.#receive(request, response).catch(() => response.destroy());
      },
    );
    this.#server.maxConnections = LIMITS.remoteHookConnections;
  }

  /** @throws Error of the system, such as EADDRINUSE */
  static async listen(options: SiteHooksOptions): Promise<SiteHooks> {
    const hooks = new SiteHooks(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    hooks.#server.once('error', reject).listen(options.port, options.host, resolve);
    await promise;
    return hooks;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The doctypes of the webhooks since the last call. */
  take(): ReadonlySet<string> {
    const taken = new Set(this.#changed);
    this.#changed.clear();
    return taken;
  }

  /** Waits for a webhook that nobody has taken, for at most so many milliseconds. */
  async arrived(millis: number, signal: AbortSignal): Promise<void> {
    if (this.#changed.size > 0) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await waited(millis, AbortSignal.any([signal, woken.signal]));
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type, message } = this.#judge(request, await readBody(request));
    if (status !== 200) this.#tellOnce(type, `A webhook was refused with ${status}: ${message}`);
    response.writeHead(status, { 'content-type': 'application/json', ...(status === 405 ? ALLOW : {}) });
    response.end(JSON.stringify(status === 200 ? { message } : { exc_type: type, exception: message }));
  }

  #judge({ method, headers }: IncomingMessage, body: Buffer | null): Verdict {
    if (method !== 'POST') return refused(405, 'MethodNotAllowed', 'webhooks are sent with POST');
    if (body === null) {
      const most = `the body exceeds ${LIMITS.remoteHookBytes} bytes`;
      return refused(413, 'RequestEntityTooLarge', most);
    }
    const { secret, isFollowed } = this.#options;
    if (!isSignature(headers['x-frappe-webhook-signature'], secret, body)) {
      const why = 'X-Frappe-Webhook-Signature is not that of the body with this secret';
      return refused(401, 'AuthenticationError', why);
    }
    const doctype = doctypeOf(body);
    if (doctype === null) {
      return refused(
        400,
        'ValidationError',
        'the body is not JSON with a doctype, such as {"doctype": "Note"}',
      );
    }
    if (!isFollowed(doctype)) {
      return refused(404, 'DoesNotExistError', `${doctype.slice(0, 140)} is not followed`);
    }
    this.#changed.add(doctype);
    this.#wake();
    this.#tellOnce(`of ${doctype}`, `Webhooks of ${doctype} arrive.`);
    return { status: 200, type: '', message: 'ok' };
  }

  #tellOnce(kind: string, line: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#options.tell(line);
  }
}

const ALLOW = { allow: 'POST' };

interface Verdict {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

function refused(status: number, type: string, message: string): Verdict {
  return { status, type, message };
}

/** The whole body; null for a longer one, which is read to its end so that the sender hears the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LIMITS.remoteHookBytes) chunks.push(chunk);
  }
  return size <= LIMITS.remoteHookBytes ? Buffer.concat(chunks) : null;
}

function isSignature(given: unknown, secret: string, body: Buffer): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  const bytes = Buffer.from(typeof given === 'string' ? given : '', 'base64');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

function doctypeOf(body: Buffer): string | null {
  try {
    const doctype: unknown = Object(JSON.parse(body.toString('utf8'))).doctype;
    return typeof doctype === 'string' ? doctype : null;
  } catch {
    return null;
  }
}
