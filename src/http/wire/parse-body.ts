import { isUtf8 } from 'node:buffer';
import { Busboy } from '@fastify/busboy';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import { PartCount } from './part-count.ts';
import { contradiction, contradictionIn, type Parameters, parseParameters } from './url.ts';

/**
 * The body of a form. Its own class tells it from a JSON object, because forms carry JSON inside their
 * fields.
 */
export class FormBody {
  readonly fields: Parameters;
  constructor(fields: Parameters) {
    this.fields = fields;
  }
}

/** Parses the bytes of a body. */
export type ParseBody = (bytes: Buffer) => unknown;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const MULTIPART_TYPE = /^multipart\/form-data\s*(?:;|$)/i;

/**
 * The parser of a body with the content type `type` whose first character, apart from blanks, is `first`. A
 * brace begins JSON, whatever the content type: curl sends JSON as a form, scripts send it as text, and some
 * clients without a type.
 * @throws ServiceError UnsupportedMediaTypeError
 */
export function bodyParser(type: string, first: string): ParseBody {
  if (first === '{' || JSON_TYPE.test(type)) return parseJson;
  if (FORM_TYPE.test(type)) return parseForm;
  if (MULTIPART_TYPE.test(type)) return (bytes) => parseMultipart(bytes, type);
  throw unsupported('Send a JSON object, a form, or a multipart form without files');
}

const PLUS = 0x2b;
const BLANK = 0x20;

function parseForm(bytes: Buffer): FormBody {
  requireUtf8(bytes);
  // In the bytes, because to replace millions of characters of a text takes seconds.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === PLUS) bytes[at] = BLANK;
  const text = bytes.toString('utf8');
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    count += 1;
    if (count > LIMITS.formFields) throw tooManyFields();
  }
  const fields = parseParameters(text);
  const refusal = contradictionIn(fields);
  if (refusal) throw refusal;
  return formBody(fields);
}

async function parseMultipart(bytes: Buffer, type: string): Promise<FormBody> {
  requireUtf8(bytes);
  const fields = await multipartFields(bytes, type).catch((error: unknown) => {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('BadRequestError', 'The multipart body is malformed or ended early');
  });
  return formBody(fields);
}

function multipartFields(bytes: Buffer, type: string): Promise<Parameters> {
  const fields: Parameters = Object.create(null);
  return new Promise((resolve, reject) => {
    const sent = new PartCount(type);
    sent.add(bytes);
    let read = 0;
    const parser = new Busboy({
      headers: { 'content-type': type },
      // A part without a filename is a field, whatever its content type.
      isPartAFile: (_name, _type, filename) => filename !== undefined,
      // The parser would wait forever for a part that it leaves out and that fills its buffer.
      fileHwm: LIMITS.bodyBytes + 1,
      limits: {
        parts: LIMITS.formFields,
        fieldSize: LIMITS.bodyBytes,
        headerPairs: LIMITS.uploadPartHeaders,
      },
    });
    let isRefused = false;
    const refuse = (error: Error) => {
      isRefused = true;
      reject(error);
    };
    parser.on('field', (name: string | undefined, value) => {
      read += 1;
      if (name === undefined) return refuse(new Error('a part has no name'));
      const first = fields[name];
      if (first !== undefined && first !== value) refuse(contradiction(name));
      fields[name] = value;
    });
    parser.on('file', (_name, file) => {
      // A form that ends inside a file is an error of the file too, which nobody else hears.
      file.on('error', refuse).resume();
      refuse(unsupported('Only an upload may have files'));
    });
    parser.on('partsLimit', () => refuse(tooManyFields()));
    parser.on('error', refuse);
    parser.on('finish', () => (read < sent.parts ? reject(unnamedPart()) : resolve(fields)));
    // The parser would go on after a refusal.
    for (let at = 0; at < bytes.length && !isRefused; at += SLICE)
      parser.write(bytes.subarray(at, at + SLICE));
    parser.end();
  });
}

/** The refusal of a part that the parser leaves out. */
export function unnamedPart(): ServiceError {
  return new ServiceError(
    'BadRequestError',
    'A part has no Content-Disposition of form-data with a valid name',
  );
}

/** Bytes that the multipart parser gets at once. */
const SLICE = 16 * 1024;

function formBody(fields: Parameters): FormBody {
  for (const value of Object.values(fields)) {
    if (value.includes('\0')) throw new ServiceError('BadRequestError', 'Text must not contain NUL');
  }
  return new FormBody(fields);
}

function requireUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new ServiceError('BadRequestError', 'The body is not valid UTF-8');
}

function tooManyFields(): ServiceError {
  return new ServiceError('RequestTooLargeError', `A form may have at most ${LIMITS.formFields} fields`);
}

function unsupported(message: string): ServiceError {
  return new ServiceError('UnsupportedMediaTypeError', message);
}
