import type { Address } from './address/address.ts';
import * as admin from './admin/addresses.ts';
import * as docs from './docs/addresses.ts';
import { DESCRIBED_DOCUMENT_ROUTES } from './documents/described-addresses.ts';
import * as exports from './documents/export-addresses.ts';
import * as files from './files/addresses.ts';
import * as methods from './methods/addresses.ts';
import * as oauth from './oauth/addresses.ts';
import * as print from './print/addresses.ts';
import * as service from './service/addresses.ts';
import * as signIn from './sign-in/addresses.ts';

const SUBJECTS = [exports, methods, service, files, oauth, signIn, print, docs, admin];

/**
 * Every address of the server: those of documents, and all that the subjects export. Routes, the scope of
 * keys, rate limits and admission, OpenAPI, docs/wire.md, and the walks over all routes are derived from
 * these declarations.
 */
export const ADDRESSES: readonly Address[] = [
  ...DESCRIBED_DOCUMENT_ROUTES,
  ...SUBJECTS.flatMap((subject) => Object.values<Address>(subject)),
];
