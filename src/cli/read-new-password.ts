import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * Reads a new password for the user `name`: typed twice at a terminal without echo, or one line of standard
 * input. It is not a flag, because every user of the machine can see command lines.
 * @throws ServiceError ValidationError when it is missing, or the two entries differ
 */
export async function readNewPassword(name: string): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice(name) : await readLine();
  if (password === '') throw refused('No password was given');
  return password;
}

async function askTwice(name: string): Promise<string> {
  // Readline takes each key from the terminal and echoes it to this stream, which discards it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: nowhere,
    terminal: true,
    historySize: 0,
  });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const typed = await lines.next();
    process.stderr.write('\n');
    // Ctrl+C or Ctrl+D.
    return typed.done ? '' : typed.value;
  };
  try {
    const password = await ask(`New password of ${name}: `);
    if (password !== '' && (await ask('Repeat the password: ')) !== password) {
      throw refused('The two passwords differ');
    }
    return password;
  } finally {
    terminal.close();
  }
}

async function readLine(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    // A longer password is refused anyway, and standard input may be endless.
    if (bytes > MOST_BYTES) throw refused(`The password exceeds ${LIMITS.passwordLength} characters`);
    chunks.push(piece);
  }
  const text = decoded(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  if (/[\r\n]/.test(text)) throw refused('Standard input has more than one line');
  return text;
}

// Replacing invalid bytes would set another password than the given one.
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused('The password is not valid UTF-8');
  }
}

/** The longest password in UTF-8, with a line break. */
const MOST_BYTES = 4 * LIMITS.passwordLength + 2;

function refused(why: string): ServiceError {
  return new ServiceError('ValidationError', `${why}: nothing was changed`);
}
