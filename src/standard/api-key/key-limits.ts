import { parseAddresses } from '../../access/address-list.ts';
import type { KeyLimits } from '../../access/api-key.ts';
import type { Context } from '../../document/contract.ts';
import { parseTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

/**
 * Limits in a person's notation: lists with commas or line breaks, and a time in the site's time zone. Null
 * and empty set no limit.
 */
export interface GivenLimits {
  readonly expires_on: string | null;
  readonly read_only: boolean;
  readonly doctypes: string | null;
  readonly methods: string | null;
  readonly allowed_ips: string | null;
}

/**
 * @throws ServiceError ValidationError for an unknown doctype, an invalid method name or an invalid address
 */
export function parseLimits(ctx: Context, given: GivenLimits): KeyLimits {
  const { expires_on: expiresOn } = given;
  const doctypes = listed('doctypes', given.doctypes);
  const unknown = doctypes.find((name) => !ctx.doctypes.find(name));
  if (unknown !== undefined) {
    throw new ServiceError('ValidationError', `There is no doctype ${unknown.slice(0, LIMITS.nameLength)}`);
  }
  const methods = listed('methods', given.methods);
  const odd = methods.find((name) => name.length > LIMITS.nameLength || !/^[\w .-]+$/.test(name));
  if (odd !== undefined) {
    throw new ServiceError(
      'ValidationError',
      `${odd.slice(0, LIMITS.nameLength)} is not the name of a method`,
    );
  }
  return {
    expiresAt: expiresOn === null || expiresOn === '' ? 0 : millisOf(ctx, expiresOn),
    readOnly: given.read_only,
    doctypes,
    methods,
    addresses: parseAddresses(given.allowed_ips ?? ''),
  };
}

function millisOf(ctx: Context, text: string): number {
  return Math.ceil(parseTimestamp(text, ctx.site.config.timeZone) / 1000);
}

function listed(what: string, text: string | null): readonly string[] {
  const names = (text ?? '')
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length <= LIMITS.keyScopes) return [...new Set(names)];
  throw new ServiceError('ValidationError', `A key can be limited to at most ${LIMITS.keyScopes} ${what}`);
}
