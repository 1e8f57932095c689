import { refusal } from '../../access/permission.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { takeTurns } from '../../kernel/turns.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { Address } from '../address/address.ts';
import { doctypeSchemas } from '../address/doctype-schemas.ts';
import { LIST_PARAMETER_COMPONENTS } from '../address/list-parameters.ts';
import { type ApiScope, type UsableDoctype, usableDoctypes } from '../address/scope.ts';
import { ADDRESSES } from '../addresses.ts';
import type { MethodTable } from '../ask-method.ts';
import { DESCRIBED_DOCUMENT_ROUTES } from '../documents/described-addresses.ts';
import { HEADERS, RESPONSES, SECURITY_SCHEMES, STANDARD_SCHEMAS } from './components.ts';
import { webhookItems } from './webhooks.ts';

const INTRODUCTION = `Every record type of this site is a REST resource. This document describes everything that the caller may
use; a request with another key gets another part. Send \`Authorization: token <api_key>:<api_secret>\`. Each JSON body
may also come as a form: \`application/x-www-form-urlencoded\`, or \`multipart/form-data\` without files.`;

type Member = readonly [name: string, value: unknown];

/**
 * The OpenAPI 3.1 document of everything that `user` may use now: doctypes by permission, methods, and the
 * other routes; or only of the doctype `only` with its child tables. As pieces of JSON text, with turns for
 * other work in between: a site may have hundreds of doctypes.
 * @throws ServiceError DoesNotExistError, PermissionError
 */
export async function* openApiDocument(
  site: OpenSite,
  methods: MethodTable,
  user: CurrentUser,
  only?: string,
): AsyncGenerator<string> {
  const registry = site.doctypes;
  const { controllers } = site;
  const usable = usableDoctypes(site, user, registry);
  const doctypes = only === undefined ? usable : withChildTables(usable, registry.get(only));
  const scope: ApiScope = { user, registry, methods, controllers, doctypes };
  const head = {
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
  };
  const components = {
    responses: RESPONSES,
    parameters: LIST_PARAMETER_COMPONENTS,
    headers: HEADERS,
    securitySchemes: SECURITY_SCHEMES,
  };
  yield `${openEnded(head)},"paths":{`;
  yield* textOf(paths(scope, only === undefined ? ADDRESSES : DESCRIBED_DOCUMENT_ROUTES));
  yield '},"webhooks":{';
  yield* textOf(webhookItems(scope));
  yield `},"components":${openEnded(components)},"schemas":{`;
  yield* textOf(schemas(scope));
  yield '}}}';
}

/** A JSON object without its last brace. */
function openEnded(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

async function* textOf(members: Iterable<Member>): AsyncGenerator<string> {
  const turn = takeTurns();
  let before = '';
  for (const [name, value] of members) {
    yield `${before}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    before = ',';
    await turn();
  }
}

function* paths(scope: ApiScope, addresses: readonly Address[]): Generator<Member> {
  for (const { describe } of addresses) {
    for (const [path, item] of describe(scope)) {
      // A path without operations is left out.
      if (Object.keys(item).some((key) => key !== 'parameters')) yield [path, item];
    }
  }
}

function* schemas(scope: ApiScope): Generator<Member> {
  yield* Object.entries(STANDARD_SCHEMAS);
  for (const usable of scope.doctypes) yield* Object.entries(doctypeSchemas(scope, usable));
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
