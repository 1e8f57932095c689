import { hash } from 'node:crypto';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
} from 'openid-client';
import type { Identity } from '../../access/identity.ts';
import type { Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { memo } from '../../kernel/memo.ts';
import { guardedFetch } from '../../net/guarded-fetch.ts';
import type { SignInProvider } from './provider.ts';

/** A person signed in at a provider. */
export interface ProvenPerson extends Identity {
  /** ASCII letters in lower case; null unless the provider has verified it. */
  readonly email: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
}

/**
 * The URL for the browser. The browser's cookie stores `secret`, the only link between the browser and the
 * answer.
 */
export async function signInAddress(
  site: Site,
  provider: SignInProvider,
  secret: string,
  callback: string,
): Promise<string> {
  const configuration = await configurationOf(site, provider);
  const { state, nonce, verifier } = tiesOf(provider, secret);
  const address = buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    scope: provider.scopes,
    response_type: 'code',
    state,
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  return address.href;
}

/**
 * The person in the provider's answer, after checks of state, nonce, issuer, audience, signature and PKCE.
 * @throws ServiceError AuthenticationError; ServiceUnavailableError when the provider is unreachable
 */
export async function provePerson(
  site: Site,
  provider: SignInProvider,
  secret: string,
  answer: URL,
): Promise<ProvenPerson> {
  const configuration = await configurationOf(site, provider);
  const { state, nonce, verifier } = tiesOf(provider, secret);
  try {
    const tokens = await authorizationCodeGrant(configuration, answer, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('no ID token');
    const hasEmail = claims['email'] !== undefined;
    const more =
      hasEmail || configuration.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return personOf({ ...more, ...claims }, claims.iss, claims.sub);
  } catch (error) {
    site.observe({ kind: 'warning', message: `signing in with ${provider.name} failed: ${reasonOf(error)}` });
    throw new ServiceError('AuthenticationError', `Signing in with ${provider.label} failed`);
  }
}

// Derives all values that tie the answer to this browser and this provider from the cookie's secret.
function tiesOf(provider: SignInProvider, secret: string) {
  const tie = (what: string) =>
    hash('sha256', JSON.stringify([what, provider.name, provider.issuer, secret]), 'base64url');
  return { state: tie('state'), nonce: tie('nonce'), verifier: tie('verifier') };
}

function personOf(claims: Readonly<Record<string, unknown>>, issuer: string, subject: string): ProvenPerson {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 140) : null;
  };
  // At a provider that does not verify addresses, anyone can claim any address.
  const email = claims['email_verified'] === true ? text('email') : null;
  return {
    issuer,
    subject,
    // ASCII only: lower-casing some letters of other alphabets gives Latin letters, and so another user's
    // address.
    email: email?.includes('@') ? email.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : null,
    givenName: text('given_name') ?? text('name'),
    familyName: text('family_name'),
  };
}

/** How long the provider's metadata is cached; milliseconds. */
const BELIEVED = 60 * 60 * 1000;

interface CachedConfiguration {
  readonly version: string;
  readonly until: number;
  readonly configuration: Promise<Configuration>;
}

const knownOf = memo((_: Site) => new Map<string, CachedConfiguration>());

async function configurationOf(site: Site, provider: SignInProvider): Promise<Configuration> {
  const known = knownOf(site);
  const now = nowMillis(site.clock);
  const entry = known.get(provider.name);
  if (entry && entry.version === provider.version && entry.until > now) return entry.configuration;
  const configuration = discover(site, provider);
  known.set(provider.name, { version: provider.version, until: now + BELIEVED, configuration });
  try {
    return await configuration;
  } catch (error) {
    known.delete(provider.name);
    site.observe({ kind: 'warning', message: `provider ${provider.name}: ${reasonOf(error)}` });
    throw new ServiceError('ServiceUnavailableError', `${provider.label} cannot be reached now`);
  }
}

function discover(site: Site, provider: SignInProvider): Promise<Configuration> {
  const issuer = new URL(provider.issuer);
  const { clientId, clientSecret } = provider;
  const fetch = guardedFetch(site.config.signIn.allow);
  return discovery(issuer, clientId, {}, clientSecret === null ? None() : ClientSecretPost(clientSecret), {
    [customFetch]: (url, options) => fetch(url, options),
    // Only for an address on this machine; see the rules of the doctype. Fetched addresses are checked again.
    execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
}

// Leaves out the request: some of the library's errors contain codes and tokens.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${code}${error.message}${cause}`.slice(0, 300);
}
