/** Runs test/clients/frappeclient.py: the calls of Python's frappeclient. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('../clients/frappeclient.py', import.meta.url));
const run = promisify(execFile);

/** Why tests that need it are skipped; false where it can run. */
export const noRequests =
  spawnSync('python3', ['-c', 'import requests']).status === 0
    ? false
    : 'python3 with requests is not here (Debian: apt-get install python3-requests)';

/** Resolves to the number of checks, all of which held. */
export async function runFrappeclient(words: readonly string[]): Promise<number> {
  const { stdout } = await run('python3', [SCRIPT, ...words], {
    env: { ...process.env, PYTHONIOENCODING: 'utf-8', NO_PROXY: '127.0.0.1' },
  }).catch((error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`));
  return stdout.match(/^ok /gm)?.length ?? 0;
}
