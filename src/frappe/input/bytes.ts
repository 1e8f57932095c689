import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../kernel/errors.ts';
import { decrypt } from './decrypt.ts';

const CHUNK = 128 * 1024;
const BEGINNING = 4_096;

/** The passphrase of an encrypted backup; null when none was given. */
export type Passphrase = string | null;

/**
 * The bytes of a file of a backup, decrypted by gpg and unpacked by gzip where they are encrypted and packed.
 * Frappe appends the dump to a packed line of its own, so there may be several packed parts.
 */
export async function* clearBytes(path: string, passphrase: Passphrase): AsyncGenerator<Buffer> {
  const stored = await peek(fileBytes(path));
  const clear = isEncrypted(stored.first) ? await peek(decrypted(path, passphrase)) : stored;
  if (clear !== stored) await stored.all.return(undefined);
  yield* isPacked(clear.first) ? unpacked(path, clear.all) : clear.all;
}

/** The first bytes of a file, decrypted and unpacked: 4 kB, if it has as many. */
export async function clearBeginning(path: string, passphrase: Passphrase): Promise<Buffer> {
  let beginning = Buffer.alloc(0);
  for await (const chunk of clearBytes(path, passphrase)) {
    beginning = Buffer.concat([beginning, chunk]);
    if (beginning.length >= BEGINNING) break;
  }
  return beginning;
}

/** The first bytes of a file as they are stored. */
export async function storedBeginning(path: string): Promise<Buffer> {
  // Leaving the loop closes the file.
  for await (const chunk of fileBytes(path)) return chunk;
  return Buffer.alloc(0);
}

async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) yield chunk;
  } catch (error) {
    throw new ServiceError('ValidationError', `${path} cannot be read: ${messageOf(error)}`);
  }
}

async function* decrypted(path: string, passphrase: Passphrase): AsyncGenerator<Buffer> {
  if (passphrase === null) {
    const advice = 'name the file with its passphrase: --passphrase-file';
    throw new ServiceError('ValidationError', `${path} is encrypted by gpg; ${advice}`);
  }
  yield* decrypt(path, passphrase);
}

async function* unpacked(path: string, bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK });
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: CHUNK });
  pipeline(source, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('ValidationError', `${path} is damaged: ${messageOf(error)}`);
  }
}

interface Peeked {
  readonly first: Buffer;
  /** All bytes, the first ones too. */
  readonly all: AsyncGenerator<Buffer>;
}

async function peek(bytes: AsyncGenerator<Buffer>): Promise<Peeked> {
  const { value } = await bytes.next();
  const first: Buffer = value ?? Buffer.alloc(0);
  return { first, all: prepended(first, bytes) };
}

async function* prepended(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function isPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The packets that a message encrypted with a passphrase begins with, and the armoured form. */
function isEncrypted(bytes: Buffer): boolean {
  return (
    bytes[0] === 0x8c || bytes[0] === 0xc3 || bytes.subarray(0, 14).toString('latin1') === '-----BEGIN PGP'
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
