import { digestSecret } from '../access/digest.ts';
import { endGrantsTo } from '../access/oauth-grant.ts';
import { OAUTH_SCOPES, scopeWords } from '../access/oauth-scope.ts';
import { PASSWORD_MASK } from '../access/secret.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Controller } from '../document/contract.ts';
import { textOf } from '../document/document.ts';
import { defineMethod } from '../document/verbs/method.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Random } from '../kernel/random.ts';

/** An enabled program that users may authorise to act for them. */
export interface OAuthClient {
  /** Its `client_id`. */
  readonly id: string;
  readonly appName: string;
  /** A public client has no secret. */
  readonly isPublic: boolean;
  /** Skips the consent page. Never true for a public client. */
  readonly skipsConsent: boolean;
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
}

/** The client with this id; null when it is missing or disabled. */
export async function findOAuthClient(connection: Connection, id: string): Promise<OAuthClient | null> {
  if (id.includes('\0')) return null;
  const row = await connection.get(sql`select * from "OAuth Client" where "name" = ${id} and "enabled" = 1`);
  if (!row) return null;
  const isPublic = row['token_endpoint_auth_method'] === 'None';
  return {
    id: String(row['name']),
    appName: String(row['app_name']),
    isPublic,
    skipsConsent: !isPublic && row['skip_authorization'] === 1,
    scopes: scopeWords(String(row['scopes'] ?? '')),
    redirectUris: urisOf(row['redirect_uris'], row['default_redirect_uri']),
  };
}

/**
 * The controller of OAuth Client. Creation makes the secret and shows it once, in that reply. Only its digest
 * is stored, encrypted like every password.
 */
export function oauthClientController(): Controller {
  const shown = new WeakMap<Document, string>();
  return {
    beforeInsert(doc, ctx) {
      const secret = isPublic(doc) ? null : newClientSecret(ctx.site.random);
      doc['client_secret'] = secret === null ? null : digestSecret(secret);
      if (secret !== null) shown.set(doc, secret);
    },
    beforeValidate(doc, ctx, change) {
      // Users cannot choose a secret. `regenerate_secret` acts as the system.
      if (change.before && !ctx.system && !isPublic(doc)) doc['client_secret'] = PASSWORD_MASK;
      doc['scopes'] = scopeWords(textOf(doc, 'scopes')).join(' ');
    },
    validate(doc) {
      doc['client_id'] = doc.name;
      const problems = problemsOf(doc);
      const [first] = problems;
      if (first !== undefined) throw new ServiceError('ValidationError', first, { messages: problems });
    },
    afterInsert(doc) {
      doc['client_secret'] = shown.get(doc) ?? null;
    },
    async onUpdate(doc, ctx) {
      if (doc['enabled'] !== 1) await endGrantsTo(ctx.db, doc.name);
    },
    onTrash: (doc, ctx) => endGrantsTo(ctx.db, doc.name),
  };
}

/** `chancery.oauth.regenerate_secret {client}`: replaces a client's secret and shows the new one once. */
export const regenerateClientSecret = defineMethod({
  confidential: true,
  description: 'Create a new secret for an OAuth client; it is shown once',
  args: { client: { type: 'Data', required: true, description: 'Name of an OAuth Client' } },
  async run(ctx, { client }) {
    const secret = newClientSecret(ctx.site.random);
    const doc = await updateDocument(ctx, 'OAuth Client', client, {});
    if (isPublic(doc)) throw new ServiceError('ValidationError', `OAuth Client ${client} has no secret`);
    const system = { ...ctx, system: true } as const;
    await updateDocument(system, 'OAuth Client', client, { client_secret: digestSecret(secret) });
    return { client_id: client, client_secret: secret };
  },
});

function newClientSecret(random: Random): string {
  return random.bytes(32).toString('base64url');
}

function isPublic(doc: Document): boolean {
  return doc['token_endpoint_auth_method'] === 'None';
}

function problemsOf(doc: Document): string[] {
  const problems: string[] = [];
  const unknown = scopeWords(textOf(doc, 'scopes')).filter((word) => !OAUTH_SCOPES.has(word));
  if (unknown.length > 0)
    problems.push(`Scopes: there is no ${unknown.slice(0, 10).join(', ').slice(0, 500)}`);
  if (isPublic(doc) && doc['skip_authorization'] === 1) {
    problems.push('Skip Authorization: a client without a secret always needs the consent of the user');
  }
  const uris = urisOf(doc['redirect_uris'], doc['default_redirect_uri']);
  if (uris.length > LIMITS.oauthRedirectUris) {
    problems.push(`Redirect URIs: at most ${LIMITS.oauthRedirectUris} are allowed`);
  }
  for (const uri of uris.slice(0, LIMITS.oauthRedirectUris)) {
    const problem = redirectProblem(uri);
    if (problem) problems.push(`Redirect URI ${uri.slice(0, 200)} ${problem}`);
  }
  return problems;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

// Anyone could read a code sent in clear text, or to a program that registered a common scheme.
function redirectProblem(uri: string): string | null {
  if (uri.length > LIMITS.oauthUriLength) return 'is too long';
  const url = /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (!url) return 'is no address';
  if (uri.includes('#')) return 'must have no fragment';
  if (uri.includes('*') || uri.includes('\\')) return 'must not contain * or a backslash';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:') {
    return LOOPBACK.has(url.hostname) ? null : 'must be https:, unless it is on this machine';
  }
  return url.protocol.includes('.') ? null : 'must be https:, or of a scheme such as com.example.app:';
}

function urisOf(listed: unknown, first: unknown): string[] {
  const words = [first, listed].flatMap((text) => (typeof text === 'string' ? text.split(/\s+/) : []));
  return [...new Set(words.filter((word) => word !== ''))];
}
