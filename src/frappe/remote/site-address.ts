import { ServiceError } from '../../kernel/errors.ts';

/** Whether the source of an import is the address of a site, and not a file. */
export function isSiteAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/**
 * The origin of a site from its address, such as `https://erp.example.com`. A path is ignored, because people copy
 * addresses from a browser (`…/app/customer`).
 * @throws ServiceError ValidationError for another scheme, for credentials in it, and for plain HTTP to another
 * machine unless `isPlainAllowed`: the key would cross the network in the clear
 */
export function siteOrigin(text: string, isPlainAllowed: boolean): string {
  if (!URL.canParse(text)) throw refused(`${text} is not an address such as https://erp.example.com`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw refused('The address must not contain credentials: put the API key into a file (--key-file)');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refused(`${url.protocol}// is not supported: the address begins with https://`);
  }
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isHere && !isPlainAllowed) {
    throw refused(
      `${url.origin} is plain HTTP: others in the network could read the API key. Use https://, or add --plain-http`,
    );
  }
  return url.origin;
}

/**
 * The credentials in a key file: `key:secret`, with or without the word `token` before them.
 * @throws ServiceError ValidationError for any other text
 */
export function parseSiteKey(text: string): string {
  const found = /^(?:token\s+)?([\w-]{1,140}:[\w-]{1,140})$/i.exec(text.trim())?.[1];
  if (found === undefined) throw refused('The API key must be one line of the form key:secret');
  return found;
}

function refused(why: string): ServiceError {
  return new ServiceError('ValidationError', why);
}
