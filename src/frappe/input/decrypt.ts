import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ServiceError } from '../../kernel/errors.ts';

/** The clear bytes of a file that gpg encrypted with a passphrase. Needs the program `gpg`. */
export async function* decrypt(path: string, passphrase: string): AsyncGenerator<Buffer> {
  const flags = ['--batch', '--quiet', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase-fd', '3'];
  const gpg = spawn('gpg', [...flags, '--decrypt', '--', path], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | Error>((resolve) => {
    gpg.on('error', resolve);
    gpg.on('close', (code) => resolve(code ?? 1));
  });
  let said = '';
  gpg.stderr?.on('data', (text) => {
    said = `${said}${text}`.slice(-2_000);
  });
  const secret = gpg.stdio[3] as Writable;
  // gpg may end before it reads the passphrase; its exit code tells.
  secret.on('error', () => undefined);
  secret.end(`${passphrase}\n`);
  try {
    for await (const chunk of gpg.stdout as Readable) yield chunk;
    const outcome = await ended;
    if (outcome !== 0) throw failure(path, outcome, said);
  } finally {
    gpg.kill();
  }
}

function failure(path: string, outcome: number | Error, said: string): ServiceError {
  if (outcome instanceof Error) {
    return new ServiceError('ValidationError', `${path} is encrypted: install gpg (${outcome.message})`);
  }
  const reason = said.trim().split('\n').at(-1) ?? '';
  return new ServiceError(
    'ValidationError',
    `${path} cannot be decrypted: ${reason || `gpg ended with ${outcome}`}`,
  );
}
