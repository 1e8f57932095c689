import type { KnownArgument, KnownArguments } from '../doctype/arguments.ts';
import { type JsonSchema, writtenValueSchema } from '../doctype/json-schema-value.ts';
import { NAME_SCHEMA } from '../doctype/numbered.ts';
import { isTrue } from '../document/verbs/document-method.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { parseJsonText } from '../kernel/parse-json.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { LIST_PARAMETERS } from '../query/list-query.ts';

/** An argument's description, without its value. */
export interface DescribedArgument {
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string;
}

/** Arguments by name, in the order of their declaration. */
export type DescribedArguments = Readonly<Record<string, DescribedArgument>>;

/**
 * An argument of a built-in operation. Frappe's clients send numbers as text, objects as JSON text, and
 * undeclared arguments. So each kind converts values leniently, while an app's method follows the strict
 * rules of the fieldtypes.
 */
export interface DeclaredArgument<T = unknown> extends DescribedArgument {
  /** The value in the request; undefined leaves it out. @throws ServiceError ValidationError */
  parse(given: Fields, name: string): T;
}

/** Declared arguments by name. */
export type DeclaredArguments = Readonly<Record<string, DeclaredArgument>>;

/** The values that a handler receives for these arguments. */
export type ArgumentValues<A extends DeclaredArguments> = {
  readonly [K in keyof A]: A[K] extends DeclaredArgument<infer T> ? T : never;
};

/** The arguments of a call. @throws ServiceError ValidationError for the first missing or invalid argument */
export function parseArguments<A extends DeclaredArguments>(declared: A, given: Fields): ArgumentValues<A> {
  const values: Record<string, unknown> = {};
  for (const name in declared) {
    const value = declared[name]?.parse(given, name);
    if (value !== undefined) values[name] = value;
  }
  // Each `parse` makes its part of the type true.
  return values as ArgumentValues<A>;
}

/** Text. Numbers become text. */
export const TEXT: DeclaredArgument<string> = {
  schema: { type: 'string' },
  required: true,
  parse: textArgument,
};

export const OPTIONAL_TEXT: DeclaredArgument<string | undefined> = {
  schema: { type: 'string' },
  required: false,
  parse: optionalText,
};

/** An object, or its JSON text. */
export const RECORD: DeclaredArgument<Fields> = {
  schema: { type: 'object' },
  required: true,
  parse: recordArgument,
};

/** True for true, 1, and their texts; false for everything else. */
export const FLAG: DeclaredArgument<boolean> = {
  schema: { type: ['boolean', 'integer'] },
  required: false,
  parse: (given, name) => isTrue(given[name]),
};

/** Any value; a JSON text of a list, an object or a string is parsed. */
export function json(schema: JsonSchema = {}): DeclaredArgument {
  return { schema, required: false, parse: looseArgument };
}

/** Any value, unchanged. */
export function asSent(schema: JsonSchema = {}): DeclaredArgument {
  return { schema, required: false, parse: (given, name) => given[name] };
}

/** The same argument, required. */
export function required<T>(argument: DeclaredArgument<T>): DeclaredArgument<T> {
  return { ...argument, required: true };
}

/** A whole number; `usual` when absent. */
export function whole(usual: number, most: number): DeclaredArgument<number> {
  const parse = (given: Fields, name: string) => {
    const value = optionalText(given, name);
    if (value === undefined) return usual;
    const number = Number(value);
    if (/^\d{1,16}$/.test(value) && number <= most) return number;
    throw new ServiceError('ValidationError', `Argument ${name} must be a whole number of at most ${most}`);
  };
  return { schema: { type: 'integer', minimum: 0, maximum: most, default: usual }, required: false, parse };
}

/** One of some texts; `usual` when absent. */
export function choice<const T extends string>(values: readonly T[], usual: T): DeclaredArgument<T>;
export function choice<const T extends string>(values: readonly T[]): DeclaredArgument<T | undefined>;
export function choice<const T extends string>(
  values: readonly T[],
  usual?: T,
): DeclaredArgument<T | undefined> {
  return {
    schema: { type: 'string', enum: values, ...(usual === undefined ? {} : { default: usual }) },
    required: false,
    parse(given, name) {
      const value = given[name] ?? '';
      const found = values.find((one) => one === value);
      // An absent choice without a usual value stays out of the arguments.
      if (found !== undefined || value === '') return found ?? usual;
      throw new ServiceError(
        'ValidationError',
        `Argument ${name} must be one of ${values.map((one) => JSON.stringify(one)).join(', ')}`,
      );
    },
  };
}

