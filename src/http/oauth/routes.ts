import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSite } from '../../site/start/open-site.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { approve, authorize } from './authorize.ts';
import { baseUrlOf, OAUTH_PATHS, serverMetadata } from './metadata.ts';
import { sendProfile } from './profile.ts';
import { getToken, introspectToken, revokeToken } from './token.ts';

type Handler = (site: OpenSite, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The OAuth 2 authorization server: other programs act for users who allow it. */
export function registerOAuthRoutes(app: FastifyInstance, site: OpenSite): void {
  const run = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) =>
    handler(site, request, reply);
  addRoute(app, OAUTH_PATHS.authorize, 'guest', 'read', { GET: run(authorize) });
  addRoute(app, OAUTH_PATHS.approve, 'user', 'write', { POST: run(approve) });
  addRoute(app, OAUTH_PATHS.token, 'client', 'login', { POST: run(getToken) });
  addRoute(app, OAUTH_PATHS.revoke, 'client', 'login', { POST: run(revokeToken) });
  addRoute(app, OAUTH_PATHS.introspect, 'client', 'login', { POST: run(introspectToken) });
  addRoute(app, OAUTH_PATHS.profile, 'user', 'read', { GET: run(sendProfile), POST: run(sendProfile) });
  addRoute(app, OAUTH_PATHS.metadata, 'guest', 'none', {
    GET: (request, reply) => sendJson(reply, JSON.stringify(serverMetadata(baseUrlOf(site, request)))),
  });
}
