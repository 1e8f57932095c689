/** Access tokens on two nodes of one database: what one of them ends, the other refuses soon. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createServer } from '../../src/http/server.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { OAuthParty } from '../support/oauth.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

describe('access tokens on two nodes', () => {
  const data = mkdtempSync(join(tmpdir(), 'chancery-oauth-nodes-'));
  let here: TestSite;
  let party: OAuthParty;
  let there: string;
  let closeThere = async () => {};
  before(async () => {
    here = await startTestSite('postgres', { config: { secretKey: Buffer.alloc(32, 5).toString('base64') } });
    party = new OAuthParty(here);
    const site = await openSite({ ...here.site.config, data }, { apps: [] });
    const server = createServer(site);
    there = await server.listen({ host: '127.0.0.1', port: 0 });
    closeThere = async () => {
      await server.close();
      await site.close();
    };
  });
  after(async () => {
    await closeThere();
    await here.stop();
    rmSync(data, { recursive: true, force: true });
  });

  const statusThere = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${there}/api/method/frappe.auth.get_logged_user`, { headers });
    await reply.text();
    return reply.status;
  };
  const endsThere = (token: string) =>
    until(
      () => statusThere(token),
      (status) => status === 401,
    );

  test('a token of one node works on the other until it, its user or its client is disabled', async () => {
    const user = await party.signedIn('ann@example.com');
    for (const end of ['revoke', 'disable client', 'disable user']) {
      const client = (await party.client({ token_endpoint_auth_method: 'None' })).name;
      const { access_token: token } = (await party.redeem(client, await party.code(user, client))).body;
      assert.equal(await statusThere(token), 200, end);
      if (end === 'revoke') await party.form('revoke_token', { client_id: client, token });
      else {
        const path = end === 'disable user' ? 'User/ann@example.com' : `OAuth%20Client/${client}`;
        const reply = await here.request('PUT', `/api/resource/${path}`, { body: { enabled: 0 } });
        assert.equal(reply.status, 200, reply.text);
      }
      assert.equal((await party.who(token)).status, 401, `${end}: at once where it happened`);
      await endsThere(token);
    }
  });
});
