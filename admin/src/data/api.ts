import { type Query, type Request, send } from './wire.ts';

type Options = Pick<Request, 'signal' | 'headers' | 'isSignIn' | 'keepalive'>;

/** Calls a read-only method: `GET /api/method/<name>`. Returns `message`. */
export async function readMethod<T>(name: string, args: Query = {}, options: Options = {}): Promise<T> {
  const { body } = await send('GET', methodPath(name), { ...options, query: args });
  return messageOf<T>(body);
}

/** Calls a method that writes, or whose arguments are too long for an address: `POST /api/method/<name>`. */
export async function callMethod<T>(name: string, args: Query = {}, options: Options = {}): Promise<T> {
  const { body } = await send('POST', methodPath(name), { ...options, body: args });
  return messageOf<T>(body);
}

/** Calls a method and returns the whole reply, for the few methods that put data beside `message`. */
export async function callMethodWhole<T>(name: string, args: Query = {}, options: Options = {}): Promise<T> {
  const { body } = await send('POST', methodPath(name), { ...options, body: args });
  return body as T;
}

/** The path of `/api/method/<name>`. */
export function methodPath(name: string): string {
  return `/api/method/${encodeURIComponent(name)}`;
}

function messageOf<T>(body: unknown): T {
  return (body as { message: T }).message;
}
