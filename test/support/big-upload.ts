import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fetch } from 'undici';

const PIECE = 64 * 1024;
const FILLING = randomBytes(PIECE);
const BOUNDARY = 'boundary-of-a-big-upload';

/** Bytes that no other upload has, without holding them. */
export function* content(bytes: number): Generator<Buffer> {
  const unique = randomBytes(Math.min(16, bytes));
  yield unique;
  for (let left = bytes - unique.length; left > 0; left -= PIECE) yield FILLING.subarray(0, left);
}

/** The same as the one file of a form. */
export function* formOf(bytes: number, fields: Readonly<Record<string, string>> = {}): Generator<Buffer> {
  for (const [name, value] of Object.entries(fields)) {
    yield Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  }
  yield Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="big.bin"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  );
  yield* content(bytes);
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
}

/** POSTs what pieces make, as they are made. Resolves to the reply's text, which must be a success. */
export async function post(url: string, authorization: string, body: Iterable<Buffer>): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Readable.from(body),
    duplex: 'half',
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return text;
}

/** Reads a whole reply and keeps nothing of it. Resolves to its bytes. */
export async function drain(url: string, authorization: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization } });
  if (response.status !== 200 || !response.body) throw new Error(`${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}

/** Resident memory of a process, bytes; null where the system does not say. */
export function residentBytes(pid: number): number | null {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return null;
  }
}

/** Runs `work` and resolves to the most memory that the process had meanwhile beyond what it had before, bytes. */
export async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentBytes(pid) ?? 0;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid) ?? 0);
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, residentBytes(pid) ?? 0) - before;
}
