import { type OpenApi, type Parameter, resolved, type Schema } from './openapi.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A call that the reference shows: an operation of the OpenAPI document, or a common use of one. */
export interface ApiOperation {
  readonly summary: string;
  readonly description: string;
  readonly verb: Verb;
  /** With `{name}` for path parameters. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the JSON body; null for none. */
  readonly body: Schema | null;
  /** A body to start with, in place of one made from the schema. */
  readonly example?: Readonly<Record<string, unknown>>;
}

const VERBS: readonly Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Every operation of these paths, with resolved parameters. */
export function operationsAt(doc: OpenApi, paths: readonly string[]): readonly ApiOperation[] {
  return paths.flatMap((path) => {
    const item = doc.paths[path] ?? {};
    const shared = item['parameters'];
    return VERBS.flatMap((verb) => {
      const found = item[verb.toLowerCase()];
      if (!found || isList(found)) return [];
      const parameters = [...(isList(shared) ? shared : []), ...(found.parameters ?? [])];
      return [
        {
          summary: found.summary ?? '',
          description: found.description ?? '',
          verb,
          path,
          parameters: parameters.map((one) => parameterOf(doc, one)),
          body: found.requestBody?.content['application/json']?.schema ?? null,
        },
      ];
    });
  });
}

function isList(value: unknown): value is readonly Parameter[] {
  return Array.isArray(value);
}

function parameterOf(doc: OpenApi, parameter: Parameter): Parameter {
  const name = parameter.$ref?.split('/').at(-1);
  return name === undefined ? parameter : (doc.components.parameters?.[name] ?? parameter);
}

/** The operations on documents of one doctype. */
export function operationsOf(doc: OpenApi, doctype: string): readonly ApiOperation[] {
  const base = `/api/resource/${encodeURIComponent(doctype)}`;
  return operationsAt(doc, [base, `${base}/{name}`]);
}

/** The schema of a parameter, also of one with JSON content. */
export function schemaOf({ schema, content }: Parameter): Schema {
  return schema ?? content?.['application/json']?.schema ?? {};
}

/** True for a parameter whose value is JSON text. */
export function isJson({ content }: Parameter): boolean {
  return content?.['application/json'] !== undefined;
}

/** An example body: what is required, or else the first fields that may be written. */
export function exampleOf(doc: OpenApi, schema: Schema | null): unknown {
  return schema === null ? undefined : exampleValue(doc, schema, 0);
}

const MOST_FIELDS = 4;
const DEEPEST = 2;

function exampleValue(doc: OpenApi, given: Schema, depth: number): unknown {
  const schema = resolved(doc, given);
  if (schema.const !== undefined) return schema.const;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  const first = schema.enum?.find((one) => one !== null && one !== '');
  if (first !== undefined) return first;
  const type = [schema.type ?? 'string'].flat().find((one) => one !== 'null');
  if (schema.properties !== undefined) return objectOf(doc, schema, depth);
  if (type === 'array')
    return schema.items && depth < DEEPEST ? [exampleValue(doc, schema.items, depth + 1)] : [];
  if (type === 'object') return {};
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  const target = schema['x-doctype'];
  return target === undefined ? 'text' : `<name of a ${target}>`;
}

function objectOf(doc: OpenApi, { properties = {}, required = [] }: Schema, depth: number): unknown {
  const writable = Object.entries(properties).filter(
    ([name, one]) => !resolved(doc, one).readOnly && name !== 'name' && name !== 'doctype',
  );
  const needed = writable.filter(([name]) => required.includes(name));
  const shown = needed.length > 0 ? needed : writable.slice(0, MOST_FIELDS);
  return Object.fromEntries(shown.map(([name, one]) => [name, exampleValue(doc, one, depth + 1)]));
}

/** The name of a field, with its type and limits. */
export interface FieldRow {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
}

/** The fields of a doctype: those that a reply has, with the limits of those that a request may set. */
export function fieldsOf(doc: OpenApi, doctype: string, create: Schema | null): readonly FieldRow[] {
  const key = Object.keys(doc.components.schemas).find(
    (one) => doc.components.schemas[one]?.title === `Fields of ${doctype}`,
  );
  const shown = key === undefined ? {} : (doc.components.schemas[key]?.properties ?? {});
  const written = create ? resolved(doc, create) : {};
  return Object.entries(shown).map(([name, schema]) => ({
    name,
    schema: { ...schema, ...written.properties?.[name] },
    isRequired: written.required?.includes(name) ?? false,
    isReadOnly: written.properties?.[name] === undefined,
  }));
}