/** Names, each as text or as `{name}`, in a list or its JSON; a single name needs no list. */
export const NAMES: DeclaredArgument<readonly string[]> = {
  schema: { type: 'array', items: NAME_SCHEMA, maxItems: LIMITS.argumentValues },
  required: true,
  parse: nameList,
};

/** The parameters of a list of documents, unchanged: the query's own parser checks them. */
export const LIST_ARGUMENTS: Readonly<Record<string, DeclaredArgument>> = {
  doctype: TEXT,
  ...Object.fromEntries([...LIST_PARAMETERS].map((name) => [name, asSent(listSchema(name))])),
  page_length: asSent({ type: 'integer' }),
};

function listSchema(name: string): JsonSchema {
  if (name === 'distinct' || name === 'as_dict') return { type: ['boolean', 'integer'] };
  if (name === 'fields' || name === 'expand' || name.endsWith('filters')) return {};
  return { type: name.startsWith('limit') || name === 'start' ? 'integer' : 'string' };
}

/** A text argument. @throws ServiceError ValidationError when it is missing, empty or not text */
export function textArgument(args: Fields, name: string): string {
  const value = args[name];
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && value !== '') return value;
  throw missingText(name);
}

/** The refusal of a call without a required text. */
export function missingText(name: string): ServiceError {
  return new ServiceError('ValidationError', `Argument ${name} is required and must be text`);
}

/** A text argument, or undefined when it is absent, null or empty. */
export function optionalText(args: Fields, name: string): string | undefined {
  const value = args[name];
  return value === undefined || value === null || value === '' ? undefined : textArgument(args, name);
}

/** An argument that may arrive as a value or as its JSON text; text that is not JSON stays as it is. */
export function looseArgument(args: Fields, name: string): unknown {
  const value = args[name];
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
  try {
    return parseJsonText(value);
  } catch {
    return value;
  }
}

/** An object, or its JSON text. @throws ServiceError ValidationError */
export function recordArgument(args: Fields, name: string): Fields {
  const value = looseArgument(args, name);
  if (isRecord(value)) return value;
  throw new ServiceError('ValidationError', `Argument ${name} is required and must be an object`);
}

function nameList(args: Fields, argument: string): string[] {
  const given = looseArgument(args, argument);
  const list = typeof given === 'string' && given !== '' ? [given] : given;
  return listArgument({ [argument]: list }, argument, LIMITS.argumentValues).map((one) => {
    const name = isRecord(one) ? one.name : one;
    if (typeof name === 'number' || (typeof name === 'string' && name !== '')) return String(name);
    throw new ServiceError('ValidationError', `Argument ${argument} must be a list of names`);
  });
}

/** A list of at most `most` objects, or its JSON. */
export function records(most: number): DeclaredArgument<readonly Fields[]> {
  const parse = (given: Fields, name: string) => {
    const list = listArgument(given, name, most);
    if (list.every(isRecord)) return list;
    throw new ServiceError('ValidationError', `Argument ${name} must be a list of objects`);
  };
  return { schema: { type: 'array', items: { type: 'object' }, maxItems: most }, required: true, parse };
}

/** A list of at most `most` texts, or its JSON. */
export function texts(most: number): DeclaredArgument<readonly string[]> {
  const parse = (given: Fields, name: string) =>
    listArgument(given, name, most).map((one) => textArgument({ [name]: one }, name));
  return { schema: { type: 'array', items: { type: 'string' }, maxItems: most }, required: true, parse };
}

/** The same list, or none when it is absent. */
export function orNone<T>(list: DeclaredArgument<readonly T[]>): DeclaredArgument<readonly T[]> {
  const parse = (given: Fields, name: string) => (given[name] == null ? [] : list.parse(given, name));
  return { ...list, required: false, parse };
}

function listArgument(args: Fields, name: string, most: number): readonly unknown[] {
  const list = looseArgument(args, name);
  if (!Array.isArray(list)) {
    throw new ServiceError('ValidationError', `Argument ${name} is required and must be a list`);
  }
  if (list.length > most) {
    throw new ServiceError('ValidationError', `Argument ${name} has more than ${most} values`);
  }
  return list;
}

/** Describes the declared arguments of an app's method. */
export function describeArguments(known: KnownArguments): DescribedArguments {
  return Object.fromEntries(
    [...known].map(([name, one]) => {
      const { required = false, description } = one.argument;
      return [name, { schema: argumentSchema(one), required, ...(description && { description }) }];
    }),
  );
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
