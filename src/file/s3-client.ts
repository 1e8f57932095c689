import { S3Client } from '@aws-sdk/client-s3';
import type { S3Place } from '../config/files-place.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/** An S3 client, and how to call it. */
export interface S3Calls {
  readonly client: S3Client;
  /**
   * Runs work with the client.
   * @throws ServiceError ServiceUnavailableError for any failure of the store
   */
  call<T>(work: () => Promise<T>): Promise<T>;
  /** Reports a failure of the store outside a call; returns the error to throw. */
  failed(error: unknown): ServiceError;
  /** Attempts at each request. */
  readonly attempts: number;
  /** Ends the calls in progress, which reject, and closes the connections. */
  close(): void;
}

/** How long to wait for a store. Times are milliseconds; see `LIMITS`. */
export interface S3Patience {
  /** Of each request. */
  readonly attempts: number;
  readonly connect: number;
  readonly answer: number;
  readonly idle: number;
  readonly pause: number;
}

const TIMES = {
  connect: LIMITS.storageConnectTimeout,
  answer: LIMITS.storageTimeout,
  idle: LIMITS.storageIdleTimeout,
};
/** For requests of clients, which must not wait long. */
const PATIENCE: S3Patience = { ...TIMES, attempts: 2, pause: LIMITS.storagePause };
/** For work that nobody waits for: it outlasts a short outage, and a store that wants to be asked less often. */
export const LONG_PATIENCE: S3Patience = { ...TIMES, attempts: LIMITS.storageAttempts, pause: 0 };

/** What to call a store in messages, and who reads them. */
export interface S3Name {
  readonly name: string;
  /** True if only operators see its errors, which then contain the cause. */
  readonly isOperators: boolean;
}

/**
 * A client with short timeouts. After the store was unreachable or failed, calls are refused at once for
 * `LIMITS.storagePause`, as are those beyond `LIMITS.storageWaiting` concurrent ones: requests for files must
 * not block others.
 */
export function openS3Client(
  place: S3Place,
  report: (problem: string) => void,
  patience: S3Patience = PATIENCE,
  of: S3Name = { name: 'file storage', isOperators: false },
): S3Calls {
  const answer = place.timeout ?? patience.answer;
  // With a shorter timeout a failure is noticed sooner, and costs less.
  const pause = patience.pause * Math.min(1, answer / patience.answer);
  const client = newClient(place, { ...patience, answer, idle: place.timeout ?? patience.idle });
  const inProgress = new Set<(error: Error) => void>();
  let isClosed = false;
  let pausedUntil = 0;
  let isFailing = false;
  // Otherwise the SDK would repeat requests that were broken off.
  client.middlewareStack.add((next) => (args) => (isClosed ? Promise.reject(aborted()) : next(args)), {
    step: 'finalizeRequest',
    priority: 'low',
  });

  async function call<T>(work: () => Promise<T>): Promise<T> {
    const isRefused = isClosed || performance.now() < pausedUntil;
    if (isRefused || inProgress.size >= LIMITS.storageWaiting) throw unavailable(of);
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    inProgress.add(end);
    try {
      const result = await Promise.race([work(), ended]);
      isFailing = false;
      return result;
    } catch (error) {
      throw error instanceof ServiceError ? error : failed(error);
    } finally {
      inProgress.delete(end);
    }
  }

  function failed(error: unknown): ServiceError {
    if (isOutage(error)) pausedUntil = performance.now() + pause;
    if (!isFailing) report(`The ${of.name} failed: ${describeS3Error(error)}`);
    isFailing = true;
    return unavailable(of, error);
  }

  function close(): void {
    isClosed = true;
    for (const end of inProgress) end(unavailable(of));
    client.destroy();
  }

  return { client, call, failed, attempts: patience.attempts, close };
}

function newClient(place: S3Place, patience: S3Patience): S3Client {
  return new S3Client({
    ...(place.endpoint !== null && { endpoint: place.endpoint, region: 'us-east-1' }),
    ...(place.region !== null && { region: place.region }),
    ...(place.credentials && {
      credentials: { accessKeyId: place.credentials.key, secretAccessKey: place.credentials.secret },
    }),
    forcePathStyle: place.pathStyle,
    maxAttempts: patience.attempts,
    // Other stores than Amazon's do not support the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(patience.connect, patience.answer),
      // Until the response begins; afterwards each pause between bytes is limited.
      requestTimeout: patience.answer,
      throwOnRequestTimeout: true,
      socketTimeout: patience.idle,
      httpAgent: { maxSockets: LIMITS.storageSockets },
      httpsAgent: { maxSockets: LIMITS.storageSockets },
    },
  });
}

function aborted(): Error {
  return Object.assign(new Error('the client is closed'), { name: 'AbortError' });
}

function unavailable({ name, isOperators }: S3Name, cause?: unknown): ServiceError {
  const why = isOperators && cause !== undefined ? `: ${describeS3Error(cause)}` : ' at the moment';
  const error = new ServiceError('ServiceUnavailableError', `The ${name} is not available${why}`, {
    headers: { 'Retry-After': String(Math.ceil(LIMITS.storagePause / 1000)) },
  });
  if (cause !== undefined) error.cause = cause;
  return error;
}

/** No response, or one that shows a failure of the store itself and not of this request. */
function isOutage(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? isNetwork(error) : status >= 500;
}

function isNetwork(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || 'code' in error || 'errno' in error);
}

/** The status of the store's answer; undefined without an answer. */
export function statusOf(error: unknown): number | undefined {
  const metadata = error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** What Node.js says of a certificate that none of its authorities has signed. */
const UNTRUSTED = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];

/** The cause of a failure of a store, in words for operators. */
export function describeS3Error(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const status = statusOf(error);
  const code = 'code' in error ? String(error.code) : error.name;
  if (UNTRUSTED.includes(code)) {
    return `No trusted authority has signed the certificate of the store (${code}). NODE_EXTRA_CA_CERTS can name a file with more authorities`;
  }
  // Answers to HEAD have no text, and neither have those of a proxy.
  if (status !== undefined && error.message === 'UnknownError') return `${status} without a reason`;
  if (code === 'Error') return error.message;
  return [status === undefined ? code : `${status} ${error.name}`, error.message].filter(Boolean).join(': ');
}
