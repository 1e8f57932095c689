import fc from 'fast-check';
import type { JsonSchema } from '../../src/doctype/json-schema-value.ts';
import type { Address } from '../../src/http/address/address.ts';
import { isRecord } from '../../src/kernel/value.ts';
import { fileNames, inputOf } from './methods.ts';
import { escaping, type Plan } from './requests.ts';
import { hostileText, mostly, type Value } from './values.ts';
import type { World } from './world.ts';

/** Values that requests need to get anywhere; others follow from the schema in OpenAPI. */
const SAMPLES: Readonly<Record<string, (world: World) => Value>> = {
  client_id: (world) => fc.nat().map((pick) => world.nameOf('OAuth Client', pick)),
  client_secret: () => fc.constant('secret'),
  redirect_uri: () => fc.constant('https://client.example/cb'),
  'redirect-to': () => fc.constant('//x'),
  scope: () => fc.constant('all'),
  code: () => fc.constant('x'.repeat(43)),
  code_challenge: () => fc.constant('x'.repeat(43)),
  code_verifier: () => fc.constant('x'.repeat(43)),
  token: () => fc.constant('x'.repeat(43)),
  refresh_token: () => fc.constant('a.b'),
  usr: () => fc.constant('staff@example.com'),
  pwd: () => fc.constant('x'),
  key: () => fc.constant('0'),
  new_password: () => fc.constant('a lagoon of trombones'),
  files: fileNames,
  file_url: (world) => fc.nat().map((pick) => world.oneOf(world.files, pick)),
  doctype: (world) => fc.nat().map((pick) => world.nameOf('DocType', pick)),
  name: (world) => fc.nat().map((pick) => world.nameOf('Leaf', pick)),
};

/** Requests with the parameters that OpenAPI describes, some of them junk, in the query or the body. */
export function described(world: World, path: string, { describe, verbs }: Address): fc.Arbitrary<Plan> {
  const [item = {}] = Object.values(describe(world.scope()));
  const inputs = Object.values(item)
    .filter(isRecord)
    .flatMap((operation) => [...inQuery(operation), ...inForm(operation)]);
  const values = Object.fromEntries(
    inputs.map(([name, schema]) => [name, mostly(SAMPLES[name]?.(world) ?? inputOf(world, name, schema))]),
  );
  const variables = path.match(/:\w+|\*/g) ?? [];
  return fc
    .tuple(
      fc.record(values, { requiredKeys: [] }),
      fc.boolean(),
      escaping,
      fc.tuple(...variables.map(() => hostileText)),
    )
    .map(([args, isQuery, encode, texts]): Plan => {
      const address = variables.reduce(
        (at, name, index) => at.replace(name, () => encode(texts[index] ?? '')),
        path,
      );
      return isQuery || !verbs.POST
        ? { path: address, query: args }
        : { path: address, method: 'POST', payload: args };
    });
}

type Input = readonly [name: string, schema: JsonSchema];

function inQuery({ parameters }: JsonSchema): readonly Input[] {
  const list = Array.isArray(parameters) ? parameters.filter(isRecord) : [];
  return list
    .filter((parameter) => parameter['in'] === 'query')
    .map(({ name, schema }) => [String(name), isRecord(schema) ? schema : {}]);
}

function inForm({ requestBody }: JsonSchema): readonly Input[] {
  const content = isRecord(requestBody) && isRecord(requestBody['content']) ? requestBody['content'] : {};
  return Object.values(content)
    .filter(isRecord)
    .map(({ schema }) => (isRecord(schema) ? schema['properties'] : {}))
    .filter(isRecord)
    .flatMap((properties) => Object.entries(properties))
    .map(([name, schema]) => [name, isRecord(schema) ? schema : {}]);
}
