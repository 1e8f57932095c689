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
import type { Site } from '../../document/context.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { guardedFetch } from '../../webhook/guarded-fetch.ts';
import type { SignInProvider } from './provider.ts';

/** Who signed in at a provider. */
export interface ProvenPerson extends Identity {
  /** Latin letters in lower case; null unless the provider says that it verified it. */
  readonly email: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
}

/** Where a browser is sent. `secret` is what its cookie keeps, and all that ties the answer to it. */
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
 * Whom the provider's answer names, once all of it holds: state, nonce, issuer, audience, signature, PKCE.
 * @throws ServiceError AuthenticationError; ServiceUnavailableError when the provider cannot be reached
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

// Everything that ties the answer to this browser and this provider comes of the cookie's secret.
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
  // Anybody can give themselves anybody's address at a provider that does not verify it.
  const email = claims['email_verified'] === true ? text('email') : null;
  return {
    issuer,
    subject,
    // Of other alphabets' letters some become Latin ones, and an address somebody else's.
    email: email?.includes('@') ? email.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : null,
    givenName: text('given_name') ?? text('name'),
    familyName: text('family_name'),
  };
}

/** How long what a provider says of itself is believed; milliseconds. */
const BELIEVED = 60 * 60 * 1000;

interface Known {
  readonly version: string;
  readonly until: number;
  readonly configuration: Promise<Configuration>;
}

const knownBySite = new WeakMap<Site, Map<string, Known>>();

async function configurationOf(site: Site, provider: SignInProvider): Promise<Configuration> {
  const known = knownBySite.get(site) ?? new Map<string, Known>();
  knownBySite.set(site, known);
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
    // Only where the address is on this machine, see the rules of the doctype; what is fetched is checked again.
    execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
}

// Without what was sent: codes and tokens are in some of the library's errors.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${code}${error.message}${cause}`.slice(0, 300);
}
