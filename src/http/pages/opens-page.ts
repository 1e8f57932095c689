import type { FastifyRequest } from 'fastify';

/** True for a browser that opens an address, false for a program that requests data. */
export function opensPage({ headers, method }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers.authorization === undefined &&
    /\btext\/html\b/.test(headers.accept ?? '')
  );
}
