/** An error reply of the server, or a request without a reply. Screens show it, code checks its `type`. */
export class ApiError extends Error {
  /** The HTTP status; 0 without a reply. */
  readonly status: number;
  /** The server's stable error name, such as `MandatoryError`; `ConnectionError` without a reply. */
  readonly type: string;
  /** One message per problem, as plain text. */
  readonly messages: readonly string[];
  /** The same messages with the field of each, if the server names one. */
  readonly problems: readonly Problem[];
  /** The server's one-line summary. For `MandatoryError` it names the fields without a value. */
  readonly exception: string;
  /** Identifies the request in the server's log; '' without a reply. */
  readonly requestId: string;
  /** Seconds to wait before a retry, if the server states them. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    type: string,
    problems: readonly (Problem | string)[],
    more: { exception?: string; requestId?: string; retryAfter?: number | null; cause?: unknown } = {},
  ) {
    const named = problems.map((one) => (typeof one === 'string' ? { message: one } : one));
    super(named[0]?.message ?? type, { cause: more.cause });
    this.name = 'ApiError';
    this.status = status;
    this.type = type;
    this.problems = named;
    this.messages = named.map((one) => one.message);
    this.exception = more.exception ?? '';
    this.requestId = more.requestId ?? '';
    this.retryAfter = more.retryAfter ?? null;
  }
}

/** One problem and its field. */
export interface Problem {
  readonly message: string;
  readonly fieldname?: string;
  /** For a row: the table's fieldname and the row number, from 1. */
  readonly table?: string;
  readonly row?: number;
}

/** True for an `ApiError`; with `types`, only for one of these types. */
export function isApiError(error: unknown, ...types: readonly string[]): error is ApiError {
  return error instanceof ApiError && (types.length === 0 || types.includes(error.type));
}

/** Parses an error reply, in the envelope of either version. */
export function errorOf(status: number, text: string, header: (name: string) => string | null): ApiError {
  const body = recordOf(text);
  const errors = Array.isArray(body['errors']) ? body['errors'] : [];
  const [first] = errors;
  const stated = body['exc_type'] ?? (isObject(first) ? first['type'] : undefined);
  const type = typeof stated === 'string' ? stated : `HTTP ${status}`;
  const after = Number(header('retry-after') ?? Number.NaN);
  const exception = typeof body['exception'] === 'string' ? body['exception'] : '';
  return new ApiError(status, type, problemsOf(body, errors, type), {
    exception: exception.replace(/^[\w.]+: /, ''),
    requestId: header('x-request-id') ?? '',
    retryAfter: Number.isFinite(after) ? after : null,
  });
}

/** The error of a request without a reply. */
export function connectionError(cause: unknown): ApiError {
  return new ApiError(0, 'ConnectionError', ['The server did not answer'], { cause });
}

function problemsOf(body: Fields, errors: readonly unknown[], type: string): Problem[] {
  const served = typeof body['_server_messages'] === 'string' ? parsed(body['_server_messages']) : [];
  const texts = (Array.isArray(served) ? served : []).map((one) =>
    typeof one === 'string' ? recordOf(one) : one,
  );
  const problems = [...texts, ...errors].flatMap((one) => (isObject(one) ? problemOf(one) : []));
  if (problems.length > 0) return problems;
  const { exception } = body;
  return [{ message: typeof exception === 'string' ? exception.replace(/^[\w.]+: /, '') : type }];
}

function problemOf({ message, fieldname, table, row }: Fields): Problem[] {
  if (typeof message !== 'string') return [];
  return [
    {
      message,
      ...(typeof fieldname === 'string' ? { fieldname } : {}),
      ...(typeof table === 'string' ? { table } : {}),
      ...(typeof row === 'number' ? { row } : {}),
    },
  ];
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordOf(text: string): Fields {
  const value = parsed(text);
  return isObject(value) ? value : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
