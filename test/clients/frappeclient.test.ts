/** Python's frappeclient and py-frappe-client: their calls as they form them, sent by the library they use. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { engineOf } from '../support/describe-site.ts';
import { noRequests, runFrappeclient } from '../support/frappeclient.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

for (const engine of engineOf('frappeclient')) {
  describe(`frappeclient on ${engine}`, { skip: noRequests }, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine, { apps: [crm] });
    });
    after(() => site?.stop());

    test('signs in, works with documents, submits, calls methods, uploads, keeps sessions', async () => {
      const [key = '', secret = ''] = site.adminKey.split(':');
      assert.equal(await runFrappeclient([site.url, key, secret, 'Administrator', 'admin-password']), 39);
    });
  });
}
