import { ServiceError } from '../../kernel/errors.ts';

/** Verbs that some path may offer. Node knows many more; the server uses none of them. */
export const VERBS_OF_HTTP: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** 405 with the `Allow` header that RFC 9110 requires. */
export function methodNotAllowed(method: string, allow: string): ServiceError {
  return new ServiceError(
    'MethodNotAllowedError',
    `Method ${method} is not allowed here; allowed: ${allow}`,
    {
      headers: { Allow: allow },
    },
  );
}
