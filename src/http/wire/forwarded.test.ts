import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { type FastifyInstance, fastify } from 'fastify';
import { registerForwarded, trustedProxies } from './forwarded.ts';

/** What a server that trusts these networks takes a request for. */
function appThatTrusts(...networks: string[]): FastifyInstance {
  const trusts = trustedProxies(networks);
  const app = fastify({ trustProxy: trusts });
  registerForwarded(app, trusts);
  app.get('/', ({ ip, protocol, host }) => ({ ip, protocol, host }));
  return app;
}

async function seen(networks: string[], remoteAddress: string, headers: Record<string, string>) {
  const app = appThatTrusts(...networks);
  const { body } = await app.inject({
    url: '/',
    remoteAddress,
    headers: { host: 'own.example', ...headers },
  });
  await app.close();
  return JSON.parse(body);
}

const SPOOFED = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'evil.example',
};
const SELF = { protocol: 'http', host: 'own.example' };

test('headers are ignored without the setting, and from untrusted peers with it', async () => {
  assert.deepEqual(await seen([], '192.0.2.1', SPOOFED), { ip: '192.0.2.1', ...SELF });
  assert.deepEqual(await seen(['10.0.0.0/8'], '192.0.2.1', SPOOFED), { ip: '192.0.2.1', ...SELF });
  assert.deepEqual(
    await seen(['10.0.0.0/8'], '::ffff:192.0.2.1', SPOOFED).then(({ host }) => host),
    SELF.host,
  );
});

test('a trusted proxy is recognised in any spelling of its address', async () => {
  const believed = { ip: '203.0.113.9', protocol: 'https', host: 'evil.example' };
  assert.deepEqual(await seen(['10.0.0.0/8'], '10.1.2.3', SPOOFED), believed);
  assert.deepEqual(await seen(['10.0.0.0/8'], '::ffff:10.1.2.3', SPOOFED), believed);
  assert.deepEqual(await seen(['10.1.2.3'], '::ffff:a01:203', SPOOFED), believed);
  assert.deepEqual(await seen(['fd00::/8'], 'fd00::1', SPOOFED), believed);
});

test('an IPv4 network contains no IPv6 address, and the other way round', async () => {
  // ::a01:203 and ::ffff:0:a01:203 look like 10.1.2.3 to who only takes their last bytes.
  for (const peer of ['::a01:203', '::ffff:0:a01:203', '64:ff9b::a01:203', '2002:a01:203::1']) {
    assert.equal((await seen(['10.0.0.0/8'], peer, SPOOFED)).ip, peer);
  }
  // ::/16 would hold every mapped address if they were compared as they come.
  assert.equal((await seen(['::/16'], '::ffff:192.0.2.1', SPOOFED)).host, 'own.example');
});

test('the nearest untrusted address of a chain counts', async () => {
  const through = async (chain: string) =>
    (await seen(['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': chain })).ip;
  assert.equal(await through('1.1.1.1, 203.0.113.9'), '203.0.113.9');
  assert.equal(await through('1.1.1.1, 203.0.113.9, 10.0.0.2'), '203.0.113.9');
  assert.equal(await through('10.0.0.3,::ffff:203.0.113.9,::ffff:10.0.0.2'), '203.0.113.9');
  assert.equal(await through('10.0.0.4, 10.0.0.3'), '10.0.0.4');
});

test('ports are dropped, spellings are normalised, and invalid addresses ignored', async () => {
  const through = async (chain: string) =>
    (await seen(['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': chain })).ip;
  assert.equal(await through('203.0.113.9:4711'), '203.0.113.9');
  assert.equal(await through('[2001:DB8:0:0::1]:4711'), '2001:db8::1');
  assert.equal(await through('2001:0db8::0001'), '2001:db8::1');
  for (const junk of ['unknown', '_hidden', '203.0.113', 'fe80::1%eth0', '[::1', 'x'.repeat(5000), ',', '']) {
    assert.equal(await through(junk), '10.0.0.1', junk.slice(0, 20));
  }
  assert.equal(await through('203.0.113.9, unknown, 10.0.0.2'), '10.0.0.2');
});

test('the last valid protocol and host count', async () => {
  const through = (headers: Record<string, string>) => seen(['10.0.0.1'], '10.0.0.1', headers);
  assert.equal((await through({ 'x-forwarded-proto': 'http, HTTPS' })).protocol, 'https');
  assert.equal((await through({ 'x-forwarded-proto': 'https, ftp' })).protocol, 'http');
  assert.equal(
    (await through({ 'x-forwarded-host': 'evil.example, shop.example:8443' })).host,
    'shop.example:8443',
  );
  assert.equal((await through({ 'x-forwarded-host': 'a b' })).host, 'own.example');
  assert.equal((await through({ 'x-forwarded-host': 'x@y/z' })).host, 'own.example');
});

const noIpv6 = !Object.values(networkInterfaces()).some((list) =>
  list?.some(({ family }) => family === 'IPv6'),
);
test('a dual-stack server identifies IPv4 callers by their IPv4 address', { skip: noIpv6 }, async () => {
  const app = appThatTrusts();
  await app.listen({ host: '::', port: 0 });
  const address = app.server.address();
  assert.ok(address && typeof address === 'object');
  const reply = await fetch(`http://127.0.0.1:${address.port}/`);
  assert.equal(JSON.parse(await reply.text()).ip, '127.0.0.1');
  await app.close();
});
