import type { FastifyReply, FastifyRequest } from 'fastify';
import { audit } from '../../access/audit.ts';
import { endGrant, findGrant, type Outcome, redeemCode, refreshTokens } from '../../access/oauth-grant.ts';
import { scopeWords } from '../../access/oauth-scope.ts';
import type { Connection } from '../../db/database.ts';
import type { Context } from '../../document/contract.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { requireClient } from './client-credentials.ts';
import { answerClient, type FormFields, formFields, OAuthError } from './oauth-error.ts';

type Handler = (site: OpenSite, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** `get_token`: tokens for a code or a refresh token. */
export const getToken: Handler = (site, request, reply) =>
  answerClient(reply, async () => {
    const fields = formFields(request);
    const client = await requireClient(site, request, fields);
    const redeem = redemptionOf(site, client.id, fields);
    const work = async (ctx: Context) => {
      const outcome = await redeem(ctx.db);
      if (outcome.endedOf !== null) await tellEnd(ctx, client.id, outcome.endedOf, 'it was used twice');
      return outcome;
    };
    const { tokens, endedOf } = await unitOfWork(site, request.user, work, provenanceOf(request));
    // A refresh ends the access token before it. A second use of a code or token ends all of its tokens.
    if (endedOf !== null || fields['grant_type'] === 'refresh_token') await site.dropCaches('users');
    if (!tokens) throw new OAuthError('invalid_grant', 'The code or refresh token is not valid');
    return {
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: tokens.expiresIn,
      refresh_token: tokens.refreshToken,
      scope: tokens.scope,
    };
  });

function redemptionOf(
  site: OpenSite,
  client: string,
  fields: FormFields,
): (db: Connection) => Promise<Outcome> {
  if (fields['grant_type'] === 'authorization_code') {
    const { code, redirect_uri: redirectUri, code_verifier: verifier = null } = fields;
    if (!code || !redirectUri) throw new OAuthError('invalid_request', 'code or redirect_uri is missing');
    return (db) => redeemCode(db, site, { code, client, redirectUri, verifier });
  }
  if (fields['grant_type'] === 'refresh_token') {
    const { refresh_token: token, scope } = fields;
    if (!token) throw new OAuthError('invalid_request', 'refresh_token is missing');
    const wanted = scope ? scopeWords(scope).join(' ') : null;
    return (db) => refreshTokens(db, site, { token, client, scope: wanted });
  }
  throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
}

/** `revoke_token`: ends the grant behind a token of the client, refresh and access token alike. */
export const revokeToken: Handler = (site, request, reply) =>
  answerClient(reply, async () => {
    const fields = formFields(request);
    const client = await requireClient(site, request, fields);
    if (!fields['token']) throw new OAuthError('invalid_request', 'token is missing');
    const grant = await findGrant(site.database.reader, site.clock, fields['token'], client.id);
    if (!grant) return {};
    const work = async (ctx: Context) => {
      await endGrant(ctx.db, grant.id);
      await tellEnd(ctx, client.id, grant.user, 'the client gave it back');
    };
    await unitOfWork(site, request.user, work, provenanceOf(request));
    await site.dropCaches('users');
    return {};
  });

function tellEnd(ctx: Context, client: string, user: string, reason: string): Promise<void> {
  const about = { doctype: 'OAuth Client', name: client, details: { reason } };
  return audit(ctx, { event: 'oauth_revoked', user, ...about });
}

/** `introspect_token`: describes a token of the client. Only for clients with a secret. */
export const introspectToken: Handler = (site, request, reply) =>
  answerClient(reply, async () => {
    const fields = formFields(request);
    const client = await requireClient(site, request, fields);
    if (client.isPublic)
      throw new OAuthError('invalid_client', 'The client is unknown, or its secret is wrong');
    const grant = await findGrant(site.database.reader, site.clock, fields['token'] ?? '', client.id);
    if (!grant) return { active: false };
    return {
      active: true,
      client_id: client.id,
      username: grant.user,
      sub: grant.user,
      scope: grant.scope,
      token_type: 'Bearer',
      exp: Math.floor(grant.expiresAt / 1000),
      iat: Math.floor(grant.createdAt / 1000),
    };
  });
