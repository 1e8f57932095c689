import type { Scratch } from '../input/scratch.ts';
import type { SiteConfig } from '../input/site-config.ts';
import { type Fernet, fernet } from '../secrets/fernet.ts';

/** Passwords and secrets of a source. */
export interface SourceSecrets {
  /** The clear text of a Password field; null when there is none, `sealed` when the key does not open it. */
  secret(doctype: string, name: string, fieldname: string): string | null | typeof SEALED;
  /** The hash of a user's password. */
  hash(user: string): string | null;
}

export const SEALED = Symbol('a secret that the key does not open');

/** Reads `__Auth`, where Frappe keeps hashes of passwords and encrypted secrets. */
export function sourceSecrets(scratch: Scratch, { encryptionKey }: SiteConfig): SourceSecrets {
  const box: Fernet | null = encryptionKey === null ? null : fernet(encryptionKey);
  const read = (doctype: string, name: string, fieldname: string, encrypted: '0' | '1') => {
    if (!scratch.tables.has('__Auth')) return null;
    const row = scratch.get(
      'select "password" from "__Auth" where "doctype" = ? and "name" = ? and "fieldname" = ? and cast("encrypted" as text) = ?',
      doctype,
      name,
      fieldname,
      encrypted,
    );
    return typeof row?.['password'] === 'string' && row['password'] !== '' ? row['password'] : null;
  };
  return {
    secret(doctype, name, fieldname) {
      const token = read(doctype, name, fieldname, '1');
      return token === null ? null : (box?.open(token) ?? SEALED);
    },
    hash: (user) => read('User', user, 'password', '0'),
  };
}
