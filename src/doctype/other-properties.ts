import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import type { DocType } from './doctype.ts';
import { RESTRICTED_FIELDNAMES } from './standard-fields.ts';

/**
 * The column of DocType, DocField and DocPerm that keeps, as JSON, the properties without a column of their
 * own.
 */
export const OTHER_PROPERTIES = 'other_properties';

type Properties = Readonly<Record<string, unknown>>;

/** Lists of a DocType that Chancery only stores. Clients expect them, as in Frappe. */
const KEPT_LISTS: Properties = { actions: [], links: [], states: [] };

/** True for DocType, its rows and the like: documents that keep other properties. */
export function isDefinition(doctype: DocType): boolean {
  return doctype.app === 'standard' && doctype.columnByName.has(OTHER_PROPERTIES);
}

/**
 * The properties that a stored definition or row of one shows besides its columns. As in Frappe, `precision`
 * is a choice, and '' is none.
 */
export function shownProperties(holder: Properties): Properties {
  const { doctype, precision } = holder;
  return {
    ...(doctype === 'DocType' ? KEPT_LISTS : {}),
    ...(precision === undefined ? {} : { precision: String(precision || '') }),
    ...parseOtherProperties(holder[OTHER_PROPERTIES]),
  };
}

/**
 * The properties of `source` without a column in `meta` (DocType or one of its rows), such as `actions`,
 * `links` or `oldfieldname`. Keys that begin with `_` are a client's own notes (`__islocal`), not part of a
 * definition; null is unset.
 */
export function otherProperties(source: Properties, meta: DocType): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(source).filter(
      ([key, value]) => value !== null && value !== undefined && !isUnset(key, value) && isOther(key, meta),
    ),
  );
}

function isUnset(key: string, value: unknown): boolean {
  return Object.hasOwn(KEPT_LISTS, key) && Array.isArray(value) && value.length === 0;
}

/** True when a definition may contain `key` and `meta` has no column for it. */
function isOther(key: string, meta: DocType): boolean {
  return (
    key !== '' &&
    !key.startsWith('_') &&
    key !== OTHER_PROPERTIES &&
    !meta.fieldByName.has(key) &&
    !RESTRICTED_FIELDNAMES.has(key)
  );
}

/**
 * Other properties in stored form: JSON text, or null for none. @throws ServiceError when they are too large
 */
export function renderOtherProperties(properties: Properties): string | null {
  if (Object.keys(properties).length === 0) return null;
  const text = JSON.stringify(properties);
  if (Buffer.byteLength(text) > LIMITS.otherPropertiesBytes) {
    throw new ServiceError(
      'CharacterLengthExceededError',
      `The properties that Chancery only stores exceed ${LIMITS.otherPropertiesBytes} bytes`,
    );
  }
  return text;
}

/** Parses stored properties; {} for a text that is not a JSON object. */
export function parseOtherProperties(text: unknown): Properties {
  if (typeof text !== 'string' || text === '') return NONE;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : NONE;
  } catch {
    return NONE;
  }
}

const NONE: Properties = Object.freeze({});

/**
 * A stored DocType with all of its properties in one object again, rows included, in the form of a file. A
 * kept property wins, even where a later version has a column for it.
 */
export function wholeDefinition(stored: Properties): Record<string, unknown> {
  const whole: Record<string, unknown> = { ...stored };
  for (const [key, value] of Object.entries(stored)) {
    if (Array.isArray(value)) whole[key] = value.map((row) => (isRecord(row) ? withOthers(row) : row));
  }
  return withOthers(whole);
}

function withOthers(row: Record<string, unknown>): Record<string, unknown> {
  const { [OTHER_PROPERTIES]: text, ...rest } = row;
  const properties = parseOtherProperties(text);
  return properties === NONE ? rest : { ...rest, ...properties };
}
