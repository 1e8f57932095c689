import { ServiceError } from '../../kernel/errors.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A text argument of a method. @throws ServiceError ValidationError when it is missing, empty or not text */
export function textOf(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && value !== '') return value;
  throw new ServiceError('ValidationError', `Argument ${name} is required and must be text`);
}

/** A list of texts, given as such, as JSON text of one, or as the only text. @throws ServiceError ValidationError */
export function textsOf(args: Arguments, name: string): readonly string[] {
  const value = args[name];
  const list: readonly unknown[] = Array.isArray(value) ? value : parsed(textOf(args, name));
  const texts = list.filter((one): one is string => typeof one === 'string' && one !== '');
  if (texts.length === list.length) return texts;
  throw new ServiceError('ValidationError', `Argument ${name} must be a list of texts`);
}

/** Fields of a document, as an object or JSON text of one; none when absent. @throws ServiceError ValidationError */
export function fieldsOf(args: Arguments, name: string): Fields {
  const value = args[name];
  if (value === undefined || value === null || value === '') return {};
  const fields = typeof value === 'string' ? objectIn(value) : value;
  if (isRecord(fields)) return fields;
  throw new ServiceError('ValidationError', `Argument ${name} must be an object of fields`);
}

function objectIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function parsed(text: string): readonly unknown[] {
  if (!text.trimStart().startsWith('[')) return [text];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [text];
  } catch {
    return [text];
  }
}
