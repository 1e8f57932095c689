import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import type { WorkKind } from '../address/address.ts';
import { parseRequestArguments, queryOf } from '../arguments.ts';

/** A version of the addresses of documents. */
export type Version = 'v1' | 'v2';

/** The part of a doctype or document that an address names. */
export type Part =
  | 'collection'
  | 'document'
  | 'method'
  | 'copy'
  | 'bulk_update'
  | 'bulk_delete'
  | 'meta'
  | 'count';

/** The parsed address of a request. */
export interface ParsedAddress {
  readonly part: Part;
  readonly doctypeName: string;
  /** Empty when the address names no document. */
  readonly name: string;
  /** Empty when the address names no method. */
  readonly method: string;
}

/** A Fastify route, which may serve several parts. */
export interface DocumentRoute {
  readonly version: Version;
  readonly path: string;
  /** The kind of work of GET; the other verbs write. */
  readonly work: WorkKind;
  readonly parts: readonly Part[];
  parse(request: FastifyRequest): ParsedAddress;
}

/** The routes of documents. Everything after the doctype is the name, slashes included. */
export const DOCUMENT_ROUTES: readonly DocumentRoute[] = [
  route('v1', '/api/resource/:doctype', 'list', ['collection'], parseDoctype('collection')),
  route('v1', '/api/resource/:doctype/*', 'read', ['document', 'method'], parseV1),
  route('v2', '/api/v2/document/:doctype', 'list', ['collection'], parseDoctype('collection')),
  route(
    'v2',
    '/api/v2/document/:doctype/*',
    'read',
    ['document', 'method', 'copy', 'bulk_update', 'bulk_delete'],
    parseV2,
  ),
  route('v2', '/api/v2/doctype/:doctype/meta', 'read', ['meta'], parseDoctype('meta')),
  route('v2', '/api/v2/doctype/:doctype/count', 'list', ['count'], parseDoctype('count')),
];

function route(
  version: Version,
  path: string,
  work: WorkKind,
  parts: readonly Part[],
  parse: DocumentRoute['parse'],
): DocumentRoute {
  return { version, path, work, parts, parse };
}

/** The address of each part as documentation shows it, with variables in braces. */
export const PATHS: Readonly<Record<Version, Readonly<Partial<Record<Part, string>>>>> = {
  v1: {
    collection: '/api/resource/{doctype}',
    document: '/api/resource/{doctype}/{name}',
    method: '/api/resource/{doctype}/{name}?run_method={method}',
  },
  v2: {
    collection: '/api/v2/document/{doctype}',
    document: '/api/v2/document/{doctype}/{name}',
    method: '/api/v2/document/{doctype}/{name}/method/{method}',
    copy: '/api/v2/document/{doctype}/{name}/copy',
    bulk_update: '/api/v2/document/{doctype}/bulk_update',
    bulk_delete: '/api/v2/document/{doctype}/bulk_delete',
    meta: '/api/v2/doctype/{doctype}/meta',
    count: '/api/v2/doctype/{doctype}/count',
  },
};

function parseDoctype(part: Part): (request: FastifyRequest) => ParsedAddress {
  return (request) => {
    const { doctype: doctypeName } = request.params as { doctype: string };
    return { part, doctypeName, name: '', method: '' };
  };
}

// `run_method` names a method in the query or in the body.
function parseV1(request: FastifyRequest): ParsedAddress {
  const { doctype: doctypeName, '*': name } = request.params as { doctype: string; '*': string };
  const method = namedMethod(request);
  return { part: method === '' ? 'document' : 'method', doctypeName, name, method };
}

function namedMethod(request: FastifyRequest): string {
  if (request.method === 'PUT' || request.method === 'DELETE') return '';
  const given = parseRequestArguments(request)['run_method'] ?? queryOf(request)['run_method'];
  return typeof given === 'string' ? given : '';
}

/**
 * Names may hold slashes, so `/copy` and `/method/<method>` count only at the end and unescaped: the address
 * of the document `a/copy` is `a%2Fcopy`.
 */
function parseV2(request: FastifyRequest): ParsedAddress {
  const path = (request.url.split('?', 1)[0] ?? '').slice('/api/v2/document/'.length);
  const [doctype = '', ...rest] = path.split('/');
  const doctypeName = decoded(doctype);
  if (rest.length > 1 && rest.at(-1) === 'copy') {
    return { part: 'copy', doctypeName, name: decoded(rest.slice(0, -1).join('/')), method: '' };
  }
  if (rest.length > 2 && rest.at(-2) === 'method') {
    const name = decoded(rest.slice(0, -2).join('/'));
    return { part: 'method', doctypeName, name, method: decoded(rest.at(-1) ?? '') };
  }
  const name = decoded(rest.join('/'));
  const isBulk = request.method === 'POST' && (name === 'bulk_update' || name === 'bulk_delete');
  return { part: isBulk ? name : 'document', doctypeName, name, method: '' };
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new ServiceError('BadRequestError', 'The address is not valid');
  }
}
