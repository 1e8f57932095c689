import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import multipart, { type Multipart } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Document } from '../../doctype/doctype.ts';
import { presentDocument } from '../../document/load/present.ts';
import { bytesOfText } from '../../file/sent-content.ts';
import type { UnclaimedContent } from '../../file/stored-file.ts';
import { isChunk, receiveChunk } from '../../file/upload-chunk.ts';
import {
  type CreateFile,
  checkUpload,
  discardContent,
  type FileSite,
  receiveContent,
  type UploadedFile,
  uploadFile,
} from '../../file/upload-file.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { freeBuffer } from '../../kernel/free-buffer.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fields } from '../../kernel/value.ts';
import { notPermitted } from '../../operation/operation.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { Address } from '../address/address.ts';
import { parseRequestArguments, queryOf } from '../arguments.ts';
import { askMethod, type MethodTable } from '../ask-method.ts';
import { answer } from '../call.ts';
import { httpCall } from '../http-call.ts';
import { Answer, doOnce, sendAnswer } from '../once.ts';
import { type Envelope, messageBody, noticesIn } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { askForBody } from '../wire/expect-continue.ts';
import { unnamedPart } from '../wire/parse-body.ts';
import { PartCount } from '../wire/part-count.ts';
import { peekBody } from '../wire/peek-body.ts';
import { type PlainPart, parsePlainForm } from '../wire/plain-form.ts';
import { bodyTooLarge, requireBodyWithin } from '../wire/unread-body.ts';
import { contradiction } from '../wire/url.ts';
import { ATTACH, UPLOAD, UPLOAD_ALIAS, UPLOAD_V2 } from './addresses.ts';
import { answerChunk } from './upload-chunk.ts';

/** What every upload needs. */
interface UploadNeeds {
  readonly site: OpenSite;
  readonly methods: MethodTable;
  readonly idleTimeout: number;
}

type Part = Multipart | PlainPart;

/** The parts of an upload, in any order of arrival. */
interface Upload {
  content: UnclaimedContent | null;
  sentBytes: number;
  fileName: string;
  readonly fields: Map<string, string>;
}

/**
 * `upload_file`: multipart with one file, or a form or JSON that names a url. Over each stretch of
 * `idleTimeout` milliseconds an upload must bring `LIMITS.uploadRate` bytes per second.
 */
export function registerUpload(
  app: FastifyInstance,
  site: OpenSite,
  methods: MethodTable,
  idleTimeout: number,
): void {
  const uploadNeeds: UploadNeeds = { site, methods, idleTimeout };
  // A setting decides whether Guests may upload. A caller without the right is refused before the body is
  // read.
  const onRequest: onRequestHookHandler = (request, _reply, done) => {
    if (request.user.isGuest && !site.settings.guestUploads) throw notPermitted();
    requireBodyWithin(request.raw, multipartBytes(site));
    done();
  };
  // In a scope of its own, so that no other route accepts multipart.
  app.register(async (scope) => {
    await scope.register(multipart, {
      throwFileSizeLimit: false,
      // The parser would wait forever for a part that it leaves out and that fills its buffer at once.
      fileHwm: LIMITS.uploadAtOnce + 1,
      limits: {
        // The storage counts the bytes and stops at once; the parser would read on to the end.
        fileSize: Number.POSITIVE_INFINITY,
        files: 1,
        fields: LIMITS.uploadFields,
        parts: LIMITS.uploadFields + 1,
        fieldSize: LIMITS.uploadFieldBytes,
        headerPairs: LIMITS.uploadPartHeaders,
      },
    });
    const handler =
      ({ version }: Address) =>
      (request: FastifyRequest, reply: FastifyReply) => {
        const { doctype = '', name } = request.params as { doctype?: string; name?: string };
        const place = name === undefined ? undefined : { doctype, docname: name };
        return upload(uploadNeeds, version === 'v2' ? 'data' : 'message', request, reply, place);
      };
    for (const address of [UPLOAD, UPLOAD_ALIAS, UPLOAD_V2]) {
      addRoute(scope, address, handler(address), { onRequest });
    }
    // Other verbs take the path as a document's name.
    addRoute(scope, ATTACH, handler(ATTACH), { onRequest, sharesPath: true });
  });
}

