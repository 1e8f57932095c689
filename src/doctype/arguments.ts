import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { Definition, Problems } from './definition.ts';
import type { DocField } from './doctype.ts';
import { quote, refuse } from './fieldtypes/fieldtype.ts';
import { fieldtypeOf } from './fieldtypes/fieldtypes.ts';
import { parseField } from './parse-field.ts';

interface Described {
  /** For people: shown in OpenAPI, and in the types of clients. */
  readonly description?: string;
  /** The call is refused without a value. A list needs at least one value. */
  readonly required?: true;
  /**
   * Several values: a list, its JSON text, or a single value. When absent, the handler gets an empty list.
   */
  readonly list?: true;
}

interface Presettable<T> extends Described {
  /** The value when absent; not for lists. */
  readonly default?: T;
}

interface Ranged extends Presettable<number> {
  readonly min?: number;
  readonly max?: number;
}

/** An argument that clients may send to a method. The types follow the fieldtypes of the same names. */
export type Argument =
  | (Presettable<string> & {
      /** One line of at most `length` characters (140 by default), in the format of `options`. */
      readonly type: 'Data';
      readonly options?: 'Email' | 'Name' | 'Phone' | 'URL';
      readonly length?: number;
    })
  | (Presettable<string> & { readonly type: 'Text' })
  | (Ranged & { readonly type: 'Int' })
  | (Ranged & { readonly type: 'Float' })
  /** A boolean, false when absent. */
  | (Presettable<boolean> & { readonly type: 'Check' })
  /** `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS.ffffff`, `HH:MM:SS.ffffff`. */
  | (Presettable<string> & { readonly type: 'Date' | 'Datetime' | 'Time' })
  | (Presettable<string> & { readonly type: 'Select'; readonly options: readonly string[] })
  /** The name of a document of the doctype in `options`. The caller must be able to see it. */
  | (Presettable<string> & { readonly type: 'Link'; readonly options: string })
  /** Any value, or its JSON text. */
  | (Described & { readonly type: 'JSON' });

/** Arguments by name. */
export type Arguments = Readonly<Record<string, Argument>>;

type ValueOf<A> = A extends { readonly type: 'Int' | 'Float' }
  ? number
  : A extends { readonly type: 'Check' }
    ? boolean
    : A extends { readonly type: 'JSON' }
      ? unknown
      : A extends { readonly type: 'Select'; readonly options: readonly (infer O)[] }
        ? O
        : string;

/** The values that a handler gets for these arguments. An absent one is null, an empty list, or false. */
export type ValuesOf<A> = {
  readonly [K in keyof A]: A[K] extends { readonly list: true }
    ? readonly ValueOf<A[K]>[]
    : A[K] extends { readonly required: true } | { readonly default: unknown } | { readonly type: 'Check' }
      ? ValueOf<A[K]>
      : ValueOf<A[K]> | null;
};

/** A checked argument, with the field whose rules its values follow. */
export interface KnownArgument {
  readonly argument: Argument;
  readonly field: DocField;
}

/** Arguments by name, in the order of their declaration. */
export type KnownArguments = ReadonlyMap<string, KnownArgument>;

/** @throws TypeError for arguments that no call could satisfy, an error of the declaration */
export function knownArguments(args: Arguments): KnownArguments {
  return new Map(
    Object.entries(args).map(([name, argument]) => {
      if (!/^[A-Za-z_]\w*$/.test(name) || name in Object.prototype) {
        throw new TypeError(`${JSON.stringify(name)} cannot be the name of an argument`);
      }
      const known = { argument, field: fieldOf(name, argument) };
      const preset = presetOf(argument);
      if (preset !== undefined) checkedValue(known, preset);
      return [name, known];
    }),
  );
}

function fieldOf(name: string, argument: Argument): DocField {
  const problems = new Problems();
  const { options } = { options: '', ...argument };
  const definition = {
    fieldname: 'argument',
    label: `Argument ${name}`,
    fieldtype: TYPES.has(argument.type) ? argument.type : 'none',
    options: typeof options === 'string' ? options : options.join('\n'),
    length: 'length' in argument ? argument.length : 0,
  };
  const field = parseField(new Definition(definition, problems, name), 1);
  if (!field || problems.messages.length > 0) throw new TypeError(problems.messages.join('; '));
  return field;
}

const TYPES: ReadonlySet<string> = new Set<Argument['type']>([
  'Data',
  'Text',
  'Int',
  'Float',
  'Check',
  'Date',
  'Datetime',
  'Time',
  'Select',
  'Link',
  'JSON',
]);

/**
 * The arguments of a call by the rules of their types. The caller checks whether the documents of Link
 * arguments exist.
 * @throws ServiceError ValidationError that names each missing, unknown or invalid argument
 */
export function parseArguments(
  known: KnownArguments,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, one] of known) {
    try {
      values[name] = parse(one, Object.hasOwn(given, name) ? given[name] : undefined);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      problems.push(error.message);
    }
  }
  for (const name of Object.keys(given)) {
    if (problems.length >= LIMITS.problemsNamed) break;
    if (!known.has(name)) problems.push(`There is no argument ${quote(name)}`);
  }
  const [first] = problems;
  if (first !== undefined) throw new ServiceError('ValidationError', first, { messages: problems });
  return values;
}

function parse(known: KnownArgument, given: unknown): unknown {
  const { argument, field } = known;
  if (argument.list) {
    const values = listIn(known, given).map((value) => checkedValue(known, value));
    if (values.includes(null)) refuse(field, 'has an empty value');
    if (argument.required && values.length === 0) refuse(field, 'is required');
    return values;
  }
  const value = isUnset(given) ? null : checkedValue(known, given);
  if (value !== null) return value;
  if (argument.required) refuse(field, 'is required');
  return presetOf(argument) ?? (argument.type === 'Check' ? false : null);
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function presetOf(argument: Argument): string | number | boolean | undefined {
  return 'default' in argument ? argument.default : undefined;
}

// A form has only text, and sends a list of one as a single value.
function listIn({ field }: KnownArgument, given: unknown): readonly unknown[] {
  if (isUnset(given)) return [];
  const list = typeof given === 'string' && given.trimStart().startsWith('[') ? parsed(given) : given;
  const values = Array.isArray(list) ? list : [list];
  if (values.length > LIMITS.argumentValues)
    refuse(field, `has ${values.length} values; the maximum is ${LIMITS.argumentValues}`);
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function checkedValue({ argument, field }: KnownArgument, given: unknown): unknown {
  if (argument.type === 'JSON') {
    if (typeof given !== 'string') return given ?? null;
    const text = fieldtypeOf(field).coerce(given, field);
    return text === null ? null : JSON.parse(String(text));
  }
  if (given === null) return null;
  const value = fieldtypeOf(field).coerce(given, field);
  if (argument.type === 'Check') return value === 1;
  if (typeof value === 'number' && 'min' in argument && value < Number(argument.min))
    refuse(field, `must be at least ${argument.min}`);
  if (typeof value === 'number' && 'max' in argument && value > Number(argument.max))
    refuse(field, `must be at most ${argument.max}`);
  return value === '' ? null : value;
}
