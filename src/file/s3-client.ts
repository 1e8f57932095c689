import { S3Client } from '@aws-sdk/client-s3';
import type { S3Place } from '../config/files-place.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

export interface S3Calls {
  readonly client: S3Client;
  /**
   * Runs work with the client.
   * @throws ServiceError ServiceUnavailableError for any failure of the store
   */
  call<T>(work: () => Promise<T>): Promise<T>;
}

/** Times are milliseconds; see `LIMITS`. */
export interface S3Patience {
  /** Of each request. */
  readonly attempts: number;
  readonly connect: number;
  readonly answer: number;
  readonly idle: number;
  readonly pause: number;
}

const PATIENCE: S3Patience = {
  attempts: 2,
  connect: LIMITS.storageConnectTimeout,
  answer: LIMITS.storageTimeout,
  idle: LIMITS.storageIdleTimeout,
  pause: LIMITS.storagePause,
};

/**
 * A client with short timeouts. After the store was unreachable or failed, calls are refused at once for
 * `LIMITS.storagePause`, as are those beyond `LIMITS.storageWaiting` concurrent ones: requests for files must
 * not block others.
 */
export function openS3Client(
  place: S3Place,
  report: (problem: string) => void,
  patience: S3Patience = PATIENCE,
  name = 'file storage',
): S3Calls & { close(): void } {
  const client = new S3Client({
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
      connectionTimeout: patience.connect,
      // Until the response begins; afterwards each pause between bytes is limited.
      requestTimeout: patience.answer,
      throwOnRequestTimeout: true,
      socketTimeout: patience.idle,
      httpAgent: { maxSockets: LIMITS.storageSockets },
      httpsAgent: { maxSockets: LIMITS.storageSockets },
    },
  });
  let waiting = 0;
  let pausedUntil = 0;
  let isFailing = false;

  async function call<T>(work: () => Promise<T>): Promise<T> {
    if (performance.now() < pausedUntil || waiting >= LIMITS.storageWaiting) throw unavailable(name);
    waiting += 1;
    try {
      const result = await work();
      isFailing = false;
      return result;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (isOutage(error)) pausedUntil = performance.now() + patience.pause;
      if (!isFailing) report(`The ${name} failed: ${describe(error)}`);
      isFailing = true;
      throw unavailable(name, error);
    } finally {
      waiting -= 1;
    }
  }

  return { client, call, close: () => client.destroy() };
}

function unavailable(name: string, cause?: unknown): ServiceError {
  const error = new ServiceError('ServiceUnavailableError', `The ${name} is not available at the moment`, {
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

function statusOf(error: unknown): number | undefined {
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

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const status = statusOf(error);
  const code = 'code' in error ? String(error.code) : error.name;
  if (UNTRUSTED.includes(code)) {
    return `No trusted authority has signed the certificate of the store (${code}). NODE_EXTRA_CA_CERTS can name a file with more authorities`;
  }
  return [status === undefined ? code : `${status} ${error.name}`, error.message].filter(Boolean).join(': ');
}
