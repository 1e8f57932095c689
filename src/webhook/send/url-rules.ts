import { LIMITS } from '../../kernel/limits.ts';

/**
 * The reason why a text cannot be a receiver's address; null when it can. The guard decides whether it may be
 * reached.
 */
export function urlProblem(text: string): string | null {
  if (text.length > LIMITS.webhookUrlLength) return 'it is too long';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.hostname === '' || !/^https?:$/.test(url.protocol)) {
    return 'it must be an http: or https: address with a host';
  }
  if (url.username !== '' || url.password !== '') return 'credentials belong in a header, not in the URL';
  return null;
}
