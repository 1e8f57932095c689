import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * A password for the user `name`: typed twice at a terminal, which does not show it, or one line of standard input.
 * Not a flag, because every user of the machine sees the command line.
 * @throws ServiceError ValidationError when none came, or not the same twice
 */
export async function readNewPassword(name: string): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice(name) : await readLine();
  if (password === '') throw refused('No password was given');
  return password;
}

async function askTwice(name: string): Promise<string> {
  // It takes each key from the terminal, and has nowhere to show it.
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
    if (password !== '' && (await ask('The same again: ')) !== password) {
      throw refused('The two passwords are not the same');
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
    // A longer one is refused anyway; standard input may have no end.
    if (bytes > MOST_BYTES) throw refused(`The password exceeds ${LIMITS.passwordLength} characters`);
    chunks.push(piece);
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (/[\r\n]/.test(text)) throw refused('More than one line came on standard input');
  return text;
}

/** As long as a password with a line break after it may be in UTF-8. */
const MOST_BYTES = 4 * LIMITS.passwordLength + 2;

function refused(why: string): ServiceError {
  return new ServiceError('ValidationError', `${why}: nothing was changed`);
}
