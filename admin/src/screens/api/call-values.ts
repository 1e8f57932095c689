import type { ApiCall } from '../../base/api-call.ts';
import type { ApiOperation } from './operations.ts';

/** The values of a form for an operation. */
export interface CallValues {
  /** Path and query parameters by name; '' for none. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request of an operation with these values. */
export function callOf(operation: ApiOperation, { parameters, body }: CallValues): ApiCall {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = parameters[name] ?? '';
    return value === '' ? place : encodeURIComponent(value);
  });
  const query = operation.parameters.flatMap(({ name, in: where }) => {
    const value = parameters[name] ?? '';
    return where === 'query' && value !== '' ? [[name, value] as const] : [];
  });
  return {
    verb: operation.verb,
    path,
    query: Object.fromEntries(query),
    body: operation.body === null ? '' : body.trim(),
  };
}

/** The required parameters without a value. */
export function missingIn(operation: ApiOperation, { parameters }: CallValues): readonly string[] {
  return operation.parameters
    .filter(({ name, in: where, required }) => required && where !== 'header' && !parameters[name])
    .map(({ name }) => name);
}
