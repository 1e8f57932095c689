import { type Query, type Request, send } from './wire.ts';

type Options = Pick<Request, 'signal' | 'headers' | 'isSignIn'>;

/** A method that only reads: `GET /api/method/<name>`, what it answers as `message`. */
export async function readMethod<T>(name: string, args: Query = {}, options: Options = {}): Promise<T> {
  const { body } = await send('GET', methodPath(name), { ...options, query: args });
  return messageOf<T>(body);
}

/** A method that changes something, or takes more than an address holds: `POST /api/method/<name>`. */
export async function callMethod<T>(name: string, args: Query = {}, options: Options = {}): Promise<T> {
  const { body } = await send('POST', methodPath(name), { ...options, body: args });
  return messageOf<T>(body);
}

/** The whole reply of a method, for the few that answer beside `message`. */
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
