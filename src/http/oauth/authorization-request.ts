import { scopeWords } from '../../access/oauth-scope.ts';
import type { Connection } from '../../db/database.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fields } from '../../kernel/value.ts';
import { findOAuthClient, type OAuthClient } from '../../standard/oauth-client.ts';

/** A valid authorization request of a client. */
export interface AuthorizationRequest {
  readonly client: OAuthClient;
  /** One of the client's registered addresses. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Returned to the client unchanged. */
  readonly state: string | null;
  /** PKCE's S256 challenge. */
  readonly challenge: string | null;
}

/** The reason why a client gets no code; the redirect tells the client. */
export interface AuthorizationRefusal {
  readonly redirectUri: string;
  readonly state: string | null;
  /** The code of RFC 6749. */
  readonly error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'access_denied';
  readonly description: string;
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Checks an authorization request. An unknown client or address is reported to the user only.
 * @throws ServiceError BadRequestError
 */
export async function parseAuthorizationRequest(
  connection: Connection,
  args: Fields,
): Promise<AuthorizationRequest | AuthorizationRefusal> {
  const text = (name: string): string | null => {
    const value = args[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const client = await findOAuthClient(connection, text('client_id') ?? '');
  if (!client) throw new ServiceError('BadRequestError', 'The client_id is missing, or of no client');
  const redirectUri = text('redirect_uri');
  if (redirectUri === null || !client.redirectUris.includes(redirectUri)) {
    throw new ServiceError('BadRequestError', 'The redirect_uri is missing, or not one of this client');
  }
  const state = text('state');
  const refuse = (error: AuthorizationRefusal['error'], description: string): AuthorizationRefusal => ({
    redirectUri,
    state: state !== null && state.length > LIMITS.oauthStateLength ? null : state,
    error,
    description,
  });

  if (state !== null && state.length > LIMITS.oauthStateLength) {
    return refuse('invalid_request', `state may have at most ${LIMITS.oauthStateLength} characters`);
  }
  if (text('response_type') !== 'code') {
    return refuse('unsupported_response_type', 'response_type must be code');
  }
  const challenge = text('code_challenge');
  const method = text('code_challenge_method');
  if (challenge === null) {
    if (client.isPublic || method !== null) return refuse('invalid_request', 'code_challenge is missing');
  } else if (method !== 'S256') {
    return refuse('invalid_request', 'code_challenge_method must be S256');
  } else if (!CHALLENGE.test(challenge)) {
    return refuse('invalid_request', 'code_challenge must be a SHA-256 in base64url');
  }
  const scopes = scopeWords(text('scope') ?? client.scopes.join(' '));
  if (scopes.length === 0 || scopes.some((word) => !client.scopes.includes(word))) {
    return refuse('invalid_scope', `This client may request only the scopes ${client.scopes.join(' ')}`);
  }
  return { client, redirectUri, scopes, state, challenge };
}

/**
 * The client's address with the answer in its query. `issuer` names this server to clients of several
 * servers.
 */
export function answerAddress(
  { redirectUri, state }: { readonly redirectUri: string; readonly state: string | null },
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}
