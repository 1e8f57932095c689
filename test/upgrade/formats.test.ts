/** Sites that older programs left are upgraded with all that is in them: one of every landed format. */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { PLAN_VERSION } from '../../src/site/schema/definitions/defined-apps.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { ENGINES } from '../support/postgres.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import type { TestSite } from '../support/site.ts';
import { assertKept } from './answers.ts';
import { listFixtures } from './fixture.ts';
import { contentOf, placeFixture } from './placed.ts';
import { clientOf, type Facts, KEPT_ORDER, resource, SITE, WAITING } from './story.ts';

const fixtures = await listFixtures();

/** Starts the fixtures of PostgreSQL that CI leaves out, too. */
const ALL = process.env['CHANCERY_TEST_FORMATS'] === 'all';
/** The first, the last one whose steps move rows, and today's. The others differ in steps that SQLite has, too. */
const ON_POSTGRES = ['3-3', '17-8', `${SYSTEM_STEPS.length}-${PLAN_VERSION}`];

for (const engine of ENGINES) {
  const own = fixtures.filter((fixture) => fixture.engine === engine);
  const started = own.filter(
    ({ format }) => engine === 'sqlite' || ALL || ON_POSTGRES.includes(`${format.steps}-${format.plan}`),
  );
  describe(`formats on ${engine}`, () => {
    test('the newest fixture has the format of this program', () => {
      assert.deepEqual(
        own.at(-1)?.format,
        { steps: SYSTEM_STEPS.length, plan: PLAN_VERSION },
        'The format has changed. `npm run formats` makes its fixture: see test/upgrade/README.md',
      );
    });

    for (const fixture of started) {
      const { steps, plan } = fixture.format;
      test(`a site of format ${steps}-${plan} is upgraded whole`, async () => {
        const placed = await placeFixture(fixture);
        try {
          const site = await placed.start();
          try {
            await assertAnswers(site, placed.facts);
            await assertDelivers(site);
          } finally {
            await site.stop();
          }
          const before = await contentOf(placed);
          await (await placed.start()).stop();
          assert.deepEqual(await contentOf(placed), before, 'the second start has changed something');
        } finally {
          await placed.remove();
        }
      });
    }
  });
}

/** What the old program answered, this one does. Later fields may be there, too. */
async function assertAnswers(site: TestSite, facts: Facts): Promise<void> {
  const { ask, make, call, signIn } = clientOf(site.url);
  await assertKept(site, facts);
  const kept = await ask('POST', resource('Order'), KEPT_ORDER, { 'idempotency-key': SITE.idempotencyKey });
  assert.equal(kept.text, facts.kept);
  assert.equal((await make('Order', { customer: 'After the upgrade' })).name, 'ORD-00006');
  const secret = { doctype: 'Order', name: 'ORD-00001', fieldname: 'pin' };
  assert.equal(await call('frappe.client.get_password', secret), '1234');
  for (const headers of [
    { cookie: `sid=${facts.sid}` },
    { cookie: `sid=${await signIn(SITE.user, SITE.password)}` },
    ...(facts.userKey === null ? [] : [{ authorization: `token ${facts.userKey}` }]),
  ]) {
    const response = await fetch(`${site.url}/api/method/frappe.auth.get_logged_user`, { headers });
    assert.equal((await response.json()).message, SITE.user);
  }
}

/** Deliveries that waited reach the receiver, signed with the old secret. */
async function assertDelivers(site: TestSite): Promise<void> {
  const receiver = await WebhookReceiver.start();
  const { ok } = clientOf(site.url);
  await ok('PUT', resource('Webhook', 'fails'), { request_url: receiver.url });
  site.site.startWorker();
  const received = await receiver
    .until((received) => received.length >= WAITING.length)
    .finally(() => receiver.close());
  assert.deepEqual(
    received.map(({ body }) => JSON.parse(String(body))),
    WAITING,
  );
  for (const { headers, body } of received) {
    const signature = createHmac('sha256', SITE.webhookSecret).update(body).digest('base64');
    assert.equal(headers['x-frappe-webhook-signature'], signature);
    assert.equal(headers.authorization, SITE.headerSecret);
  }
}
