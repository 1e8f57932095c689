import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from 'pg';
import { until } from '../../../test/support/until.ts';
import { Hosts } from './hosts.ts';

for (const [what, begin] of [
  ['is lost', (hosts: Hosts) => hosts.lost(0)],
  ['is tried', (hosts: Hosts) => void hosts.reach({})],
] as const)
  test(`a silent host that ${what} does not hold up the search for another one`, async () => {
    let isStandby = true;
    let asked = 0;
    const clientOf = (name: string) => ({
      on() {},
      connect: () => (name === 'silent' ? Promise.withResolvers<void>().promise : Promise.resolve()),
      async query() {
        asked += 1;
        return { rows: [{ standby: isStandby, closed: false }] };
      },
      async end() {},
    });
    const hosts = new Hosts(
      ['postgres://silent/x', 'postgres://standby/x'],
      ({ connectionString = '' }) => clientOf(new URL(connectionString).host) as unknown as Client,
    );
    try {
      const dropped = Promise.withResolvers<Error>();
      hosts.hold({ place: 0, drop: dropped.resolve });
      begin(hosts);
      await until(() => asked > 1);
      assert.equal(hosts.current, 0);
      isStandby = false;
      assert.match((await dropped.promise).message, /another server is the primary/);
      assert.equal(hosts.current, 1);
    } finally {
      hosts.close();
    }
  });
