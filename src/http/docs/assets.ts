import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { START_SCRIPT } from './start-script.ts';

/** A part of the reference page. Its name changes with its content, so browsers may cache it forever. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/** The page, and its parts by name. */
export interface Reference {
  readonly page: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

/** Reads and compresses the viewer. Call it once, on the first request. */
export async function loadReference(): Promise<Reference> {
  const [style, viewer, start] = await Promise.all([
    asset('text/css', packaged(import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css'))),
    asset(
      'text/javascript',
      packaged(import.meta.resolve('@fastify/swagger-ui/static/swagger-ui-bundle.js')),
    ),
    asset('text/javascript', Promise.resolve(Buffer.from(START_SCRIPT))),
  ]);
  const named = {
    style: assetName('viewer', 'css', style),
    viewer: assetName('viewer', 'js', viewer),
    start: assetName('start', 'js', start),
  };
  return {
    page: pageWith(named),
    assets: new Map([
      [named.style, style],
      [named.viewer, viewer],
      [named.start, start],
    ]),
  };
}

function packaged(url: string): Promise<Buffer> {
  return readFile(new URL(url));
}

const compress = promisify(gzip);

async function asset(type: string, content: Promise<Buffer>): Promise<Asset> {
  const bytes = await content;
  return { type: `${type}; charset=utf-8`, bytes, gzipped: await compress(bytes) };
}

function assetName(stem: string, extension: string, { bytes }: Asset): string {
  return `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${extension}`;
}

function pageWith(names: {
  readonly style: string;
  readonly viewer: string;
  readonly start: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/${names.style}">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript; <a href="/api/openapi.json">its data</a> does not.</noscript>
<script src="/docs/${names.viewer}"></script>
<script src="/docs/${names.start}"></script>
</body>
</html>
`;
}
