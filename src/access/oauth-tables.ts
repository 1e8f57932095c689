import type { Dialect } from '../db/dialect.ts';
import type { Sql, Statement } from '../db/sql.ts';
import { integer, text } from '../db/table-spec.ts';

/**
 * Grants of users to clients, and identities of users at providers. Codes and tokens are stored as digests;
 * times are milliseconds since the epoch.
 */
export function oauthTables(dialect: Dialect): readonly (Sql | Statement)[] {
  const grant = {
    name: '_oauth_grant',
    primaryKey: 'id',
    columns: [
      ...['id', 'client', 'user', 'scope', 'redirect_uri', 'challenge'].map(text),
      text('code_digest'),
      integer('code_used'),
      text('access_digest'),
      integer('access_expires_at'),
      text('refresh_digest'),
      integer('created_at'),
      integer('expires_at'),
    ],
    indexes: [
      { name: '_ix_oauth_grant_code', columns: ['code_digest'], unique: true },
      { name: '_ix_oauth_grant_access', columns: ['access_digest'], unique: true },
      { name: '_ix_oauth_grant_user', columns: ['user'], unique: false },
      { name: '_ix_oauth_grant_client', columns: ['client'], unique: false },
    ],
  };
  // The key is a digest of issuer and subject.
  const identity = {
    name: '_identity',
    primaryKey: 'key',
    columns: [...['key', 'issuer', 'subject', 'user'].map(text), integer('created_at')],
    indexes: [{ name: '_ix_identity_user', columns: ['user'], unique: false }],
  };
  return [grant, identity].flatMap((spec) => dialect.changeSql({ change: 'create_table', table: spec }));
}
