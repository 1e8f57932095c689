import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../kernel/errors.ts';
import { parseJsonText } from '../kernel/parse-json.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { FormBody } from './wire/parse-body.ts';
import { contradictionIn, type Parameters } from './wire/url.ts';

/** The query of a request. Our own parser made it, so its shape is known. */
export function queryOf(request: FastifyRequest): Parameters {
  return request.query as Parameters;
}

/**
 * Refuses a query with several values of one key on every route that reads its query. The stream of events
 * accepts lists, and parses its query itself.
 */
export function registerOneValue(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const work = request.declared?.work ?? 'none';
    const isRead = work !== 'none' && work !== 'stream';
    done((isRead && contradictionIn(queryOf(request))) || undefined);
  });
}

/**
 * The parameters of a request: a JSON body alone, else the query with a form's fields over it. For a request
 * that reads, the query over its body.
 * @throws ServiceError ValidationError for a JSON body that is neither an object nor an array
 */
export function parseRequestArguments(request: FastifyRequest): Fields {
  const { body } = request;
  const query = queryOf(request);
  if (body === undefined || body === null) return query;
  const sent = fieldsIn(body);
  if (isReading(request)) return { ...sent, ...query };
  return body instanceof FormBody ? { ...query, ...sent } : sent;
}

function fieldsIn(body: unknown): Fields {
  if (body instanceof FormBody) return body.fields;
  if (Array.isArray(body)) return { data: body };
  if (isRecord(body)) return body;
  throw new ServiceError('ValidationError', 'Invalid request arguments');
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Fields of a document to create or change: the parameters, or the object in `data`, which a form and a query
 * hold as JSON. `hasDataField` is called only when a JSON body is ambiguous.
 */
export function parseRequestFields(request: FastifyRequest, hasDataField: () => boolean): Fields {
  const { body } = request;
  if (body !== undefined && body !== null) asFields(body);
  const fields = parseRequestArguments(request);
  const { data } = fields;
  if (takesQuery(request)) return data === undefined ? fields : asFields(parseJsonText(String(data)));
  if (isRecord(data) && !hasDataField()) return data;
  if (typeof data === 'string' && Object.keys(fields).length === 1 && !hasDataField()) {
    return asFields(parseJsonText(data));
  }
  return fields;
}

/**
 * The parameters that an address knows by name. Fields of a document are not among them: where the query
 * holds the fields, a change has no parameters.
 */
export function parametersByName(request: FastifyRequest): Fields {
  if (isReading(request)) return parseRequestArguments(request);
  return request.method !== 'DELETE' && takesQuery(request) ? {} : queryOf(request);
}

/** True when the query of a change counts: beside a form, and without a body. */
function takesQuery({ body }: FastifyRequest): boolean {
  return body === undefined || body === null || body instanceof FormBody;
}

function asFields(value: unknown): Fields {
  if (isRecord(value)) return value;
  throw new ServiceError('ValidationError', 'The body must be an object of fields');
}
