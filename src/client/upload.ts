import { type RawReply, rawReply, type Transport, type WireReply } from './transport.ts';

/** Options of an upload. */
export interface Upload {
  /** Its file name; default: the name of a `File`, else `file`. */
  readonly name?: string;
  /** The document to attach it to. */
  readonly attachTo?: { readonly doctype: string; readonly name: string; readonly field?: string };
  /** Only for users who may read the File, or the document it is attached to. */
  readonly isPrivate?: boolean;
  readonly folder?: string;
  /** Called with the number of bytes sent so far, and the total. */
  readonly onProgress?: (progress: { readonly sent: number; readonly total: number }) => void;
  readonly signal?: AbortSignal;
}

/** The File document of an upload. */
export interface UploadedFile {
  readonly name: string;
  readonly file_name: string;
  readonly file_url: string;
  readonly is_private: 0 | 1;
  readonly [field: string]: unknown;
}

const PATH = '/api/method/upload_file';

/**
 * Uploads a file. Without `onProgress` the body is sent as a whole; with it, piece by piece, which costs
 * more.
 */
export async function uploadFile(
  transport: Transport,
  file: Blob,
  upload: Upload = {},
): Promise<UploadedFile> {
  const { onProgress, signal } = upload;
  signal?.throwIfAborted();
  const form = formOf(file, upload);
  const reply = await (onProgress === undefined
    ? sendWhole(transport, form, signal)
    : 'XMLHttpRequest' in globalThis
      ? sendByXhr(transport, form, file.size, onProgress, signal)
      : sendInPieces(transport, form, file, onProgress, signal));
  return reply.body['message'] as UploadedFile;
}

function formOf(file: Blob, upload: Upload): FormData {
  const form = new FormData();
  const { attachTo, isPrivate, folder } = upload;
  // Before the file, so that the server can refuse the upload before its bytes.
  if (attachTo) {
    form.set('doctype', attachTo.doctype);
    form.set('docname', attachTo.name);
    if (attachTo.field !== undefined) form.set('fieldname', attachTo.field);
  }
  if (isPrivate !== undefined) form.set('is_private', isPrivate ? '1' : '0');
  if (folder !== undefined) form.set('folder', folder);
  form.set('file', file, upload.name ?? ('name' in file ? String(file.name) : 'file'));
  return form;
}

async function sendWhole(transport: Transport, body: FormData, signal?: AbortSignal): Promise<WireReply> {
  return fetchReply(transport, { method: 'POST', body }, signal);
}

function fetchReply(transport: Transport, init: RequestInit, signal?: AbortSignal): Promise<WireReply> {
  const { options } = transport;
  return transport.exchange('POST', signal, async (headers) => {
    const response = await (options.fetch ?? globalThis.fetch)(transport.address(PATH), {
      credentials: options.token === undefined ? 'include' : 'omit',
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string> | undefined) },
      ...(signal ? { signal } : {}),
    });
    return rawReply(response);
  });
}

type OnProgress = NonNullable<Upload['onProgress']>;

// Node: a stream that counts the bytes taken from it. `Response` builds the multipart body, with the content
// type that names its boundary.
async function sendInPieces(
  transport: Transport,
  form: FormData,
  file: Blob,
  onProgress: OnProgress,
  signal?: AbortSignal,
): Promise<WireReply> {
  const encoded = new Response(form);
  const total = file.size;
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      // The multipart frame is sent too; its few bytes are not counted separately.
      const now = Math.min(sent + piece.byteLength, total);
      if (now > sent) onProgress({ sent: now, total });
      sent = now;
      controller.enqueue(piece);
    },
  });
  const init = {
    method: 'POST',
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    body: (encoded.body ?? new ReadableStream<Uint8Array>()).pipeThrough(counter),
    duplex: 'half',
  };
  return fetchReply(transport, init as RequestInit, signal);
}

/** The part of XMLHttpRequest in use, because browsers report the progress of an upload only through it. */
interface Xhr {
  readonly status: number;
  readonly responseText: string;
  withCredentials: boolean;
  readonly upload: {
    onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null;
  };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
}

async function sendByXhr(
  transport: Transport,
  form: FormData,
  total: number,
  onProgress: OnProgress,
  signal?: AbortSignal,
): Promise<WireReply> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr };
  const xhr = new XMLHttpRequest();
  const abort = () => xhr.abort();
  const call = (headers: Readonly<Record<string, string>>) =>
    new Promise<RawReply>((resolve, reject) => {
      xhr.open('POST', transport.address(PATH));
      xhr.withCredentials = transport.options.token === undefined;
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ loaded }) => onProgress({ sent: Math.min(loaded, total), total });
      xhr.onload = () =>
        resolve({
          status: xhr.status,
          text: xhr.responseText,
          header: (name) => xhr.getResponseHeader(name),
        });
      xhr.onerror = () => reject(new Error('the connection failed'));
      xhr.onabort = () => reject(new Error('aborted'));
      signal?.addEventListener('abort', abort, { once: true });
      xhr.send(form);
    });
  try {
    return await transport.exchange('POST', signal, call);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