async function upload(
  { site, methods, idleTimeout }: UploadNeeds,
  envelope: Envelope,
  request: FastifyRequest,
  reply: FastifyReply,
  place: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const received = request.isMultipart()
    ? await receive(site, idleTimeout, request, place)
    : await fromArguments(site, request, place);
  const content = JSON.stringify([
    received.content?.stored.sha256 ?? null,
    received.fileName,
    ...received.fields,
  ]);
  const name = received.fields.get('method');
  if (name && !isChunk(received.fields)) {
    const bodies: Readable[] = [];
    const call = (createFile: CreateFile) => {
      const args = argumentsOf(received, createFile, bodies);
      const called = httpCall(site, request, reply);
      return answer(called, askMethod(methods, { name, args, envelope, content }, called));
    };
    try {
      return sendAnswer(reply, await uploadFile(site, received, call));
    } finally {
      for (const body of bodies) body.destroy();
    }
  }
  const run = (work: CreateFile, notices: readonly string[]) => {
    const told = notices.map((message) => ({ message, indicator: 'orange' }) as const);
    const present = (doc: Document) => {
      const precision = site.settings.timestampPrecision;
      const shown = presentDocument(site.doctypes, doc, { nulls: false, precision });
      return new Answer(messageBody(shown, noticesIn(envelope, told), envelope));
    };
    return doOnce(site, request, reply, work, present, { content });
  };
  const made = isChunk(received.fields)
    ? await answerChunk(site, request.user, envelope, received, run)
    : await uploadFile(site, received, run);
  return sendAnswer(reply, made);
}

/**
 * The arguments of the method that an upload names in its field `method`: its fields, and the content.
 * `bodies` collects the streams that the method opens.
 */
function argumentsOf(
  { content, fileName, fields }: Upload,
  createFile: CreateFile,
  bodies: Readable[],
): Fields {
  const { method: _method, ...args } = Object.fromEntries(fields);
  if (!content) return args;
  const { storage, storageKey, stored } = content;
  const uploadedFile: UploadedFile = {
    fileName,
    bytes: stored.bytes,
    sha256: stored.sha256,
    async open() {
      const opened = await storage.open(storageKey);
      if (!opened) throw new Error('the bytes of the upload are gone');
      if (opened.body instanceof Readable) bodies.push(opened.body);
      return opened.body;
    },
    createFile,
  };
  return { ...args, uploaded_file: uploadedFile };
}

async function fromArguments(
  site: FileSite,
  request: FastifyRequest,
  place: Readonly<Record<string, string>>,
): Promise<Upload> {
  const fields = new Map<string, string>();
  const sent = parseRequestArguments(request);
  const { content, decode, ...args } =
    request.routeOptions.url === UPLOAD_ALIAS.path ? readAliasNames(sent) : sent;
  for (const [name, value] of Object.entries(args)) {
    if (value === null || value === undefined) continue;
    fields.set(name, fieldText(name, typeof value === 'boolean' ? Number(value) : value));
  }
  for (const [name, value] of Object.entries(place)) fields.set(name, value);
  if (typeof content !== 'string' || content === '')
    return { content: null, sentBytes: 0, fileName: '', fields };
  await checkUpload(site, request.user, fields);
  const received = await receiveContent(site, bytesOfText(content, decode));
  return { content: received, sentBytes: 0, fileName: fields.get('file_name') ?? '', fields };
}

// The names of `uploadfile` in Frappe, whose content is always in Base64.
function readAliasNames({ filename, filedata, docfield, ...sent }: Fields): Fields {
  const encoded = filedata === undefined ? {} : { content: filedata, decode: 1 };
  return { file_name: filename, fieldname: docfield, ...encoded, ...sent };
}

async function receive(
  site: FileSite,
  idleTimeout: number,
  request: FastifyRequest,
  place: Readonly<Record<string, string>>,
): Promise<Upload> {
  const received: Upload = {
    content: null,
    sentBytes: 0,
    fileName: '',
    fields: new Map(Object.entries({ ...queryOf(request), ...place })),
  };
  const stopWatching = watchRate(request.raw, idleTimeout);
  try {
    await checkUpload(site, request.user, received.fields);
    askForBody(request.raw);
    const keep = (part: Part) => receivePart(site, request, received, part, place);
    const whole = await peekBody(request.raw, Math.min(LIMITS.uploadAtOnce, multipartBytes(site)));
    const plain = whole && parsePlainForm(whole, request.headers['content-type'] ?? '');
    if (plain) {
      request.raw.read();
      request.raw.resume();
      for (const part of plain) await keep(part);
      freeBuffer(whole);
    } else await readParts(request, multipartBytes(site), keep);
    return received;
  } catch (error) {
    if (received.content) await discardContent(site, received.content);
    throw asRefusal(error);
  } finally {
    stopWatching();
  }
}

