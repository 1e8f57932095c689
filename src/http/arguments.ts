import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../kernel/errors.ts';
import { parseJsonText } from '../kernel/parse-json.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { FormBody } from './wire/body.ts';
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
    const { work = 'none' } = request.routeOptions.config;
    const isRead = work !== 'none' && work !== 'stream';
    done((isRead && contradictionIn(queryOf(request))) || undefined);
  });
}

/**
 * Arguments of a method: a JSON body alone, else the query with a form's fields over it.
 * @throws ServiceError ValidationError for a JSON body that is neither an object nor an array
 */
export function parseRequestArguments(request: FastifyRequest): Fields {
  const { body } = request;
  if (body === undefined || body === null) return queryOf(request);
  if (body instanceof FormBody) return { ...queryOf(request), ...body.fields };
  if (Array.isArray(body)) return { data: body };
  if (isRecord(body)) return body;
  throw new ServiceError('ValidationError', 'Invalid request arguments');
}

/**
 * Fields of a document to create or change: a JSON object, `{"data": {…}}`, a form's `data=<json>`, or plain
 * form fields. `hasDataField` is called only when a body is ambiguous.
 */
export function parseRequestFields(request: FastifyRequest, hasDataField: () => boolean): Fields {
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
