import { keyScope } from './key-scope.ts';
import type { KeyScope } from './user.ts';

const WHO = 'See who you are: your name, address, picture and roles';

/** The scopes that clients may request, with the text of the consent page. */
export const OAUTH_SCOPES: ReadonlyMap<string, string> = new Map([
  ['all', 'Read and change everything that you may read and change'],
  ['read', 'Read everything that you may read'],
  ['openid', WHO],
  ['profile', WHO],
  ['email', WHO],
]);

/** The method that returns a token's user. Tokens without `all` and `read` may call no other. */
export const PROFILE_METHOD = 'frappe.integrations.oauth2.openid_profile';

const EVERYTHING = keyScope(false, [], []);
const READING = keyScope(true, [], []);
const IDENTITY = keyScope(true, [], [PROFILE_METHOD]);

/** The distinct words of a scope. */
export function scopeWords(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];
}

/** The key scope of an access token. Never null: no token may make keys or change passwords. */
export function tokenScope(scope: string): KeyScope {
  const words = scope.split(' ');
  if (words.includes('all')) return EVERYTHING;
  return words.includes('read') ? READING : IDENTITY;
}
