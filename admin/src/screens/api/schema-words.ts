import { formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import type { Schema } from './openapi.ts';

/** The JSON type of a value in words. */
export function typeOf({
  type,
  format,
  items,
  const: fixed,
  enum: choices,
  $ref,
  properties,
}: Schema): string {
  if (fixed !== undefined) return JSON.stringify(fixed);
  if (type === undefined && choices !== undefined) return [...new Set(choices.map(typeName))].join(' | ');
  if (type === undefined) return $ref !== undefined || properties ? 'object' : t('any JSON');
  const names = [type].flat().map((one) => (one === 'array' && items?.$ref ? 'object[]' : one));
  return [...names, ...(format === undefined ? [] : [`(${format})`])].join(' | ').replace(' | (', ' (');
}

function typeName(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** The limits of a value in words. */
export function limitsOf(schema: Schema): string {
  const { maxLength, minimum, maximum, minItems, maxItems, enum: choices, default: usual } = schema;
  const target = schema['x-doctype'];
  const number = (value: number) => formatNumber(value);
  return [
    ...(target === undefined ? [] : [t('name of a {doctype}', { doctype: t(target) })]),
    ...(choices === undefined ? [] : [choices.filter((one) => one !== null && one !== '').join(', ')]),
    ...(maxLength === undefined ? [] : [t('up to {count} characters', { count: number(maxLength) })]),
    ...(minimum === undefined ? [] : [t('at least {value}', { value: number(minimum) })]),
    ...(maximum === undefined ? [] : [t('at most {value}', { value: number(maximum) })]),
    ...(minItems === undefined ? [] : [tn(minItems, 'at least {count} row', 'at least {count} rows')]),
    ...(maxItems === undefined ? [] : [t('at most {value} values', { value: number(maxItems) })]),
    ...(usual === undefined || usual === null
      ? []
      : [t('default {value}', { value: JSON.stringify(usual) })]),
  ].join(' · ');
}
