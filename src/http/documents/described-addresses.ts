import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { object } from '../../operation/result.ts';
import { type Address, addressDescribedBy } from '../address/address.ts';
import { documentMethodPaths } from '../address/document-method-paths.ts';
import {
  type DescribeAddress,
  FAILURE_V2,
  jsonReply,
  type PathItem,
  pathParameter,
  queryParameter,
} from '../address/operation.ts';
import type { UsableDoctype } from '../address/scope.ts';
import type { DocumentAddress, RestVerb } from './address-row.ts';
import { DOCUMENT_ADDRESSES } from './addresses.ts';
import { DOCUMENT_ROUTES, type DocumentRoute, PATHS, type Part } from './document-routes.ts';

/** The routes of documents; the table of operations gives their verbs and their OpenAPI description. */
export const DESCRIBED_DOCUMENT_ROUTES: readonly (DocumentRoute & Address)[] = DOCUMENT_ROUTES.map(
  (route) => {
    const addresses = DOCUMENT_ADDRESSES.flatMap(({ v1, v2 }) => [...v1, ...v2]).filter(
      ({ version, part }) => version === route.version && route.parts.includes(part),
    );
    const verbs = addresses.flatMap((one) => one.verbs.map((verb) => [verb, one.operation] as const));
    const describe = route.version === 'v1' ? ofEachDoctype(route) : ofAny(route);
    const offer = { verbs: Object.fromEntries(verbs) };
    return { ...addressDescribedBy<never>(describe, route.path, 'permission', route.work, offer), ...route };
  },
);

/** One path per doctype. A method is named in the query there, so it shares the path of the document. */
function ofEachDoctype({ version, parts }: DocumentRoute): DescribeAddress {
  const [first = 'document'] = parts;
  const isOne = first === 'document';
  const path = PATHS[version][first] ?? '';
  return ({ doctypes }) =>
    doctypes.values().map((usable) => [
      // Braces would begin a parameter.
      path.replace('{doctype}', encodeURIComponent(usable.doctype.name)),
      {
        ...(isOne && { parameters: [pathParameter('name', `Name of the ${usable.doctype.name}`)] }),
        ...Object.assign({}, ...parts.toReversed().map((part) => typedItem(part, usable))),
      },
    ]);
}

function typedItem(part: Part, { doctype, typeName, verbs: rights }: UsableDoctype): PathItem {
  const addresses = DOCUMENT_ADDRESSES.flatMap(({ v1 }) => v1);
  const shown = addresses.filter((one) => one.part === part && rights.has(one.openapi.right));
  const items = shown.flatMap(({ verbs, operation, openapi }) => {
    const { id, parameters, body, replies } = openapi;
    const item = {
      operationId: id?.(typeName) ?? `${operation.name}${typeName}`,
      summary: operation.summary
        .replace('a document', `a ${doctype.name}`)
        .replace('documents', doctype.name),
      tags: [doctype.name],
      parameters,
      ...(body && { requestBody: body(typeName) }),
      responses: replies(typeName),
    };
    return verbs.map((verb) => [verb.toLowerCase(), item]);
  });
  return Object.fromEntries(items);
}

function ofAny({ parts }: DocumentRoute): DescribeAddress {
  return (scope) =>
    scope.user.isGuest
      ? []
      : [
          ...parts.map((part) => [PATHS.v2[part] ?? '', anyItem(part)] as const),
          ...(parts.includes('method') ? documentMethodPaths(scope) : []),
        ];
}

const NAMED: Readonly<Record<string, string>> = {
  doctype: 'A doctype',
  name: 'Name of the document',
  method: 'Name of the method',
};

function anyItem(part: Part): PathItem {
  const names = [...(PATHS.v2[part] ?? '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const addresses = DOCUMENT_ADDRESSES.flatMap(({ v2 }) => v2).filter((one) => one.part === part);
  return {
    parameters: names.map((name) => pathParameter(name, NAMED[name] ?? '')),
    ...Object.fromEntries(
      addresses.flatMap((one) => one.verbs.map((verb) => [verb.toLowerCase(), anyOperation(one, verb)])),
    ),
  };
}

function anyOperation({ part, operation, openapi }: DocumentAddress<'v2'>, verb: RestVerb): JsonSchema {
  const { id = `${operation.name}V2`, query, body, reply } = openapi;
  const [description, data, status = '200'] = reply;
  const isOnlyRead = verb === 'GET' && operation.effect === 'write';
  // A result that may be null leaves `data` out.
  const schema = part === 'method' ? { type: 'object', properties: { data } } : object({ data });
  return {
    operationId: isOnlyRead ? 'askDocumentV2' : verb === 'PATCH' ? 'patchV2' : id,
    summary: isOnlyRead ? `${operation.summary} that only reads` : operation.summary,
    tags: ['Second version'],
    ...(query && { parameters: query.map((name) => queryParameter(name)) }),
    ...(body && !isOnlyRead && { requestBody: body }),
    responses: { [status]: jsonReply(description, schema), default: FAILURE_V2 },
  };
}
