import type { FastifyRequest } from 'fastify';
import { OAUTH_SCOPES } from '../../access/oauth-scope.ts';
import type { OpenSite } from '../../site/start/open-site.ts';

const METHOD = '/api/method/frappe.integrations.oauth2.';

/** Addresses of the authorization server. */
export const OAUTH_PATHS = {
  authorize: `${METHOD}authorize`,
  approve: `${METHOD}approve`,
  token: `${METHOD}get_token`,
  revoke: `${METHOD}revoke_token`,
  introspect: `${METHOD}introspect_token`,
  profile: `${METHOD}openid_profile`,
  metadata: '/.well-known/oauth-authorization-server',
} as const;

/** The public base URL of this server: from the configuration, or else as the caller addressed it. */
export function baseUrlOf(site: OpenSite, request: FastifyRequest): string {
  return site.config.siteUrl ?? `${request.protocol}://${request.host}`;
}

/** The authorization server metadata of RFC 8414. */
export function serverMetadata(origin: string): Readonly<Record<string, unknown>> {
  const secret = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer: origin,
    authorization_endpoint: origin + OAUTH_PATHS.authorize,
    token_endpoint: origin + OAUTH_PATHS.token,
    revocation_endpoint: origin + OAUTH_PATHS.revoke,
    introspection_endpoint: origin + OAUTH_PATHS.introspect,
    userinfo_endpoint: origin + OAUTH_PATHS.profile,
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
