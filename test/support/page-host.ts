import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from 'playwright-core';
import { inTheEnd } from './until.ts';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

/** Where the pages of `addClientPage` and `startPageHost` are. */
export const PAGE = '/a-page-of-an-application';

const EMPTY_PAGE =
  '<!doctype html><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,"><body>';

/**
 * Adds a page to a server's origin, with `chancery/client` beside it as modules at `/client.ts`: what a proxy that also
 * serves an application's own files does. Every other request goes to the server itself.
 */
export async function addClientPage(context: BrowserContext, origin: string): Promise<void> {
  await context.route(`${origin}${PAGE}`, (route) =>
    route.fulfill({ contentType: 'text/html', body: EMPTY_PAGE }),
  );
  await context.route(/\/client(\/[a-z]+)?\.ts$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: clientModule(new URL(route.request().url()).pathname),
    }),
  );
}

// As the build makes them: without types, one module per file.
function clientModule(path: string): string {
  return stripTypeScriptTypes(readFileSync(SOURCE + path.slice(1), 'utf8'));
}

/** A server of somebody else: an empty page at `PAGE`, the client's modules, and nothing more. */
export interface PageHost {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startPageHost(): Promise<PageHost> {
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    const isModule = /^\/client(\/[a-z]+)?\.ts$/.test(path);
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? clientModule(path) : EMPTY_PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      inTheEnd(() => new Promise((resolve) => server.close(() => resolve())), 'the end of the page host'),
  };
}
