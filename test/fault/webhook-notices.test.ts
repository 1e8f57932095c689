/** When those in charge are told that a webhook fails. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import type { Site } from '../../src/document/contract.ts';
import { noticeFailing } from '../../src/webhook/worker/disable-webhook.ts';
import { EndpointHealth } from '../../src/webhook/worker/endpoint-health.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const HOOK = 'hook';
const HOUR = 3_600_000;

for (const engine of engineOf('notices')) {
  describe(`webhooks that fail for a long time on ${engine}`, () => {
    let server: TestSite;
    let site: Site;
    let passed = 0;
    before(async () => {
      server = await startTestSite(engine);
      const { clock } = server.site;
      site = { ...server.site, clock: { micros: () => clock.micros() + passed * 1_000 } };
      await server.site.database.transaction((connection) =>
        connection.run(
          sql`insert into "Webhook" ("name", "webhook_doctype", "enabled") values (${HOOK}, 'User', 1)`,
        ),
      );
    });
    after(() => server.stop());

    test('give a warning after an hour and after a day, once each despite restarts, and are then disabled', async () => {
      let health = new EndpointHealth(site);
      const told: [number, unknown][] = [];
      for (let hours = 0; hours <= 121; hours += 0.25) {
        passed = hours * HOUR;
        const consequence = health.note(HOOK, false, null, 0);
        if (consequence !== null) told.push([hours, consequence]);
        if (hours % 5 !== 0) continue;
        await health.flush();
        health = new EndpointHealth(site);
        await health.learn();
      }
      assert.deepEqual(told.slice(0, 3), [
        [1, { noticeHours: 1 }],
        [24, { noticeHours: 24 }],
        [120, 'disable'],
      ]);
    });

    test('give new warnings after a recovery', () => {
      const health = new EndpointHealth(site);
      const told: unknown[] = [];
      for (const [hours, well] of [
        [200, false],
        [201, false],
        [202, true],
        [203, false],
        [203.5, false],
        [204, false],
      ] as const) {
        passed = hours * HOUR;
        told.push(health.note(HOOK, well, null, 0));
      }
      assert.deepEqual(told, [null, { noticeHours: 1 }, null, null, null, { noticeHours: 1 }]);
    });

    test('the notice is a comment, and goes to those in charge', async () => {
      const told: string[] = [];
      const notify = (_webhook: string, text: string) => told.push(text);
      await noticeFailing(server.site, HOOK, 1, notify);
      await noticeFailing(server.site, HOOK, 24, notify);
      const { body } = await server.request(
        'GET',
        '/api/resource/Comment?fields=["content"]&order_by=creation',
      );
      assert.deepEqual(
        body.data.map((comment: { content: string }) => comment.content),
        ['Failing: every delivery has failed for an hour', 'Failing: every delivery has failed for 24 hours'],
      );
      assert.match(told.join(), /hook is failing: .* an hour.*hook is failing: .* 24 hours/);
    });
  });
}
