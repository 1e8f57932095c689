/** What changes behind a proxy that ends TLS, and what does not when somebody only claims to be one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestSite } from '../support/site.ts';

const HTTPS = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'erp.example',
  'x-forwarded-for': '203.0.113.9',
};
const LOGIN = { usr: 'Administrator', pwd: 'admin-password' };

for (const [who, trustProxy, believed] of [
  ['a trusted proxy', ['127.0.0.0/8'], true],
  ['a stranger', ['10.0.0.0/8'], false],
  ['anybody, without the setting,', [], false],
] as const) {
  test(`cookies of ${who} that says https`, async () => {
    const { request, stop } = await startTestSite('sqlite', { config: { trustProxy } });
    try {
      const login = (headers: Record<string, string>) =>
        request('POST', '/api/method/login', { as: null, body: LOGIN, headers });
      const cookies = (await login(HTTPS)).headers.getSetCookie();
      assert.ok(cookies.length > 0);
      for (const cookie of cookies) assert.equal(cookie.includes('; Secure'), believed, cookie);
      for (const cookie of (await login({})).headers.getSetCookie()) assert.ok(!cookie.includes('; Secure'));

      const cookie = cookies[0]?.split(';')[0] ?? '';
      const write = (origin: string) =>
        request('POST', '/api/method/frappe.client.insert', {
          as: null,
          headers: { ...HTTPS, cookie, origin },
          body: { doc: { doctype: 'Role', role_name: `R ${origin}` } },
        });
      // The page's own origin, by the name under which the proxy serves it.
      assert.equal((await write('https://erp.example')).status, believed ? 200 : 400);
      assert.equal((await write('https://evil.example')).status, 400);
    } finally {
      await stop();
    }
  });
}
