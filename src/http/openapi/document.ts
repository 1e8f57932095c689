import { refusal } from '../../access/permission.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { takeTurns } from '../../kernel/turns.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { doctypeSchemas } from '../address/doctype-schemas.ts';
import { LIST_PARAMETER_COMPONENTS } from '../address/list-parameters.ts';
import type { PathItem } from '../address/operation.ts';
import { type ApiScope, type UsableDoctype, usableDoctypes } from '../address/scope.ts';
import { ADDRESSES } from '../addresses.ts';
import type { MethodTable } from '../ask-method.ts';
import { DESCRIBED_DOCUMENT_ROUTES } from '../documents/described-addresses.ts';
import { HEADERS, RESPONSES, SECURITY_SCHEMES, STANDARD_SCHEMAS } from './components.ts';
import { webhookItems } from './webhooks.ts';

const INTRODUCTION = `Every record type of this site is a REST resource. This document describes everything that the caller may
use; a request with another key gets another part. Send \`Authorization: token <api_key>:<api_secret>\`. Each JSON body
may also come as a form: \`application/x-www-form-urlencoded\`, or \`multipart/form-data\` without files.`;

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly [part: string]: unknown;
}

/**
 * The OpenAPI 3.1 document of everything that `user` may use now: doctypes by permission, methods, and the
 * other routes; or only of the doctype `only` with its child tables. Yields to other work in between: a site
 * may have hundreds of doctypes.
 * @throws ServiceError DoesNotExistError, PermissionError
 */
export async function openApiDocument(
  site: OpenSite,
  methods: MethodTable,
  user: CurrentUser,
  only?: string,
): Promise<OpenApiDocument> {
  const registry = site.doctypes;
  const { controllers } = site;
  const usable = usableDoctypes(site, user, registry);
  const doctypes = only === undefined ? usable : withChildTables(usable, registry.get(only));
  const scope: ApiScope = { user, registry, methods, controllers, doctypes };
  const turn = takeTurns();
  const schemas: Record<string, unknown> = { ...STANDARD_SCHEMAS };
  for (const doctype of doctypes) {
    Object.assign(schemas, doctypeSchemas(scope, doctype));
    await turn();
  }
  const paths: Record<string, PathItem> = {};
  for (const { describe } of only === undefined ? ADDRESSES : DESCRIBED_DOCUMENT_ROUTES) {
    for (const [path, item] of describe(scope)) {
      // A path without operations is left out.
      if (Object.keys(item).some((key) => key !== 'parameters')) paths[path] = item;
      await turn();
    }
  }
  const webhooks: Record<string, PathItem> = {};
  for (const [name, item] of webhookItems(scope)) {
    webhooks[name] = item;
    await turn();
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: {
      title: 'Chancery',
      version: '1.0',
      summary: 'Documents, files and methods',
      description: INTRODUCTION,
    },
    servers: [{ url: '/' }],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    tags: tagsOf(scope),
    paths,
    webhooks,
    components: {
      schemas,
      responses: RESPONSES,
      parameters: LIST_PARAMETER_COMPONENTS,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function withChildTables(usable: readonly UsableDoctype[], only: DocType): readonly UsableDoctype[] {
  if (!usable.some(({ doctype }) => doctype === only)) throw refusal(only, 'read');
  const children = new Set(only.tables.map((table) => table.options));
  return usable.filter(({ doctype }) => doctype === only || children.has(doctype.name));
}

function tagsOf(scope: ApiScope): readonly { readonly name: string }[] {
  const doctypes = scope.doctypes.filter(({ verbs }) => verbs.size > 0).map(({ doctype }) => doctype.name);
  return [...doctypes, ...['Methods', 'Files', 'Service'].filter((name) => !doctypes.includes(name))].map(
    (name) => ({
      name,
    }),
  );
}
