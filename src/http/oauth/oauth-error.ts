import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/value.ts';
import { sendJson } from '../reply.ts';
import { errorBody } from '../wire/error-reply.ts';
import { FormBody } from '../wire/parse-body.ts';

/** Fields of a request that a client sends without a browser. */
export type FormFields = Readonly<Record<string, string>>;

/** An error of RFC 6749. */
export class OAuthError extends Error {
  readonly code:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'invalid_scope'
    | 'unsupported_grant_type';
  constructor(code: OAuthError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The fields of a form or JSON body, without the query: secrets do not belong in a URL. */
export function formFields(request: FastifyRequest): FormFields {
  const { body } = request;
  const all = body instanceof FormBody ? body.fields : isRecord(body) ? body : {};
  const texts = Object.entries(all).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/**
 * Runs the handler of a client's request, and reports refusals both as RFC 6749 and as our envelope require.
 */
export async function answerClient(
  reply: FastifyReply,
  answer: () => Promise<object>,
): Promise<FastifyReply> {
  try {
    return sendJson(reply, JSON.stringify(await answer()));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const isClient = error.code === 'invalid_client';
    const known = new ServiceError(isClient ? 'AuthenticationError' : 'BadRequestError', error.message);
    if (isClient) reply.header('www-authenticate', 'Basic realm="OAuth clients"');
    const words = { error: error.code, error_description: error.message };
    return sendJson(reply.code(known.status), JSON.stringify({ ...words, ...JSON.parse(errorBody(known)) }));
  }
}
