import type { Address } from './address.ts';
import { APP, APP_PART, DESK, DESK_PART } from './admin/addresses.ts';
import { DOCS, DOCS_ASSET, OPENAPI } from './docs/addresses.ts';
import { DESCRIBED_DOCUMENT_ROUTES } from './documents/described-addresses.ts';
import * as files from './files/addresses.ts';
import { TUS, TUS_UPLOAD } from './files/tus-addresses.ts';
import { COMMAND, METHOD, METHOD_AND_MORE, METHOD_V2, SEARCH_V2 } from './methods/addresses.ts';
import * as oauth from './oauth/addresses.ts';
import { EVENTS, HEALTH, METRICS, READY } from './service/addresses.ts';
import { LOGIN, SIGN_IN_CALLBACK, SIGN_IN_START, UPDATE_PASSWORD } from './sign-in/addresses.ts';

/**
 * Every address of the server. Routes, the scope of keys, rate limits and admission, OpenAPI, docs/wire.md,
 * and the walks over all routes are derived from these declarations.
 */
export const ADDRESSES: readonly Address[] = [
  ...DESCRIBED_DOCUMENT_ROUTES,
  METHOD,
  METHOD_AND_MORE,
  METHOD_V2,
  SEARCH_V2,
  COMMAND,
  EVENTS,
  ...Object.values(files),
  TUS,
  TUS_UPLOAD,
  ...Object.values(oauth),
  LOGIN,
  UPDATE_PASSWORD,
  SIGN_IN_START,
  SIGN_IN_CALLBACK,
  HEALTH,
  READY,
  METRICS,
  OPENAPI,
  DOCS,
  DOCS_ASSET,
  APP,
  APP_PART,
  DESK,
  DESK_PART,
];
