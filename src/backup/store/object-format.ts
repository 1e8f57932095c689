import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdDecompress } from 'node:zlib';
import { DamagedBackup } from './damaged-backup.ts';

// An object is a header and frames of at most 1 MiB:
//
//   "CHB1", flags (1: encrypted), when encrypted a salt of 16 bytes
//   per frame: 4 bytes (bit 31: the last frame, bit 30: compressed, the rest: the length of the payload),
//              the payload, and its tag (AES-256-GCM, 16 bytes) or checksum (CRC-32, 4 bytes)
//
// Each object has a key of its own, derived from the backup key, its salt and its name, so that a counter is a
// safe nonce, and one object cannot take the place of another. The counter and the bit of the last frame are
// authenticated: frames cannot be exchanged, repeated or cut off.
const MAGIC = Buffer.from('CHB1');
const ENCRYPTED = 1;
const SALT_BYTES = 16;
const FRAME_BYTES = 1024 * 1024;
const LAST = 0x8000_0000;
const COMPRESSED = 0x4000_0000;
const LENGTH = 0x3fff_ffff;
const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
const SUM_BYTES = 4;

/** Twice as fast as the default, and a tenth larger. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const compress = promisify<Buffer, typeof FAST, Buffer>(zstdCompress);
const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress);

/** The bytes of an object for plain bytes. `key` is the backup key; null writes it without encryption. */
export async function* encodeObject(
  name: string,
  plain: AsyncIterable<Buffer> | Iterable<Buffer>,
  key: Buffer | null,
): AsyncGenerator<Buffer> {
  const salt = key ? randomBytes(SALT_BYTES) : Buffer.alloc(0);
  const header = Buffer.concat([MAGIC, Buffer.from([key ? ENCRYPTED : 0]), salt]);
  yield header;
  const guard = key ? sealing(key, salt, name) : summing();
  let number = 0;
  for await (const { bytes, isLast } of frames(plain)) {
    const packed = await compress(bytes, FAST);
    const isSmaller = packed.length < bytes.length;
    const payload = isSmaller ? packed : bytes;
    const head = Buffer.alloc(4);
    head.writeUInt32BE((isLast ? LAST : 0) + (isSmaller ? COMPRESSED : 0) + payload.length);
    yield Buffer.concat([head, guard.protect(number, head, payload)]);
    number += 1;
  }
}

/**
 * The plain bytes of an object, each frame once it is verified.
 * @throws DamagedBackup for other bytes than were written
 */
export async function* decodeObject(
  name: string,
  stored: AsyncIterable<Buffer>,
  key: Buffer | null,
): AsyncGenerator<Buffer> {
  const damaged = (why: string) => new DamagedBackup(name, why);
  const input = reader(stored, () => damaged('it ends too early'));
  try {
    if (!(await input.read(MAGIC.length)).equals(MAGIC)) throw damaged('it is no object of a backup');
    const isEncrypted = (await input.read(1)).readUInt8() === ENCRYPTED;
    if (isEncrypted !== (key !== null)) throw damaged(`it is ${isEncrypted ? '' : 'not '}encrypted`);
    const guard = key ? sealing(key, await input.read(SALT_BYTES), name) : summing();
    for (let number = 0, isLast = false; !isLast; number += 1) {
      const head = await input.read(4);
      const bits = head.readUInt32BE();
      isLast = bits >= LAST;
      const length = bits & LENGTH;
      if (length > FRAME_BYTES) throw damaged(`frame ${number} is too long`);
      const sealed = await input.read(length + guard.bytes);
      yield await unpack(guard, number, head, sealed).catch(() => {
        throw damaged(`frame ${number} was changed`);
      });
    }
    if (!(await input.isAtEnd())) throw damaged('it has more bytes than were written');
  } finally {
    await input.close();
  }
}

async function unpack(guard: Guard, number: number, head: Buffer, sealed: Buffer): Promise<Buffer> {
  const payload = guard.reveal(number, head, sealed);
  const isPacked = (head.readUInt32BE() & COMPRESSED) !== 0;
  return isPacked ? decompress(payload, { maxOutputLength: FRAME_BYTES }) : payload;
}

/** Protects payloads of frames. */
interface Guard {
  /** Bytes that it adds. */
  readonly bytes: number;
  protect(number: number, head: Buffer, payload: Buffer): Buffer;
  /** @throws Error for other bytes than `protect` returned */
  reveal(number: number, head: Buffer, sealed: Buffer): Buffer;
}

function sealing(key: Buffer, salt: Buffer, name: string): Guard {
  const objectKey = Buffer.from(hkdfSync('sha256', key, salt, `chancery backup object ${name}`, 32));
  return {
    bytes: TAG_BYTES,
    protect(number, head, payload) {
      const cipher = createCipheriv(CIPHER, objectKey, nonceOf(number)).setAAD(head);
      return Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
    },
    reveal(number, head, sealed) {
      const cipher = createDecipheriv(CIPHER, objectKey, nonceOf(number), { authTagLength: TAG_BYTES });
      cipher.setAAD(head).setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()]);
    },
  };
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 8);
  return nonce;
}

function summing(): Guard {
  const sumOf = (number: number, head: Buffer, payload: Buffer) => {
    const sum = Buffer.alloc(SUM_BYTES);
    sum.writeUInt32BE(crc32(payload, crc32(head, crc32(nonceOf(number)))));
    return sum;
  };
  return {
    bytes: SUM_BYTES,
    protect: (number, head, payload) => Buffer.concat([payload, sumOf(number, head, payload)]),
    reveal(number, head, sealed) {
      const payload = sealed.subarray(0, -SUM_BYTES);
      if (!sumOf(number, head, payload).equals(sealed.subarray(-SUM_BYTES))) throw new Error('checksum');
      return payload;
    },
  };
}

/** At least one frame; all but the last one are full. */
async function* frames(
  plain: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of plain) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes <= FRAME_BYTES) continue;
    let all = Buffer.concat(pieces);
    for (; all.length > FRAME_BYTES; all = all.subarray(FRAME_BYTES)) {
      yield { bytes: all.subarray(0, FRAME_BYTES), isLast: false };
    }
    [pieces, bytes] = [[all], all.length];
  }
  yield { bytes: Buffer.concat(pieces), isLast: true };
}

function reader(stored: AsyncIterable<Buffer>, tooShort: () => Error) {
  const source = stored[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return {
    async read(length: number): Promise<Buffer> {
      const pieces = [rest];
      let bytes = rest.length;
      while (bytes < length) {
        const { value, done } = await source.next();
        if (done) throw tooShort();
        pieces.push(value);
        bytes += value.length;
      }
      const all = pieces.length === 1 ? rest : Buffer.concat(pieces);
      rest = all.subarray(length);
      return all.subarray(0, length);
    },
    async isAtEnd(): Promise<boolean> {
      if (rest.length > 0) return false;
      for (;;) {
        const { value, done } = await source.next();
        if (done) return true;
        if (value.length > 0) return false;
      }
    },
    async close(): Promise<void> {
      await source.return?.();
    },
  };
}
