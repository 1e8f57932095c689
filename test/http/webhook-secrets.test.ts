/** Secrets of webhooks that are replaced while receivers listen, and headers that nobody can forge. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { rotateSecrets } from '../../src/site/settings/rotate-secrets.ts';
import { scrubResponses } from '../../src/site/start/scrub-responses.ts';
import { describeEither } from '../support/describe-site.ts';
import type { Received } from '../support/receiver.ts';
import { delivered, webhookSite } from '../support/webhook-site.ts';

const REGENERATE = '/api/method/chancery.webhook.regenerate_secret';
const SWITCH = '/api/method/chancery.webhook.switch_secret';

describeEither('secrets of webhooks', webhookSite(), (hooks, engine) => {
  afterEach(() => hooks.clear());

  async function call(path: string, body: object) {
    return hooks.ok('POST', path, { body });
  }

  /** What a receiver gets now. */
  async function next(): Promise<Received> {
    const before = hooks.receiver.received.length;
    await hooks.note({ title: 'Café ✓' });
    const got = (await hooks.receiver.count(before + 1))[before];
    assert.ok(got);
    return got;
  }

  function verifies({ body, headers }: Received, secret: string): boolean {
    const given = headers as Record<string, string>;
    const results = [new Webhook(secret), new SvixWebhook(secret)].map((webhook) => {
      try {
        webhook.verify(body.toString(), given);
        return true;
      } catch {
        return false;
      }
    });
    assert.equal(results[0], results[1], 'both libraries say the same');
    return results[0] === true;
  }

  const plain = (secret: string, { body }: Received) =>
    createHmac('sha256', secret).update(body).digest('base64');

  test('without an overlap only the new secret is valid', async () => {
    const { name: webhook, secret: old } = await hooks.webhook();
    const { secret, old_secret_until } = await call(REGENERATE, { webhook });
    assert.equal(old_secret_until, null);
    const got = await next();
    assert.ok(verifies(got, secret) && !verifies(got, old));
    assert.equal(got.headers['x-service-webhook-signature'], plain(secret, got));
    assert.ok(!('x-service-webhook-signature-next' in got.headers));
  });

  test('with an overlap both secrets verify, until the operator switches and ends it', async () => {
    const { name: webhook, secret: old } = await hooks.webhook({ hub_signature: 1 });
    const made = await call(REGENERATE, { webhook, overlap_hours: 24 });
    assert.match(made.old_secret_until, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

    const during = await next();
    assert.ok(verifies(during, made.secret) && verifies(during, old));
    assert.equal(during.headers['x-service-webhook-signature'], plain(old, during));
    assert.equal(during.headers['x-frappe-webhook-signature'], plain(old, during));
    assert.equal(during.headers['x-service-webhook-signature-next'], plain(made.secret, during));
    const hub = createHmac('sha256', old).update(during.body).digest('hex');
    assert.equal(during.headers['x-hub-signature-256'], `sha256=${hub}`);

    const switched = await call(SWITCH, { webhook });
    assert.equal(switched.old_secret_until, made.old_secret_until);
    const after = await next();
    assert.ok(verifies(after, made.secret) && verifies(after, old));
    assert.equal(after.headers['x-service-webhook-signature'], plain(made.secret, after));
    assert.ok(!('x-service-webhook-signature-next' in after.headers));

    // A third one beside both; the first is past signing alone.
    const third = await call(REGENERATE, { webhook, overlap_hours: 1 });
    const three = await next();
    assert.ok([old, made.secret, third.secret].every((secret) => verifies(three, secret)));
    assert.equal(three.headers['x-service-webhook-signature'], plain(made.secret, three));
    assert.equal(three.headers['x-service-webhook-signature-next'], plain(third.secret, three));

    const ended = await call(SWITCH, { webhook, end_overlap: 1 });
    assert.equal(ended.old_secret_until, null);
    const alone = await next();
    assert.ok(verifies(alone, third.secret) && !verifies(alone, old) && !verifies(alone, made.secret));
    assert.equal(alone.headers['x-service-webhook-signature'], plain(third.secret, alone));
  });

  test('an overlap with a custom secret expires, and survives rotations of the site’s key', async () => {
    const { name: webhook, secret: old } = await hooks.webhook();
    const { secret } = await call(REGENERATE, { webhook, overlap_hours: 2 });

    await rotateSecrets(hooks.site);
    const during = await next();
    assert.ok(verifies(during, old) && verifies(during, secret));

    const { clock } = hooks.site;
    const later = { ...hooks.site, clock: { micros: () => clock.micros() + 3 * 3_600_000_000 } };
    const { loadSigning } = await import('../../src/webhook/config/signing-secrets.ts');
    const signing = await loadSigning(later, later.database.reader, webhook);
    assert.equal(signing?.all.length, 1);
    assert.equal(signing?.next, null);

    await hooks.put(`Webhook/${webhook}`, { secret: 'a secret of my own' });
    const own = await next();
    assert.ok(!verifies(own, old) && !verifies(own, secret));
    assert.equal(own.headers['x-service-webhook-signature'], plain('a secret of my own', own));
  });

  test('the number of overlapping secrets is limited, and deleting the webhook deletes them', async () => {
    const { name: webhook } = await hooks.webhook();
    for (let count = 0; count < 4; count += 1) await call(REGENERATE, { webhook, overlap_hours: 168 });
    const refused = await hooks.request('POST', REGENERATE, { body: { webhook, overlap_hours: 1 } });
    assert.equal(refused.status, 417);
    assert.match(refused.text, /At most 4 former secrets/);
    assert.ok(!refused.text.includes('whsec_'));
    for (const overlap_hours of [-1, 169, 'x']) {
      const reply = await hooks.request('POST', REGENERATE, { body: { webhook, overlap_hours } });
      assert.equal(reply.status, 417, String(overlap_hours));
    }
    const { secret } = await call(REGENERATE, { webhook });
    assert.ok(verifies(await next(), secret));
    await call(REGENERATE, { webhook, overlap_hours: 1 });
    await hooks.request('DELETE', `/api/resource/Webhook/${webhook}`);
    const left = await hooks.site.database.reader.all(
      sql`select "fieldname" from "_secret" where "doctype" = 'Webhook' and "name" = ${webhook}`,
    );
    assert.deepEqual(left, []);
  });

  test('switching needs write permission, is logged, and returns no secret', async () => {
    const { name: webhook } = await hooks.webhook();
    const writer = await hooks.createUser(`switch-${engine}@example.com`, ['Note Writer']);
    const refused = await hooks.request('POST', SWITCH, { body: { webhook }, as: writer });
    assert.equal(refused.status, 403);
    assert.equal((await hooks.request('POST', SWITCH, { body: { webhook: 'none' } })).status, 404);
    const reply = await hooks.request('POST', SWITCH, { body: { webhook, end_overlap: 1 } });
    assert.deepEqual(reply.body.message, { name: webhook, old_secret_until: null });
    const filters = JSON.stringify([['reference_name', '=', webhook]]);
    const path = `/api/resource/Audit%20Log?fields=["event","details"]&filters=${encodeURIComponent(filters)}`;
    const { body } = await hooks.request('GET', path);
    const entry = body.data.find(({ event }: { event: string }) => event === 'webhook_secret_changed');
    assert.equal(JSON.parse(entry.details).change, 'overlap ended');
  });

  test('deliveries are numbered without gaps', async () => {
    await hooks.webhook({ webhook_docevent: 'on_change' });
    hooks.receiver.decide = (_received, count) => (count === 1 ? 500 : 'ok');
    const name = await hooks.note();
    await hooks.receiver.count(2);
    await hooks.put(`Note/${name}`, { title: 'Two' });
    const [first, again, second] = (await hooks.receiver.count(3)).map(({ headers }) => headers);
    assert.ok(first && again && second);
    assert.deepEqual(
      [first, again, second].map((headers) => headers['webhook-attempt']),
      ['1', '2', '1'],
    );
    assert.equal(first['webhook-sequence'], again['webhook-sequence']);
    assert.ok(Number(second['webhook-sequence']) > Number(first['webhook-sequence']));
    assert.match(String(first['webhook-chain']), /^0\./);
    const [one, two, three] = [first, again, second].map((headers) => String(headers['traceparent']));
    for (const trace of [one, two, three]) assert.match(trace ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    assert.equal(one?.slice(3, 35), two?.slice(3, 35), 'attempts share a trace');
    assert.notEqual(one, two, 'each attempt is a span');
    assert.notEqual(one?.slice(3, 35), three?.slice(3, 35));
  });

  describe('credentials in a receiver’s response', () => {
    const SECRET = 'Bearer top-secret/"value';
    const MASKED = /\*{10}/;

    async function attemptOf(webhook: string): Promise<{ response: string; response_headers: string }> {
      const [log] = await hooks.logUntil(webhook, delivered);
      const reply = await hooks.request('GET', `/api/resource/Webhook Request Log/${log?.name}`);
      assert.equal(reply.body.data.response, reply.body.data.attempts[0].response);
      assert.ok(!reply.text.includes('top-secret'), reply.text);
      return reply.body.data.attempts[0];
    }

    async function echoed(): Promise<{ name: string; secret: string }> {
      hooks.receiver.mode = 'echo';
      const made = await hooks.webhook({ webhook_headers: [{ key: 'Authorization', value: SECRET }] });
      assert.equal((await next()).headers.authorization, SECRET);
      return made;
    }

    test('are masked in the log, in body and headers', async () => {
      const { response, response_headers } = await attemptOf((await echoed()).name);
      assert.match(JSON.parse(response).authorization, MASKED);
      assert.match(JSON.parse(response_headers)['x-echo'], MASKED);
      assert.match(JSON.parse(response)['webhook-id'], /^dlv_/);
    });

    test('are masked in older log entries, too', async () => {
      const { name: webhook, secret } = await echoed();
      await attemptOf(webhook);
      const clear = JSON.stringify({ authorization: SECRET, key: secret });
      const error = `redirect: status 302 to https://a.test/?t=${encodeURIComponent(SECRET)}`;
      const { site, observed } = hooks;
      await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
        await ctx.db.run(
          sql`update "_webhook_attempt" set "response" = ${clear}, "response_headers" = ${clear}, "error" = ${error}`,
        );
        await ctx.db.run(sql`update "_webhook_delivery" set "error" = ${error}`);
        await ctx.db.run(sql`delete from "_setting" where "key" = 'responses_scrubbed'`);
      });
      await scrubResponses(site);
      const { response, response_headers } = await attemptOf(webhook);
      for (const text of [response, response_headers]) {
        assert.match(JSON.parse(text).authorization, MASKED);
        assert.match(JSON.parse(text).key, MASKED);
      }
      const [log] = await hooks.logs(webhook);
      assert.equal(log?.['error'], 'redirect: status 302 to https://a.test/?t=**********');
      const warnings = observed.flatMap((seen) => (seen.kind === 'warning' ? [seen.message] : []));
      assert.ok(warnings.some((text) => text.includes(webhook) && text.includes('replace the credentials')));
      const before = warnings.length;
      await scrubResponses(site);
      assert.equal(observed.filter(({ kind }) => kind === 'warning').length, before, 'it runs once');
    });
  });

  test('unchecked header rows are dropped if they would forge or break a request', async () => {
    const { name: webhook, secret } = await hooks.webhook();
    const forged = {
      host: 'evil.example.com',
      'Content-Length': '1',
      'transfer-encoding': 'chunked',
      'Webhook-Signature': 'v1,AAAA',
      webhook_id: 'dlv_other',
      'svix-id': 'dlv_other',
      'svix-signature': 'v1,AAAA',
      'X-Hub-Signature-256': 'sha256=00',
      'x-service-webhook-signature': 'AAAA',
      'x-split': 'a\r\nwebhook-id: b',
      'bad name': 'x',
      traceparent: 'mine',
      'x-good': ' yes ',
      'X-GOOD': 'no',
    };
    hooks.receiver.mode = 'retry-after';
    await hooks.note();
    await hooks.logUntil(webhook, (found) => found[0]?.attempt === 1);
    hooks.receiver.mode = 'ok';
    await unitOfWork(hooks.site, ADMINISTRATOR, (ctx) =>
      ctx.db.run(sql`update "_webhook_body" set "headers" = ${JSON.stringify(forged)}`),
    );
    await hooks.put(`Webhook/${webhook}`, { enabled: 0 });
    await hooks.put(`Webhook/${webhook}`, { enabled: 1 });
    const got = (await hooks.receiver.count(2))[1];
    assert.ok(got && verifies(got, secret));
    assert.equal(got.headers['x-service-webhook-signature'], plain(secret, got));
    assert.equal(got.headers.host, `127.0.0.1:${hooks.receiver.port}`);
    assert.equal(got.headers['x-good'], 'yes');
    for (const name of ['webhook_id', 'svix-id', 'svix-signature', 'x-hub-signature-256', 'x-split']) {
      assert.ok(!(name in got.headers), name);
    }
    assert.match(String(got.headers['traceparent']), /^00-[0-9a-f]{32}-/);
  });

  test('nothing unexpected was observed', () => {
    assert.deepEqual(
      hooks.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });
});
