import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { FormBody } from './body.ts';
import { parseJsonText } from './json.ts';
import { contradictionIn, type Parameters } from './url.ts';

/** Arguments of a method call, as sent. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The query of a request; the parser is ours, so its shape is known. */
export function queryOf(request: FastifyRequest): Parameters {
  return request.query as Parameters;
}

/**
 * Refuses a query with several values of one key, wherever the query is read. A stream of events takes lists, and reads
 * them itself.
 */
export function registerOneValue(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { work = 'none' } = request.routeOptions.config;
    const isRead = work !== 'none' && work !== 'stream';
    done((isRead && contradictionIn(queryOf(request))) || undefined);
  });
}

/**
 * Arguments of a method: a JSON body alone, else the query with a form's fields over it.
 * @throws ServiceError ValidationError for a JSON body that is neither an object nor an array
 */
export function readArguments(request: FastifyRequest): Arguments {
  const { body } = request;
  if (body === undefined || body === null) return queryOf(request);
  if (body instanceof FormBody) return { ...queryOf(request), ...body.fields };
  if (Array.isArray(body)) return { data: body };
  if (isRecord(body)) return body;
  throw new ServiceError('ValidationError', 'Invalid request arguments');
}

/**
 * Fields of a document to create or change: a JSON object, `{"data": {…}}`, a form's `data=<json>`, or plain form
 * fields. `hasDataField` is asked only when a body could be read both ways.
 */
export function readFields(request: FastifyRequest, hasDataField: () => boolean): Fields {
  const { body } = request;
  if (body === undefined || body === null) return {};
  if (body instanceof FormBody) {
    const { data } = body.fields;
    return data === undefined ? body.fields : asFields(parseJsonText(data));
  }
  const fields = asFields(body);
  const { data } = fields;
  if (isRecord(data) && !hasDataField()) return data;
  if (typeof data === 'string' && Object.keys(fields).length === 1 && !hasDataField()) {
    return asFields(parseJsonText(data));
  }
  return fields;
}

function asFields(value: unknown): Fields {
  if (isRecord(value)) return value;
  throw new ServiceError('ValidationError', 'The body must be an object of fields');
}

/** A text argument. @throws ServiceError ValidationError when it is missing, empty or not text */
export function textArgument(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && value !== '') return value;
  throw new ServiceError('ValidationError', `Argument ${name} is required and must be text`);
}

/** The same, or undefined when it is absent, null or empty. */
export function optionalText(args: Arguments, name: string): string | undefined {
  const value = args[name];
  return value === undefined || value === null || value === '' ? undefined : textArgument(args, name);
}

/** An argument that may come as a value or as JSON text of one; text that is not JSON is returned as it is. */
export function looseArgument(args: Arguments, name: string): unknown {
  const value = args[name];
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
  try {
    return parseJsonText(value);
  } catch {
    return value;
  }
}

/** An object, given as such or as JSON text. @throws ServiceError ValidationError */
export function recordArgument(args: Arguments, name: string): Fields {
  const value = looseArgument(args, name);
  if (isRecord(value)) return value;
  throw new ServiceError('ValidationError', `Argument ${name} is required and must be an object`);
}

/** Names, given as such or as `{name}`, in a list or its JSON. @throws ServiceError ValidationError */
export function nameList(args: Arguments, argument: string): string[] {
  const given = looseArgument(args, argument);
  const list = typeof given === 'string' && given !== '' ? [given] : given;
  if (!Array.isArray(list)) {
    throw new ServiceError('ValidationError', `Argument ${argument} is required and must be a list`);
  }
  if (list.length > LIMITS.argumentValues) {
    throw new ServiceError(
      'ValidationError',
      `Argument ${argument} has at most ${LIMITS.argumentValues} values`,
    );
  }
  return list.map((one: unknown) => {
    const name = isRecord(one) ? one.name : one;
    if (typeof name === 'string' && name !== '') return name;
    throw new ServiceError('ValidationError', `Argument ${argument} must be a list of names`);
  });
}
