/** The authorization server as `openid-client` uses it, which believes nothing that the standards do not say. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  discovery,
  fetchUserInfo,
  None,
  refreshTokenGrant,
  tokenIntrospection,
  tokenRevocation,
} from 'openid-client';
import { describeEither } from '../support/describe-site.ts';
import { CALLBACK, OAuthParty } from '../support/oauth.ts';

describeEither('openid-client', {}, (site) => {
  let party: OAuthParty;
  let ann: string;
  before(async () => {
    party = new OAuthParty(site);
    ann = await party.signedIn('ann@example.com');
  });

  const ways: readonly (readonly [string, (secret: string) => ClientAuth])[] = [
    ['Client Secret Basic', ClientSecretBasic],
    ['Client Secret Post', ClientSecretPost],
    ['None', () => None()],
  ];
  for (const [method, prove] of ways) {
    test(`discovery, a code, a refresh, and the end, with ${method}`, async () => {
      const client = await party.client({ token_endpoint_auth_method: method });
      const configuration = await discovery(new URL(site.url), client.name, {}, prove(client.client_secret), {
        algorithm: 'oauth2',
        execute: [allowInsecureRequests],
      });
      const asked = buildAuthorizationUrl(configuration, {
        redirect_uri: CALLBACK,
        scope: 'all openid',
        state: 'a state',
        code_challenge: party.challenge,
        code_challenge_method: 'S256',
      });
      const back = await party.allowed(ann, Object.fromEntries(asked.searchParams));
      const tokens = await authorizationCodeGrant(configuration, back, {
        pkceCodeVerifier: party.verifier,
        expectedState: 'a state',
      });
      const profile = await fetchUserInfo(configuration, tokens.access_token, 'ann@example.com');
      assert.equal(profile.email, 'ann@example.com');
      const next = await refreshTokenGrant(configuration, tokens.refresh_token ?? '');
      if (method !== 'None') {
        assert.equal((await tokenIntrospection(configuration, next.access_token)).active, true);
      }
      await tokenRevocation(configuration, next.access_token);
      assert.equal((await party.who(next.access_token)).status, 401);
      await assert.rejects(refreshTokenGrant(configuration, next.refresh_token ?? ''), {
        error: 'invalid_grant',
      });
    });
  }
});
