import { type ApiError, errorOf, isApiError } from '../api-error.ts';

/** One request of an upload, as a transport sends it. */
export interface TusRequest {
  readonly verb: 'POST' | 'PATCH' | 'HEAD' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob;
  /** Called with the bytes of the body sent so far. */
  readonly onProgress?: (sent: number) => void;
  readonly signal: AbortSignal;
}

export interface TusReply {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Sends a request. Rejects with the signal's reason, or with an ApiError if there is no reply. */
export type TusTransport = (request: TusRequest) => Promise<TusReply>;

/** One upload: the file, its fields and its transport. */
export interface TusUpload {
  readonly file: Blob;
  /** `filename` and the fields of `upload_file`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** URL of an interrupted upload; null starts a new one. */
  readonly url: string | null;
  readonly transport: TusTransport;
  readonly signal: AbortSignal;
  /**
   * Called with the upload's URL when the server has sent it, and with null when the upload no longer exists.
   */
  readonly onUrl: (url: string | null) => void;
  readonly onProgress: (bytes: number) => void;
  /** Resolves when the next retry is due. */
  readonly wait: (failures: number, signal: AbortSignal) => Promise<void>;
}

export const TUS_PATH = '/api/files/tus';
const VERSION = '1.0.0';
const BYTES = 'application/offset+octet-stream';
/** A file up to this size travels in the request that creates the upload: one round trip. */
const SMALL = 128 * 1024;
/** Failures in a row, without progress, before the upload fails. */
const PATIENCE = 6;

/**
 * Uploads a file. Resumes an earlier attempt and retries while the network or the server fail. Resolves to
 * the name of the File. Aborting the signal pauses: received bytes stay on the server.
 * @throws ApiError for a refusal; the signal's reason
 */
export async function runTusUpload(upload: TusUpload): Promise<string> {
  const state = { url: upload.url, reached: 0, failures: 0 };
  for (;;) {
    try {
      const file = await attempt(upload, state);
      if (file !== null) return file;
    } catch (error) {
      upload.signal.throwIfAborted();
      state.failures += 1;
      if (!isPassing(error) || state.failures > PATIENCE) throw error;
      await upload.wait(state.failures, upload.signal);
    }
  }
}

/** Cancels an upload and deletes its data. A missing upload counts as deleted. */
export async function endTusUpload(url: string, transport: TusTransport): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  const reply = await transport({ verb: 'DELETE', url, headers: { 'tus-resumable': VERSION }, signal });
  if (reply.status >= 300 && !isGone(reply)) throw refusal(reply);
}

interface State {
  url: string | null;
  reached: number;
  failures: number;
}

/** The File's name, or null if the upload was only created or must be created again. */
async function attempt(upload: TusUpload, state: State): Promise<string | null> {
  if (state.url === null) return begin(upload, state);
  const found = await request(upload, 'HEAD', state.url);
  if (isGone(found)) {
    state.url = null;
    upload.onUrl(null);
    return null;
  }
  const done = documentOf(found);
  if (done !== null) return done;
  const offset = offsetOf(found);
  advance(upload, state, offset);
  const reply = await request(upload, 'PATCH', state.url, {
    headers: { 'upload-offset': String(offset), 'content-type': BYTES },
    body: upload.file.slice(offset),
    onProgress: (sent) => upload.onProgress(offset + sent),
  });
  advance(upload, state, offsetOf(reply));
  // Another request finds the result of a lost reply.
  return documentOf(reply);
}

async function begin(upload: TusUpload, state: State): Promise<string | null> {
  const { file, metadata, onProgress } = upload;
  const isSmall = file.size > 0 && file.size <= SMALL;
  const reply = await request(upload, 'POST', TUS_PATH, {
    headers: {
      'upload-length': String(file.size),
      'upload-metadata': metadataHeader(metadata),
      ...(isSmall ? { 'content-type': BYTES } : {}),
    },
    ...(isSmall ? { body: file, onProgress } : {}),
  });
  const done = documentOf(reply);
  if (done !== null) {
    onProgress(file.size);
    return done;
  }
  const location = reply.header('location');
  if (location === null) throw refusal(reply);
  state.url = pathOf(location);
  upload.onUrl(state.url);
  return null;
}

type More = Pick<TusRequest, 'body' | 'onProgress'> & { readonly headers?: Readonly<Record<string, string>> };

async function request(
  upload: TusUpload,
  verb: TusRequest['verb'],
  url: string,
  more: More = {},
): Promise<TusReply> {
  const { headers, ...rest } = more;
  const { transport, signal } = upload;
  const reply = await transport({
    verb,
    url,
    signal,
    headers: { 'tus-resumable': VERSION, ...headers },
    ...rest,
  });
  if (reply.status < 300 || (verb === 'HEAD' && isGone(reply))) return reply;
  throw refusal(reply);
}

function advance(upload: TusUpload, state: State, offset: number): void {
  if (offset > state.reached) state.failures = 0;
  state.reached = Math.max(state.reached, offset);
  upload.onProgress(offset);
}

// True for temporary failures: a conflict with an earlier request (409, 423), a requested pause, or no
// server.
function isPassing(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return [0, 408, 409, 423, 429, 500, 502, 503, 504].includes(error.status);
}

function isGone({ status }: TusReply): boolean {
  return status === 404 || status === 410;
}

function refusal(reply: TusReply): ApiError {
  return errorOf(reply.status, reply.text, (name) => reply.header(name));
}

function offsetOf(reply: TusReply): number {
  const offset = Number(reply.header('upload-offset') ?? Number.NaN);
  if (!Number.isSafeInteger(offset)) throw refusal(reply);
  return offset;
}

function documentOf(reply: TusReply): string | null {
  const name = reply.header('upload-document');
  return name === null ? null : decodeURIComponent(name);
}

/** Turns a location into a path of this site, so that credentials go to no other host. */
function pathOf(location: string): string {
  const { pathname } = new URL(location, 'http://here');
  return `${TUS_PATH}/${pathname.split('/').at(-1) ?? ''}`;
}

function metadataHeader(metadata: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(metadata).filter(([, value]) => value !== '');
  return pairs.map(([name, value]) => `${name} ${base64(value)}`).join(',');
}

function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