/** Passes all parts to `keep`, while they arrive. */
async function readParts(
  request: FastifyRequest,
  most: number,
  keep: (part: Part) => Promise<void>,
): Promise<void> {
  const sent = new PartCount(request.headers['content-type'] ?? '');
  boundBody(request.raw, most, sent);
  let read = 0;
  for await (const part of request.parts()) {
    await keep(part);
    read += 1;
  }
  if (read < sent.parts) throw unnamedPart();
}

/** The longest form with a file, in bytes. */
function multipartBytes({ settings }: FileSite): number {
  return settings.maxFileBytes + LIMITS.uploadFields * LIMITS.uploadFieldBytes + LIMITS.uploadFormBytes;
}

// The parser sets no limit on bytes before, between and after the parts, or on the rest of a field that is
// too long, and leaves out parts.
function boundBody(request: IncomingMessage, most: number, sent: PartCount): void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= most) return sent.add(chunk);
    request.off('data', count);
    // The parser stops at an error of the request.
    request.emit('error', bodyTooLarge(most));
  };
  request.on('data', count);
}

async function receivePart(
  site: FileSite,
  request: FastifyRequest,
  received: Upload,
  part: Part,
  place: Readonly<Record<string, string>>,
): Promise<void> {
  const { fields } = received;
  // At run time a part without a name is undefined, despite the types.
  if (typeof part.fieldname !== 'string' || part.fieldname === '') throw malformed('A part has no name');
  if (part.type === 'field') {
    if ('valueTruncated' in part && part.valueTruncated) {
      throw new ServiceError(
        'RequestTooLargeError',
        `A field may have at most ${LIMITS.uploadFieldBytes} bytes`,
      );
    }
    const text = fieldText(part.fieldname, part.value);
    const known = fields.get(part.fieldname);
    if (known === undefined) fields.set(part.fieldname, text);
    // The address wins over the form.
    else if (known !== text && place[part.fieldname] === undefined) throw contradiction(part.fieldname);
    return;
  }
  const fileName = part.filename ?? '';
  if (fileName.includes('\0')) throw malformed('A file name must not contain NUL');
  if (fileName === '' && part.filename !== undefined) throw malformed('The file has no name');
  await checkUpload(site, request.user, fields);
  received.content = await (isChunk(fields) ? receiveChunk : receiveContent)(site, part.file);
  received.sentBytes = Buffer.isBuffer(part.file) ? part.file.length : part.file.bytesRead;
  received.fileName = fileName;
}

function fieldText(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw malformed(`Field ${name} must be text`);
  const text = String(value);
  if (text.includes('\0')) throw malformed('Text must not contain NUL');
  return text;
}

/** Ends a request that sends too slowly. Call the returned function when all bytes have arrived. */
export function watchRate(request: IncomingMessage, idleTimeout: number): () => void {
  const { socket } = request;
  const expected = (LIMITS.uploadRate * idleTimeout) / 1000;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    if (socket.bytesRead - before < expected) request.destroy();
    before = socket.bytesRead;
  }, idleTimeout);
  return () => clearInterval(timer);
}

function malformed(message: string): ServiceError {
  return new ServiceError('BadRequestError', message);
}

/**
 * The parser's errors are the client's fault. Failures of the storage, whose errors name a system call, are
 * ours.
 */
function asRefusal(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error) || 'syscall' in error) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (/^FST_(?:PARTS|FILES|FIELDS)_LIMIT$/.test(code)) {
    return new ServiceError(
      'RequestTooLargeError',
      'An upload may have one file and a limited number of fields',
    );
  }
  if (code.startsWith('ERR_') && code !== 'ERR_STREAM_PREMATURE_CLOSE') return error;
  return malformed('The multipart body is malformed or ended early');
}
