import { argon2, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * Argon2id parameters: memory in KiB, passes, lanes. OWASP's second recommendation: about 45 ms and 19 MiB
 * per hash.
 */
const WORK = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

// Hashing is the most expensive work of an unauthenticated request, so few hashes run at a time and others
// are refused.
const PARALLEL = 2;
const WAITING = 50;

/** Bounds of the hashes that other servers made: an import brings them, and each sign-in computes one. */
const MOST_MEMORY = 1_048_576;
const MOST_ROUNDS = 2_000_000;

interface ParsedHash {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly algorithm: 'argon2id' | 'argon2i' | 'argon2d' | 'pbkdf2';
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/**
 * Resolves to the stored form: `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. Rejects with ValidationError for an
 * empty or overlong password, and with ServiceUnavailableError when too many requests wait.
 */
export async function hashPassword(text: string): Promise<string> {
  if (text === '') throw new ServiceError('ValidationError', 'The password is empty');
  if (isOverlong(text)) {
    throw new ServiceError('ValidationError', `The password exceeds ${LIMITS.passwordLength} characters`);
  }
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(text, { ...WORK, algorithm: 'argon2id', salt }, TAG_BYTES);
  const { memory, passes, parallelism } = WORK;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Resolves to whether the password matches the stored hash. A null hash (no such user, no password) costs the
 * same work and resolves to false. Rejects with ServiceUnavailableError when too many requests wait.
 */
export async function verifyPassword(text: string, hash: string | null): Promise<boolean> {
  const parsed = hash === null ? null : parseHash(hash);
  // The sender knows the length already, so an early answer reveals nothing.
  if (isOverlong(text)) return false;
  const work = parsed ?? { ...WORK, algorithm: 'argon2id' as const, salt: Buffer.alloc(SALT_BYTES) };
  const tag = await derive(text, work, parsed?.tag.length ?? TAG_BYTES);
  return parsed !== null && timingSafeEqual(tag, parsed.tag);
}

/**
 * True when a hash has outdated parameters, or is of another server. Hash the password again at the next successful
 * login.
 */
export function needsRehash(hash: string): boolean {
  const parsed = parseHash(hash);
  return (
    parsed === null ||
    parsed.algorithm !== 'argon2id' ||
    parsed.memory !== WORK.memory ||
    parsed.passes !== WORK.passes ||
    parsed.parallelism !== WORK.parallelism
  );
}

function isOverlong(text: string): boolean {
  return text.length > LIMITS.passwordLength;
}

/** True for a hash that `verifyPassword` can compare: one of this server, or of Python's passlib. */
export function isKnownHash(hash: string): boolean {
  return parseHash(hash) !== null;
}

function parseHash(hash: string): ParsedHash | null {
  return parseArgon2(hash) ?? parsePbkdf2(hash);
}

function parseArgon2(hash: string): ParsedHash | null {
  const match =
    /^\$argon2(id|i|d)\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      hash,
    );
  if (!match) return null;
  const [, kind, memory, passes, parallelism, salt = '', tag = ''] = match;
  if (Number(memory) > MOST_MEMORY) return null;
  return {
    algorithm: `argon2${kind as 'id' | 'i' | 'd'}`,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

// Frappe's hashes: passlib writes base64 with `.` for `+`.
function parsePbkdf2(hash: string): ParsedHash | null {
  const match = /^\$pbkdf2-sha256\$(\d{1,7})\$([A-Za-z0-9./]{0,86})\$([A-Za-z0-9./]{43})$/.exec(hash);
  if (!match) return null;
  const [, rounds, salt = '', tag = ''] = match;
  if (Number(rounds) < 1 || Number(rounds) > MOST_ROUNDS) return null;
  const bytes = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64');
  return {
    algorithm: 'pbkdf2',
    memory: 0,
    passes: Number(rounds),
    parallelism: 1,
    salt: bytes(salt),
    tag: bytes(tag),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

let running = 0;
const waiting: (() => void)[] = [];

async function derive(text: string, work: Omit<ParsedHash, 'tag'>, tagLength: number): Promise<Buffer> {
  if (running >= PARALLEL) {
    if (waiting.length >= WAITING) {
      throw new ServiceError('ServiceUnavailableError', 'Too many logins at once, try again shortly', {
        headers: { 'Retry-After': '2' },
      });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const { algorithm, salt: nonce, memory, passes, parallelism } = work;
      const done = (error: Error | null, tag: Buffer) => (error ? reject(error) : resolve(tag));
      const message = Buffer.from(text, 'utf8');
      if (algorithm === 'pbkdf2') pbkdf2(message, nonce, passes, tagLength, 'sha256', done);
      else argon2(algorithm, { memory, passes, parallelism, message, nonce, tagLength }, done);
    });
  } finally {
    // Passes the slot directly to the next in line, so the count never exceeds the bound.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
