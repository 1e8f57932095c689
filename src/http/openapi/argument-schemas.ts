import type { KnownArgument, KnownArguments } from '../../doctype/arguments.ts';
import { type JsonSchema, writtenValueSchema } from '../../doctype/json-schema-value.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { jsonBody } from './operation.ts';

/** Declared arguments as parameters of a query. */
export function queryParameters(args: KnownArguments): readonly JsonSchema[] {
  return [...args].map(([name, known]) => {
    const { argument } = known;
    const schema = argumentSchema(known);
    const asJson = argument.list || argument.type === 'JSON';
    return {
      name,
      in: 'query',
      ...(argument.description && { description: argument.description }),
      required: argument.required === true,
      ...(asJson ? { content: { 'application/json': { schema } } } : { schema }),
    };
  });
}

/** Declared arguments as a body; undefined without any. */
export function argumentsBody(args: KnownArguments): JsonSchema | undefined {
  if (args.size === 0) return undefined;
  const required = [...args].filter(([, { argument }]) => argument.required).map(([name]) => name);
  const properties = Object.fromEntries([...args].map(([name, known]) => [name, described(known)]));
  return jsonBody({ type: 'object', properties, required, additionalProperties: false }, required.length > 0);
}

function described(known: KnownArgument): JsonSchema {
  const { description } = known.argument;
  return description ? { ...argumentSchema(known), description } : argumentSchema(known);
}

function argumentSchema(known: KnownArgument): JsonSchema {
  const { argument } = known;
  const schema = valueSchema(known);
  if (argument.list) {
    return {
      type: 'array',
      items: schema,
      ...(argument.required ? { minItems: 1 } : {}),
      maxItems: LIMITS.argumentValues,
    };
  }
  const preset = 'default' in argument && argument.default !== undefined ? { default: argument.default } : {};
  return { ...schema, ...preset };
}

function valueSchema({ argument, field }: KnownArgument): JsonSchema {
  if (argument.type === 'JSON') return {};
  const schema = writtenValueSchema(field);
  if (argument.type !== 'Int' && argument.type !== 'Float') return schema;
  return {
    ...schema,
    ...(argument.min === undefined ? {} : { minimum: argument.min }),
    ...(argument.max === undefined ? {} : { maximum: argument.max }),
  };
}
