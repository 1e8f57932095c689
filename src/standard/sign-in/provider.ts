import { loadSecret } from '../../access/secret.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Controller, Site } from '../../document/contract.ts';
import { textOf } from '../../document/document.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

/** An OpenID Connect provider for sign-in: an enabled `Social Login Key`. */
export interface SignInProvider {
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without a secret. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  /** Creates accounts for unknown users. */
  readonly allowsSignUps: boolean;
  /** Differs after every change. */
  readonly version: string;
}

/** The enabled provider with this name. @throws ServiceError DoesNotExistError */
export async function requireProvider(site: Site, name: string): Promise<SignInProvider> {
  const { reader } = site.database;
  const row = name.includes('\0')
    ? undefined
    : await reader.get(
        sql`select * from "Social Login Key" where "name" = ${name} and "enable_social_login" = 1`,
      );
  if (!row) throw new ServiceError('DoesNotExistError', 'There is no such sign-in provider');
  const found = String(row['name']);
  return {
    name: found,
    label: String(row['provider_name']),
    issuer: String(row['base_url']),
    clientId: String(row['client_id']),
    clientSecret: await loadSecret(site, reader, 'Social Login Key', found, 'client_secret'),
    scopes: String(row['scopes'] ?? 'openid email profile'),
    allowsSignUps: row['sign_ups'] === 'Allow',
    version: String(row['modified']),
  };
}

/** Names and labels of the enabled providers, for the sign-in page. */
export async function listProviders(connection: Connection): Promise<{ name: string; label: string }[]> {
  const rows = await connection.all(sql`
    select "name", "provider_name" from "Social Login Key" where "enable_social_login" = 1
    order by "provider_name", "name" limit 50`);
  return rows.map((row) => ({ name: String(row['name']), label: String(row['provider_name']) }));
}

/** The controller of Social Login Key. */
export const providerController: Controller = {
  autoname(doc) {
    // The name is part of URLs and of requests to the provider.
    doc.name = textOf(doc, 'provider_name')
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_');
  },
  beforeValidate(doc) {
    doc['base_url'] = textOf(doc, 'base_url').trim();
    const scopes = new Set(textOf(doc, 'scopes').split(/\s+/).filter(Boolean));
    doc['scopes'] = ['openid', ...scopes].filter((word, at, all) => all.indexOf(word) === at).join(' ');
  },
  validate(doc) {
    const problem = issuerProblem(textOf(doc, 'base_url'));
    if (problem) throw new ServiceError('ValidationError', `Base URL ${problem}`);
    if (!/^[a-z0-9_]{1,60}$/.test(doc.name)) {
      throw new ServiceError('ValidationError', 'Provider Name must have 1 to 60 letters or digits');
    }
  },
};

function issuerProblem(text: string): string | null {
  if (text.length > LIMITS.oauthUriLength) return 'is too long';
  const url = URL.parse(text);
  if (!url) return 'is no address';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'must be without credentials, query and fragment';
  }
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
    ? null
    : 'must be https:, unless it is on this machine';
}
