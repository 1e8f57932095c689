import type { Cell } from '../dump/source.ts';

/** A date of MySQL that is none: without a year, a month or a day. */
export function isZeroDate(value: Cell): boolean {
  return typeof value === 'string' && /^(?:0000|\d{4}-00|\d{4}-\d\d-00)/.test(value);
}

/** True for a decimal that no double repeats to nine decimals, which are stored. */
export function isBeyondDouble(value: Cell): boolean {
  if (typeof value !== 'string' || value.length < 16) return false;
  const [, sign, integer = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  if (sign === undefined) return false;
  const whole = integer.replace(/^0+(?=\d)/, '');
  let places = fraction.length;
  while (fraction.charAt(places - 1) === '0') places -= 1;
  const digits = fraction.slice(0, places);
  // A double repeats every decimal of 15 digits.
  if (whole.replace(/^0$/, '').length + digits.length <= 15) return false;
  if (digits.length > 9 || whole.length > 21) return true;
  const again = Math.abs(Number(value)).toFixed(9);
  return again !== `${whole}.${digits.padEnd(9, '0')}`;
}
