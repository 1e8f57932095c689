import { currentCustoms } from '../base/format.ts';
import { timestampOf } from '../base/time-zone.ts';
import type { BootUser } from '../data/boot.ts';
import { choicesOf } from '../meta/field-values.ts';
import { isLayout, isNumber, isTable } from '../meta/fieldtypes.ts';
import type { Field, Meta } from '../meta/meta.ts';

/** Default values of a new document or row. They equal the server's. */
export function defaultsOf(meta: Meta, user: BootUser, now: number = Date.now()): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of meta.fields) {
    if (isLayout(field.fieldtype) || isTable(field.fieldtype) || field.is_virtual) continue;
    const value = defaultOf(field, user, timestampOf(now, currentCustoms().siteZone));
    if (value !== null) values[field.fieldname] = value;
  }
  return values;
}

function defaultOf(field: Field, user: BootUser, now: string): unknown {
  const text = field.default.trim();
  if (text === '') {
    // A Select starts with its first option, unless its first line is empty.
    return field.fieldtype === 'Select' && !/^\s*(?:\n|$)/.test(field.options)
      ? (choicesOf(field)[0] ?? null)
      : null;
  }
  // Only the server can compute defaults that refer to another document.
  if (text.startsWith(':')) return null;
  switch (text.toLowerCase()) {
    case '__user':
      return user.name;
    case 'today':
      return dateOf(field, now, true);
    case 'now':
      return dateOf(field, now, false);
  }
  if (isNumber(field.fieldtype) || field.fieldtype === 'Check') {
    const number = Number(text);
    return Number.isFinite(number) ? number : null;
  }
  return field.default;
}

function dateOf(field: Field, now: string, isDay: boolean): unknown {
  if (field.fieldtype === 'Date') return now.slice(0, 10);
  if (field.fieldtype === 'Datetime') return isDay ? `${now.slice(0, 10)} 00:00:00` : now;
  return field.fieldtype === 'Time' && !isDay ? now.slice(11) : field.default;
}
