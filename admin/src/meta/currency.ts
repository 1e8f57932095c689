import { currentCustoms } from '../base/format.ts';
import type { Field } from './meta.ts';

/** Reads another field of the same document or row. */
export type Ask = (fieldname: string) => unknown;

/**
 * The currency of an amount: that of the field in its options, else the site's. '' if the options name a field that
 * cannot be asked, as for a sum over many documents.
 */
export function currencyOf({ options }: Pick<Field, 'options'>, ask?: Ask): string {
  if (options === '') return currentCustoms().currency;
  if (/^[A-Z]{3}$/.test(options)) return options;
  if (ask === undefined) return '';
  const held = ask(options);
  return typeof held === 'string' && /^[A-Za-z]{3}$/.test(held) ? held : currentCustoms().currency;
}
