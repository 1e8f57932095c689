/** What a process finds out about a receiver reaches the others, whose clocks differ. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Site } from '../../src/document/contract.ts';
import { EndpointHealth, type Learned } from '../../src/webhook/worker/endpoint-health.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const PAUSE = 600_000;

for (const engine of engineOf('health')) {
  describe(`the health of receivers on ${engine}`, () => {
    let server: TestSite;
    before(async () => {
      server = await startTestSite(engine);
    });
    after(() => server.stop());

    /** A process whose clock differs by these milliseconds, and shows one moment. */
    function processAt(difference: number): EndpointHealth {
      const now = server.site.clock.micros() + difference * 1_000;
      const site: Site = { ...server.site, clock: { micros: () => now } };
      return new EndpointHealth(site);
    }

    const namesOf = (learned: readonly Learned[]) => learned.map(({ webhook }) => webhook);

    for (const behind of [0, 1, 900]) {
      test(`a pause is told by a process whose clock is ${behind} ms behind`, async () => {
        const reader = processAt(0);
        reader.note('failing', false, null, 0);
        await reader.flush();
        await reader.learn();
        const other = processAt(-behind);
        const webhook = `paused-${behind}`;
        other.note(webhook, false, PAUSE, 0);
        await other.flush();
        assert.deepEqual(namesOf(await reader.learn()), [webhook]);
        assert.deepEqual(await reader.learn(), []);
      });
    }

    test('a pause stays when another process records a failure without one', async () => {
      const [first, second] = [processAt(0), processAt(0)];
      first.note('both', false, PAUSE, 0);
      second.note('both', false, null, 0);
      await first.flush();
      assert.deepEqual(namesOf(await second.learn()).includes('both'), true);
      await second.flush();
      const both = (await processAt(0).learn()).find(({ webhook }) => webhook === 'both');
      assert.ok(both && both.pausedFor > PAUSE / 2);
    });

    test('the breaker of another process is told, a single failure is not', async () => {
      const [first, reader] = [processAt(0), processAt(0)];
      await reader.learn();
      first.note('single', false, null, 0);
      first.note('open', false, null, 30_000);
      await first.flush();
      assert.deepEqual(await reader.learn(), [{ webhook: 'open', pausedFor: 0, isResting: true }]);
    });
  });
}
