import type { FastifyRequest } from 'fastify';
import { OAUTH_SCOPES } from '../../access/oauth-scope.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { AUTHORIZE, INTROSPECT, PROFILE, REVOKE, TOKEN } from './addresses.ts';

/** The public base URL of this server: from the configuration, or else as the caller addressed it. */
export function baseUrlOf(site: OpenSite, request: FastifyRequest): string {
  return site.config.siteUrl ?? `${request.protocol}://${request.host}`;
}

/** The authorization server metadata of RFC 8414. */
export function serverMetadata(origin: string): Readonly<Record<string, unknown>> {
  const secret = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer: origin,
    authorization_endpoint: origin + AUTHORIZE.path,
    token_endpoint: origin + TOKEN.path,
    revocation_endpoint: origin + REVOKE.path,
    introspection_endpoint: origin + INTROSPECT.path,
    userinfo_endpoint: origin + PROFILE.path,
    scopes_supported: [...OAUTH_SCOPES.keys()],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: [...secret, 'none'],
    revocation_endpoint_auth_methods_supported: [...secret, 'none'],
    introspection_endpoint_auth_methods_supported: secret,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}
