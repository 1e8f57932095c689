import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The location of stored files. */
export type FilesPlace = { readonly kind: 'disk'; readonly root: string } | S3Place;

/** A bucket, or a prefix in a bucket, for one site alone. */
export interface S3Place {
  readonly kind: 's3';
  readonly bucket: string;
  /** The prefix of every key: empty, or ending with a slash. */
  readonly prefix: string;
  /** Null: Amazon's endpoint of the region. */
  readonly endpoint: string | null;
  /** Null: `AWS_REGION`, or `us-east-1` with an explicit endpoint. */
  readonly region: string | null;
  /** The bucket is part of the request's path and not of the host name. */
  readonly pathStyle: boolean;
  /** Null: the environment's credentials (`AWS_ACCESS_KEY_ID`, profiles, roles of the machine). */
  readonly credentials: { readonly key: string; readonly secret: string } | null;
  /** How long to wait for an answer, and for more of it, in milliseconds. Null: the limits of the storage. */
  readonly timeout: number | null;
}

const OPTIONS = ['endpoint', 'region', 'path-style', 'timeout'];
/** The longest `timeout`, in seconds. */
const MOST_SECONDS = 3_600;

/**
 * Parses a path, a `file:` URL, or `s3://[key:secret@]bucket[/prefix][?endpoint=…&region=…&path-style=1&timeout=10]`.
 * Resolves relative paths against `cwd`. Throws an Error that states the expected value.
 */
export function parseFilesPlace(text: string, cwd: string): FilesPlace {
  if (text.startsWith('file:')) return { kind: 'disk', root: fileURLToPath(text) };
  if (text.startsWith('s3:')) return parseS3(text);
  if (/^[a-z0-9+.-]{2,}:\/\//i.test(text)) {
    throw new Error('must be a path, a file: URL or s3://bucket/prefix');
  }
  return { kind: 'disk', root: resolve(cwd, text) };
}

function parseS3(text: string): S3Place {
  const url = URL.parse(text);
  if (!url || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname) || url.port || url.hash) {
    throw new Error('must name a bucket: s3://bucket/prefix');
  }
  for (const name of url.searchParams.keys()) {
    if (!OPTIONS.includes(name))
      throw new Error(`has the unknown option ${name}; the options are ${OPTIONS.join(', ')}`);
  }
  const path = decodeURIComponent(url.pathname).replace(/^\/+|(?<!\/)\/+$/g, '');
  if (path !== '' && !/^[\w!.*'()-]+(?:\/[\w!.*'()-]+)*$/.test(path)) {
    throw new Error('must have a prefix of letters, digits and - _ . between slashes');
  }
  const endpoint = url.searchParams.get('endpoint');
  const parsed = endpoint === null ? null : URL.parse(endpoint);
  if (
    endpoint !== null &&
    (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search || parsed.username)
  ) {
    throw new Error('must have an endpoint such as https://s3.example.com');
  }
  if ((url.username === '') !== (url.password === ''))
    throw new Error('must have a key and a secret, or none');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    endpoint,
    region: url.searchParams.get('region') || null,
    pathStyle: pathStyle(url.searchParams.get('path-style')) ?? endpoint !== null,
    credentials:
      url.username === ''
        ? null
        : { key: decodeURIComponent(url.username), secret: decodeURIComponent(url.password) },
    timeout: timeoutOf(url.searchParams.get('timeout')),
  };
}

function pathStyle(value: string | null): boolean | undefined {
  if (value === null) return undefined;
  if (value !== '0' && value !== '1') throw new Error('must have path-style=0 or path-style=1');
  return value === '1';
}

function timeoutOf(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d{1,4}(?:\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (seconds === 0 || seconds > MOST_SECONDS) {
    throw new Error(`must have a timeout in seconds, up to ${MOST_SECONDS}: timeout=30`);
  }
  return seconds * 1000;
}
