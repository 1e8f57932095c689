import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from '../../db/sql.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { sendJson } from '../reply.ts';
import { baseUrlOf } from './metadata.ts';

/** `openid_profile`: the caller, as OpenID Connect claims. */
export async function sendProfile(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { user } = request;
  const row = await site.database.reader.get(sql`
    select "email", "full_name", "first_name", "last_name", "user_image" from "User" where "name" = ${user.name}`);
  const claims = {
    sub: user.name,
    name: row?.['full_name'],
    given_name: row?.['first_name'],
    family_name: row?.['last_name'],
    email: row?.['email'],
    picture: row?.['user_image'],
    roles: [...user.roles].sort(),
    iss: baseUrlOf(site, request),
  };
  const known = Object.entries(claims).filter(([, value]) => value !== null && value !== undefined);
  return sendJson(reply, JSON.stringify(Object.fromEntries(known)));
}
