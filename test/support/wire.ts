import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestReply } from './site.ts';
import { inTheEnd } from './until.ts';

export interface RawReply {
  readonly status: number;
  /** Lower-case names; of repeated headers the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** Sends bytes as they are on a connection of their own and reads until the server closes it. */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  // A server that has answered may reset a client that is still writing.
  await inTheEnd(
    () => Promise.race([once(socket, 'close'), once(socket, 'error')]).catch(() => undefined),
    () =>
      `the end of a connection to ${url}, which brought ${Buffer.concat(chunks).toString('utf8', 0, 2000)}`,
  ).finally(() => socket.destroy());
  const reply = Buffer.concat(chunks).toString('utf8');
  const split = reply.indexOf('\r\n\r\n');
  const [first = '', ...lines] = reply.slice(0, split).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, text: reply.slice(split + 4) };
}

const INVALID = `
  AttachmentLimitReached CancelledLinkError CannotChangeConstantError CharacterLengthExceededError DataError
  DocstatusTransitionError DoctypeLinkError FileQuotaExceeded FileTypeNotAllowed FolderNotEmpty
  HiddenAndMandatoryWithoutDefaultError InvalidColumnName InvalidEmailAddressError InvalidFieldNameError
  InvalidNameError InvalidNamingSeriesError InvalidPhoneNumberError LinkExistsError LinkValidationError
  MandatoryError MaxFileSizeReachedError NestedSetChildExistsError NonNegativeError NonUniqueError
  TimestampMismatchError UniqueFieldnameError UniqueValidationError UpdateAfterSubmitError ValidationError
  WrongOptionsDoctypeLinkError`;
/** Statuses of errors by contract, told without asking the server. */
const STATUSES = {
  400: 'BadRequestError CSRFTokenError',
  401: 'AuthenticationError',
  403: 'PermissionError',
  404: 'DoesNotExistError',
  405: 'MethodNotAllowedError',
  408: 'RequestTimeoutError',
  409: 'DuplicateEntryError NameError IdempotencyInProgressError UploadConflictError',
  412: 'PreconditionFailedError',
  413: 'RequestTooLargeError',
  414: 'UriTooLongError',
  415: 'UnsupportedMediaTypeError',
  416: 'RangeNotSatisfiableError',
  417: INVALID,
  422: 'IdempotencyError',
  429: 'RateLimitExceededError TooManyRequestsError',
  431: 'HeadersTooLargeError',
  460: 'ChecksumMismatchError',
  503: 'QueryTimeoutError ServiceUnavailableError',
  504: 'OutcomeUnknownError',
  507: 'InsufficientStorageError',
};

function statusOf(type: string): number {
  const [status] = Object.entries(STATUSES).find(([, types]) => types.split(/\s+/).includes(type)) ?? [];
  assert.ok(status, `no status of ${type} is known`);
  return Number(status);
}

/** The one shape of every failure. */
export function assertEnvelope(
  reply: { status: number; text: string },
  type: string,
  status = statusOf(type),
): void {
  assert.equal(reply.status, status, reply.text);
  const body = JSON.parse(reply.text);
  assert.equal(body.exc_type, type, reply.text);
  assert.match(body.exception, new RegExp(`^frappe\\.exceptions\\.${type}: .+`, 's'));
  assert.deepEqual(JSON.parse(body.exc), [body.exception]);
  const messages = JSON.parse(body._server_messages).map((text: string) => JSON.parse(text));
  assert.ok(messages.length > 0);
  const text = body.exception.slice(`frappe.exceptions.${type}: `.length);
  assert.equal(body._error_message, type === 'PermissionError' ? text : undefined);
  for (const message of messages) {
    // Where the problem lies is said where there is one place: a field, and of a row its table and number.
    const { fieldname, table, row, ...rest } = message;
    assert.deepEqual(Object.keys(rest), ['message', 'title', 'indicator', 'raise_exception']);
    assert.ok(fieldname === undefined || typeof fieldname === 'string', reply.text);
    assert.equal(typeof table, row === undefined ? 'undefined' : 'string', reply.text);
    assert.ok(row === undefined || (Number.isInteger(row) && row > 0), reply.text);
  }
}

/** The one shape of every failure of `/api/v2`. */
export function assertErrors(reply: TestReply, type: string, status = statusOf(type)): void {
  assert.equal(reply.status, status, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['errors']);
  assert.ok(reply.body.errors.length > 0);
  for (const error of reply.body.errors) {
    assert.equal(error.type, type, reply.text);
    assert.ok(error.message.length > 0 && error.title.length > 0);
    assert.equal(error.indicator, 'red');
  }
}

/** A refusal that the caller can act on, in the envelope, that gives nothing away. */
export function assertRefused(reply: TestReply, what = ''): void {
  assert.ok(reply.status >= 400 && reply.status < 500, `${what}: ${reply.status} ${reply.text}`);
  assertHarmless(reply, what);
}

/** Any answer but a failure of ours. */
export function assertHarmless(reply: TestReply, what = ''): void {
  assert.ok(reply.status < 500, `${what}: ${reply.status} ${reply.text}`);
  if (reply.status >= 400) assertEnvelope(reply, reply.body.exc_type, reply.status);
  else assert.ok(!('exc' in (reply.body ?? {})), `${what}: exc on success`);
  const leaks = /\bat \S+ \(|node_modules|\.ts:\d+|\bselect\b.*\bfrom\b|SQLITE|syntax error/i;
  if (reply.status >= 400) assert.doesNotMatch(reply.text, leaks, what);
}
