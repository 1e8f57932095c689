import type { FastifyRequest } from 'fastify';
import { digestSecret, sameDigest } from '../../access/digest.ts';
import { loadSecret } from '../../access/secret.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { findOAuthClient, type OAuthClient } from '../../standard/oauth-client.ts';
import { type FormFields, OAuthError } from './oauth-error.ts';

/**
 * The client that sent a request. It sends its id and secret as HTTP Basic or as fields of the form; a client
 * without a secret sends its id. @throws OAuthError invalid_client, in the same words for every reason
 */
export async function requireClient(
  site: OpenSite,
  request: FastifyRequest,
  fields: FormFields,
): Promise<OAuthClient> {
  const { authorization } = request.headers;
  const given = authorization === undefined ? fromFields(fields) : fromBasic(authorization);
  const db = site.database.reader;
  const client = given ? await findOAuthClient(db, given.id) : null;
  const isPublic = client?.isPublic === true;
  const stored =
    client && !isPublic ? await loadSecret(site, db, 'OAuth Client', client.id, 'client_secret') : null;
  const fits = sameDigest(digestSecret(given?.secret ?? ''), stored);
  if (client && (isPublic ? given?.secret === null : fits)) return client;
  throw new OAuthError('invalid_client', 'The client is unknown, or its secret is wrong');
}

interface Credentials {
  readonly id: string;
  readonly secret: string | null;
}

function fromFields(fields: FormFields): Credentials | null {
  const { client_id: id = '', client_secret: secret = '' } = fields;
  return id === '' ? null : { id, secret: secret === '' ? null : secret };
}

// Both parts are form-encoded before they are joined.
function fromBasic(authorization: string): Credentials | null {
  const [, encoded = ''] = /^\s*basic\s+(\S{1,4096})\s*$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon <= 0) return null;
  const secret = decode(text.slice(colon + 1));
  return { id: decode(text.slice(0, colon)), secret: secret === '' ? null : secret };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}
