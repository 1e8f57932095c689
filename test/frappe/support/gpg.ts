/** Files that gpg has encrypted, as Frappe encrypts those of a backup. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSPHRASE } from './secrets.ts';

/** Why tests that need gpg are skipped; false where it is there. */
export const noGpg =
  spawnSync('gpg', ['--version']).status === 0 ? false : 'gpg is not here (Debian: apt-get install gpg)';

/** Encrypts a file with `PASSPHRASE`. */
export function encryptFile(path: string, output: string): void {
  const home = mkdtempSync(join(tmpdir(), 'chancery-gpg-'));
  // Few rounds of the derivation of the key: a test need not resist guesses.
  const flags = ['--homedir', home, '--batch', '--yes', '--pinentry-mode', 'loopback', '--s2k-count', '1024'];
  execFileSync('gpg', [...flags, '--passphrase', PASSPHRASE, '--output', output, '-c', path], {
    stdio: 'ignore',
  });
  spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  rmSync(home, { recursive: true });
}
