import { type KeyScope, keyScope } from './key-scope.ts';

const WHO = 'See who you are: your name, address, picture and roles';

/** What clients may ask for, in the words that users are asked in. */
export const OAUTH_SCOPES: ReadonlyMap<string, string> = new Map([
  ['all', 'Read and change everything that you may read and change'],
  ['read', 'Read everything that you may read'],
  ['openid', WHO],
  ['profile', WHO],
  ['email', WHO],
]);

/** The method that tells who a token's user is: the only one for tokens without `all` and `read`. */
export const PROFILE_METHOD = 'frappe.integrations.oauth2.openid_profile';

const EVERYTHING = keyScope(false, [], []);
const READING = keyScope(true, [], []);
const IDENTITY = keyScope(true, [], [PROFILE_METHOD]);

/** The words of a scope, each once. */
export function scopeWords(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];
}

/** What an access token leaves of its user's rights. Never null: with no token are keys made or passwords changed. */
export function tokenScope(scope: string): KeyScope {
  const words = scope.split(' ');
  if (words.includes('all')) return EVERYTHING;
  return words.includes('read') ? READING : IDENTITY;
}
