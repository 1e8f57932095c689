/**
 * `chancery/client`: what application code imports, in browsers and in Node. Needs nothing but `fetch` and
 * Web Crypto.
 */

export type { CallOptions, ChangeOptions, Client } from './client/client.ts';
export { createClient } from './client/client.ts';
export { ChanceryError, isChanceryError } from './client/errors.ts';
export type { BeginEvent, ChangeEvent, ClientEvent, Listening } from './client/events.ts';
export type { ClientOptions, RequestOptions } from './client/transport.ts';
export type {
  ArgumentsOf,
  Changes,
  Creation,
  DocTypeMap,
  DocTypeName,
  Filter,
  Filters,
  ListOptions,
  MethodMap,
  Order,
  Received,
  Row,
  ScalarField,
  Selection,
} from './client/types.ts';
export type { Upload, UploadedFile } from './client/upload.ts';
export type { ReceivedWebhook, WebhookEvent } from './client/verify.ts';
export { verify, WebhookVerificationError } from './client/verify.ts';
