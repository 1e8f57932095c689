import { type ApiCall, addressIn } from '../../base/api-call.ts';
import { currentCsrfToken } from '../../data/session.ts';

/** What the server replied. */
export interface Tried {
  readonly status: number;
  readonly statusText: string;
  readonly millis: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON with line breaks, or the text. */
  readonly body: string;
  readonly isCut: boolean;
}

/** The most characters of a reply that are displayed. */
const MOST = 50_000;

/**
 * Sends a call as it is shown: with the session of this page, or with a key in its place. The key goes into
 * one header and is kept nowhere.
 */
export async function tryCall(call: ApiCall, key: string | null): Promise<Tried> {
  const begun = performance.now();
  const reply = await fetch(addressIn(call), {
    method: call.verb,
    credentials: key === null ? 'same-origin' : 'omit',
    headers: {
      accept: 'application/json',
      ...(call.body === '' ? {} : { 'content-type': 'application/json' }),
      ...(key === null
        ? call.verb === 'GET'
          ? {}
          : { 'x-frappe-csrf-token': currentCsrfToken() }
        : { authorization: `token ${key}` }),
    },
    ...(call.body === '' ? {} : { body: call.body }),
  });
  const text = laidOut(await reply.text());
  return {
    status: reply.status,
    statusText: reply.statusText,
    millis: Math.round(performance.now() - begun),
    headers: Object.fromEntries(reply.headers),
    body: text.slice(0, MOST),
    isCut: text.length > MOST,
  };
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
