import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { addressGuard, addressTier, BlockedAddressError, type Tier } from './address-guard.ts';

const TABLE: readonly (readonly [Tier | null, readonly string[]])[] = [
  [
    'public',
    [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2606:4700::1111',
      '2a00:1450::1',
      '3ffe::1',
      '::ffff:8.8.8.8',
      '::8.8.8.8',
      '64:ff9b::8.8.8.8',
      '2002:808:808::1',
    ],
  ],
  [
    'private',
    [
      '10.0.0.1',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '100.64.0.1',
      '100.127.255.255',
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '198.18.0.1',
      '198.51.100.7',
      '203.0.113.7',
      'fc00::1',
      'fd12:3456::1',
      'fec0::1',
      '100::1',
      '2001:db8::1',
      '2001:10::1',
      '2001:2::1',
      '3fff::1',
      '5f00::1',
      '4000::1',
      '::ffff:10.0.0.1',
      '::ffff:a00:1',
      '::192.168.1.1',
      '::ffff:0:10.1.2.3',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::8.8.8.8',
      '2002:a00:1::1',
      '2002:c0a8:101::',
      '2001:0:a00:1:0:0:f7f7:f7f7',
      '2a00::5efe:10.0.0.1',
    ],
  ],
  [
    'never',
    [
      '0.0.0.0',
      '0.1.2.3',
      '127.0.0.1',
      '127.255.255.254',
      '169.254.169.254',
      '169.254.0.1',
      '224.0.0.1',
      '239.255.255.255',
      '240.0.0.1',
      '255.255.255.255',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
      '::',
      '::1',
      'fe80::1',
      'febf::1',
      'ff02::1',
      'fd00:ec2::254',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '::ffff:0:127.0.0.1',
      '::ffff:169.254.169.254',
      '64:ff9b::127.0.0.1',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::127.0.0.1',
      '64:ff9b:1:7f00:0:1::',
      '2002:7f00:1::1',
      '2002:a9fe:a9fe::',
      '2001:0:808:808:0:0:80ff:fffe',
      '2001:0:7f00:1::',
      '2a00::200:5efe:127.0.0.1',
    ],
  ],
  [null, ['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3.4.5', '1.2.3.256', '::1%lo', '[::1]']],
];

test('every address of the table has its tier, and only public addresses pass by default', () => {
  const guard = addressGuard([]);
  for (const [tier, addresses] of TABLE) {
    for (const address of addresses) {
      assert.equal(addressTier(address), tier, address);
      assert.equal(guard.allows(address), tier === 'public', address);
    }
  }
});

test('an allow entry opens exactly its block, in every spelling of an address', () => {
  const guard = addressGuard(['127.0.0.1', '10.1.0.0/16', 'fd12::/16']);
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '10.1.255.255', 'fd12::9']) {
    assert.ok(guard.allows(address), address);
  }
  for (const address of ['127.0.0.2', '10.2.0.0', 'fd13::1', '::1', '169.254.169.254']) {
    assert.ok(!guard.allows(address), address);
  }
});

test('an allow entry for every network does not open loopback or metadata', () => {
  const guard = addressGuard(['0.0.0.0/0', '::/0', '100.64.0.0/10', 'nonsense', '1.2.3.4/99']);
  assert.ok(guard.allows('10.0.0.1'));
  assert.ok(guard.allows('fd12::1'));
  for (const address of ['127.0.0.1', '169.254.169.254', '100.100.100.200', '::1', 'fd00:ec2::254']) {
    assert.ok(!guard.allows(address), address);
  }
});

test('every spelling of 127.0.0.1 in a URL is refused', () => {
  const guard = addressGuard([]);
  for (const host of [
    '0x7f000001',
    '127.1',
    '2130706433',
    '017700000001',
    '１２７.0.0.1',
    '[::ffff:127.0.0.1]',
  ]) {
    const { hostname } = new URL(`http://${host}/`);
    assert.ok(!guard.allows(hostname.replace(/^\[|\]$/g, '')), `${host} became ${hostname}`);
  }
});

test("this machine's own addresses are refused unless they are named themselves", () => {
  const own = () => ['8.8.4.4', '192.168.7.7', '2606:4700::7'];
  const guard = addressGuard(['192.168.0.0/16', '0.0.0.0/0', '::/0'], undefined, own);
  for (const address of ['8.8.4.4', '192.168.7.7', '2606:4700::7', '::ffff:8.8.4.4', '64:ff9b::808:404']) {
    assert.ok(!guard.allows(address), address);
  }
  for (const address of ['8.8.4.5', '192.168.7.8', '2606:4700::8']) assert.ok(guard.allows(address), address);
  const naming = addressGuard(['192.168.7.7', '8.8.4.4/32', '2606:4700::7'], undefined, own);
  for (const address of own()) assert.ok(naming.allows(address), address);
});

test('names of cloud metadata services are not reached', async () => {
  const guard = addressGuard(['10.0.0.0/8'], async () => ['169.254.169.254', 'fd00:ec2::254']);
  const lookup = promisify(guard.lookup) as (name: string, options: object) => Promise<unknown>;
  await assert.rejects(lookup('metadata.google.internal', { all: true }), BlockedAddressError);
});

test('a name is refused if any of its addresses is, and is resolved again for each connection', async () => {
  // A rebinding resolver: public first, loopback after.
  const answers = [['93.184.216.34'], ['93.184.216.34', '127.0.0.1'], ['127.0.0.1'], []];
  const guard = addressGuard([], async () => answers.shift() ?? []);
  const lookup = promisify(guard.lookup) as (name: string, options: object) => Promise<unknown>;
  assert.deepEqual(await lookup('rebind.test', { all: true }), [{ address: '93.184.216.34', family: 4 }]);
  await assert.rejects(lookup('rebind.test', { all: true }), BlockedAddressError);
  await assert.rejects(lookup('rebind.test', {}), BlockedAddressError);
  await assert.rejects(lookup('rebind.test', {}), { code: 'ENOTFOUND' });
});

test('only checked addresses of the requested family are returned', async () => {
  const guard = addressGuard([], async () => ['2606:4700::1111', '1.1.1.1']);
  const lookup = promisify(guard.lookup) as (name: string, options: object) => Promise<unknown>;
  assert.equal(await lookup('x.test', { family: 4 }), '1.1.1.1');
  assert.deepEqual(await lookup('x.test', { all: true, family: 6 }), [
    { address: '2606:4700::1111', family: 6 },
  ]);
});
