import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSite } from '../../site/start/open-site.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { APPROVE, AUTHORIZE, INTROSPECT, METADATA, PROFILE, REVOKE, TOKEN } from './addresses.ts';
import { approve, authorize } from './authorize.ts';
import { baseUrlOf, serverMetadata } from './metadata.ts';
import { sendProfile } from './profile.ts';
import { getToken, introspectToken, revokeToken } from './token.ts';

type Handler = (site: OpenSite, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The OAuth 2 authorization server: other programs act for users who allow it. */
export function registerOAuthRoutes(app: FastifyInstance, site: OpenSite): void {
  const run = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) =>
    handler(site, request, reply);
  addRoute(app, AUTHORIZE, run(authorize));
  addRoute(app, APPROVE, run(approve));
  addRoute(app, TOKEN, run(getToken));
  addRoute(app, REVOKE, run(revokeToken));
  addRoute(app, INTROSPECT, run(introspectToken));
  addRoute(app, PROFILE, run(sendProfile));
  addRoute(app, METADATA, (request, reply) =>
    sendJson(reply, JSON.stringify(serverMetadata(baseUrlOf(site, request)))),
  );
}
