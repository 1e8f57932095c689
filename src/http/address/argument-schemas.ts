import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import type { DescribedArguments } from '../../operation/arguments.ts';
import { jsonBody } from './operation.ts';

/** The arguments of a call: described ones, or any. */
type Described = DescribedArguments | 'any';

/** Arguments as parameters of a query. */
export function queryParameters(args: Described): readonly JsonSchema[] {
  if (args === 'any') {
    const any = { name: 'arguments', in: 'query', style: 'form', explode: true };
    return [{ ...any, schema: { type: 'object', additionalProperties: { type: 'string' } } }];
  }
  return Object.entries(args).map(([name, { schema, required, description }]) => ({
    name,
    in: 'query',
    ...(description && { description }),
    required,
    ...(isText(schema) ? { schema } : { content: { 'application/json': { schema } } }),
  }));
}

// A list, an object or an untyped value is sent as JSON text.
function isText({ type, ...rest }: JsonSchema): boolean {
  const types = [type].flat();
  return type === undefined
    ? Object.keys(rest).length > 0
    : !types.includes('array') && !types.includes('object');
}

/** How a verb sends arguments. `ignoresOthers`: undeclared arguments are ignored. */
export function sentArguments(verb: string, args: Described, ignoresOthers: boolean): JsonSchema {
  if (verb === 'GET' || verb === 'DELETE') return { parameters: queryParameters(args) };
  const requestBody = argumentsBody(args, ignoresOthers);
  return requestBody ? { requestBody } : {};
}

function argumentsBody(args: Described, ignoresOthers: boolean): JsonSchema | undefined {
  if (args === 'any') return jsonBody({ type: 'object' }, false);
  const entries = Object.entries(args);
  if (entries.length === 0) return undefined;
  const required = entries.filter(([, argument]) => argument.required).map(([name]) => name);
  const properties = Object.fromEntries(
    entries.map(([name, { schema, description }]) => [
      name,
      { ...schema, ...(description && { description }) },
    ]),
  );
  const closed = ignoresOthers ? {} : { additionalProperties: false };
  return jsonBody({ type: 'object', properties, required, ...closed }, required.length > 0);
}
