import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { CurrentUser } from '../../access/user.ts';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { parseAddress } from '../../kernel/ip-address.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Siblings } from '../../site/siblings.ts';
import type { WorkKind } from '../address/address.ts';
import { Buckets } from './buckets.ts';
import { shareQuotas } from './shared-quotas.ts';

/** Separate quotas, from which some requests draw in addition to the general one. */
export type SeparateQuota = 'logins' | 'uploads';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Takes `cost` from the general quota, or from a separate one: for a request that stands for many, or
     * whose kind is known only later.
     * @throws ServiceError RateLimitExceededError (429) when less is left; nothing is taken then
     */
    spend(cost: number, separateQuota?: SeparateQuota): void;
    /**
     * Charges the address for a failed authentication.
     * @throws ServiceError RateLimitExceededError (429) when less was left; the rest is taken
     */
    fine(): void;
  }
}

type Quotas = Readonly<Record<'key' | 'user' | 'address' | SeparateQuota, Buckets | null>>;

/**
 * Counts requests by API key and by user, and those of Guests by address: never by a value that a caller may
 * choose. Each node counts for itself, and its workers together. The setting `rateLimits` has the numbers; 0 is
 * no limit.
 */
export function registerRateLimits(
  app: FastifyInstance,
  settings: Config['rateLimits'],
  siblings: Siblings,
): void {
  const { window } = settings;
  const buckets = (name: string, limit: number) =>
    limit === 0 ? null : new Buckets({ name, limit, window }, LIMITS.rateLimitCallers);
  const quotas: Quotas = {
    key: buckets('key', settings.perKey),
    user: buckets('user', settings.perUser),
    address: buckets('address', settings.perAddress),
    logins: buckets('logins', settings.logins),
    uploads: buckets('uploads', settings.uploads),
  };
  shareQuotas(app, quotas, siblings);

  app.decorateRequest(
    'spend',
    function spend(this: FastifyRequest, cost: number, separateQuota?: SeparateQuota) {
      if (cost <= 0) return;
      const now = performance.now();
      if (separateQuota === undefined) takeFor(quotas, this, cost, now);
      else if (separateQuota === 'logins') take(quotas.logins, addressKey(this.ip), cost, now);
      else take(quotas[separateQuota], callerKey(this), cost, now);
    },
  );

  app.decorateRequest('fine', function fine(this: FastifyRequest) {
    const quota = quotas.address;
    const key = addressKey(this.ip);
    const now = performance.now();
    const cost = LIMITS.failedAuthenticationCost;
    if (quota && !quota.fine(key, cost, now)) throw exceeded(quota, key, cost, now);
  });

  app.addHook('onRoute', (route) => {
    const separateQuota = SEPARATE_QUOTAS[route.config?.work ?? 'none'];
    if (separateQuota === undefined) return;
    const count: onRequestHookHandler = (request, reply, done) => {
      try {
        takeFor(quotas, request, 1, performance.now(), reply);
        if (separateQuota !== null) request.spend(1, separateQuota);
      } catch (error) {
        return done(error as Error);
      }
      done();
    };
    route.onRequest = [count, ...[route.onRequest ?? []].flat()];
  });
}

/** The separate quota of each kind of work, null without one. Kinds that are absent are not counted. */
const SEPARATE_QUOTAS: Readonly<Partial<Record<WorkKind, SeparateQuota | null>>> = {
  read: null,
  list: null,
  write: null,
  method: null,
  stream: null,
  upload: 'uploads',
  login: 'logins',
};

// One key may not use up its user's quota, nor all keys of a user together the general one. The headers
// report the quota that is nearer its end.
function takeFor(
  { key, user, address }: Quotas,
  request: FastifyRequest,
  cost: number,
  now: number,
  reply: FastifyReply | null = null,
): void {
  const { isGuest, name, credential } = request.user;
  if (isGuest) {
    const left = take(address, addressKey(request.ip), cost, now);
    if (reply && address) announce(reply, address, left);
    return;
  }
  const ofKey = credential === null ? Number.POSITIVE_INFINITY : take(key, credential, cost, now);
  const ofUser = take(user, name, cost, now);
  const nearer = ofKey <= ofUser ? key : user;
  if (reply && nearer) announce(reply, nearer, Math.min(ofKey, ofUser));
}

/** Returns the tokens left. @throws ServiceError RateLimitExceededError */
function take(quota: Buckets | null, key: string, cost: number, now: number): number {
  if (quota === null) return Number.POSITIVE_INFINITY;
  const left = quota.take(key, cost, now);
  if (left < 0) throw exceeded(quota, key, cost, now);
  return left;
}

/**
 * The key for counting a caller: the user, or the address of a Guest or of a request that was refused before
 * it had a user.
 */
export function callerKey({ user, ip }: { readonly user?: CurrentUser; readonly ip: string }): string {
  return user === undefined || user.isGuest ? addressKey(ip) : user.name;
}

/** An IPv6 host controls the whole /64 network of its address. */
export function addressKey(ip: string | undefined): string {
  const text = ip ?? '';
  if (!text.includes(':')) return text;
  const address = parseAddress(text);
  return address === null ? text : Buffer.from(address.subarray(0, 8)).toString('hex');
}

function announce(reply: FastifyReply, quota: Buckets, left: number): void {
  for (const [name, value] of quota.headers(left)) reply.header(name, value);
}

function exceeded(quota: Buckets, key: string, cost: number, now: number): ServiceError {
  const wait = String(quota.wait(key, cost, now));
  return new ServiceError('RateLimitExceededError', `Too many requests; try again in ${wait} s`, {
    title: 'Too Many Requests',
    headers: { ...Object.fromEntries(quota.headers(0)), 'retry-after': wait },
  });
}
