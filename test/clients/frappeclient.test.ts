/** Python's frappeclient and py-frappe-client: their calls as they form them, sent by the library they use. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import crm from '../../apps/crm/app.ts';
import { ENGINES, startTestSite, type TestSite } from '../support/site.ts';

const SCRIPT = fileURLToPath(new URL('./frappeclient.py', import.meta.url));

const run = promisify(execFile);
const skip =
  spawnSync('python3', ['-c', 'import requests']).status === 0
    ? false
    : 'python3 with requests is not here (Debian: apt-get install python3-requests)';

for (const engine of ENGINES) {
  describe(`frappeclient on ${engine}`, { skip }, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine, { apps: [crm] });
    });
    after(() => site?.stop());

    test('signs in, works with documents, submits, calls methods, uploads, keeps sessions', async () => {
      const [key = '', secret = ''] = site.adminKey.split(':');
      const { stdout } = await run(
        'python3',
        [SCRIPT, site.url, key, secret, 'Administrator', 'admin-password'],
        { env: { ...process.env, PYTHONIOENCODING: 'utf-8', NO_PROXY: '127.0.0.1' } },
      ).catch((error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`));
      assert.equal(stdout.match(/^ok /gm)?.length, 39);
    });
  });
}
