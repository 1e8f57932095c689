/** A refusal by the server, or a request without an answer. */
export class ChanceryError extends Error {
  /** The server's `exc_type`, such as `MandatoryError`; `ConnectionError` without an answer. */
  readonly type: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** One message per problem, to show to a person. */
  readonly messages: readonly string[];
  /** Names the request in the server's log; '' without an answer. */
  readonly requestId: string;
  /** Seconds to wait before a retry, when the server sends them. */
  readonly retryAfter: number | null;

  constructor(type: string, status: number, messages: readonly string[], more: ErrorContext = {}) {
    super(messages[0] ?? type, more.cause === undefined ? {} : { cause: more.cause });
    this.name = 'ChanceryError';
    this.type = type;
    this.status = status;
    this.messages = messages;
    this.requestId = more.requestId ?? '';
    this.retryAfter = more.retryAfter ?? null;
  }
}

interface ErrorContext {
  readonly requestId?: string;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** True for an error of this client, or of one of `types` when any are given. */
export function isChanceryError(error: unknown, ...types: readonly string[]): error is ChanceryError {
  return error instanceof ChanceryError && (types.length === 0 || types.includes(error.type));
}

/** The error of a reply with a status above 299. */
export function errorOf(
  status: number,
  text: string,
  header: (name: string) => string | null,
): ChanceryError {
  const body = parsed(text);
  const type = typeof body['exc_type'] === 'string' ? body['exc_type'] : `HTTP ${status}`;
  const after = Number(header('retry-after') ?? Number.NaN);
  return new ChanceryError(type, status, messagesOf(body, type), {
    requestId: header('x-request-id') ?? '',
    retryAfter: Number.isFinite(after) ? after : null,
  });
}

/** The error of a request without an answer. */
export function connectionError(cause: unknown): ChanceryError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ChanceryError('ConnectionError', 0, [`No answer from the server: ${reason}`], { cause });
}

function messagesOf(body: Readonly<Record<string, unknown>>, type: string): string[] {
  const lists: unknown = typeof body['_server_messages'] === 'string' ? parsed(body['_server_messages']) : [];
  const messages = (Array.isArray(lists) ? lists : []).flatMap((text: unknown) => {
    const { message } = typeof text === 'string' ? parsed(text) : {};
    return typeof message === 'string' ? [message] : [];
  });
  if (messages.length > 0) return messages;
  const { exception } = body;
  return [typeof exception === 'string' ? exception.replace(/^[\w.]+: /, '') : type];
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
