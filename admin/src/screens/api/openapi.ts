import { queryOptions } from '@tanstack/react-query';
import { send } from '../../data/wire.ts';

/** The path of the document that describes the API for its caller. */
export const OPENAPI = '/api/openapi.json';

/** A JSON schema as far as the reference displays it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly readOnly?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly 'x-doctype'?: string;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface Described {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/** The OpenAPI document of the server, for this user. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described | readonly Parameter[]>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** The description of one doctype, or of everything. */
export function openApiQuery(doctype?: string) {
  return queryOptions({
    queryKey: ['openapi', doctype ?? ''],
    queryFn: async ({ signal }) => {
      const query = doctype === undefined ? {} : { doctype };
      const { body } = await send('GET', OPENAPI, { query, signal });
      return body as OpenApi;
    },
    staleTime: 60_000,
  });
}

/** Follows a reference within the document. */
export function resolved(doc: OpenApi, schema: Schema): Schema {
  let found = schema;
  for (let depth = 0; found.$ref !== undefined && depth < 8; depth += 1) {
    const { $ref, ...own } = found;
    found = { ...doc.components.schemas[$ref.split('/').at(-1) ?? ''], ...own };
  }
  return found;
}
