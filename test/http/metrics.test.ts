import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { QueueWatch } from '../../src/webhook/control/queue-watch.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';

const TOKEN = 'a-token-for-prometheus';

const SITE = {
  apps: [notes],
  config: {
    metrics: { token: TOKEN },
    webhooks: { ...DEFAULT_CONFIG.webhooks, worker: false, allow: ['127.0.0.0/8'] },
  },
};

describeEither('metrics and health', SITE, (site) => {
  const metrics = (as: string | null) => site.request('GET', '/metrics', { as });
  const admin = () => `token ${site.adminKey}`;
  const numberOf = (text: string, line: string) =>
    Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.slice(line.length + 1),
    );

  test('the token or a key of a System Manager opens them, nothing else does', async () => {
    for (const as of [`Bearer ${TOKEN}`, admin()]) {
      const reply = await metrics(as);
      assert.equal(reply.status, 200, reply.text);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    }
    const user = await site.createUser('user@example.com', ['Note Writer']);
    assert.equal((await metrics(null)).status, 403);
    assert.equal((await metrics(user)).status, 403);
    for (const as of [`Bearer ${TOKEN}x`, 'Bearer x', 'token a:b', `Basic ${TOKEN}`])
      assert.equal((await metrics(as)).status, 401, as);
    // The token opens nothing else.
    assert.equal((await site.request('GET', '/api/resource/Note', { as: `Bearer ${TOKEN}` })).status, 401);
  });

  test('they are in the text format, and count what is done', async () => {
    const before = (await metrics(admin())).text;
    await site.request('GET', '/api/resource/Note');
    const { text } = await metrics(admin());
    const line = 'chancery_http_requests_total{work="list",code="2xx"}';
    assert.equal(numberOf(text, line), (numberOf(before, line) || 0) + 1);
    assert.equal(numberOf(text, 'chancery_database_up'), 1);
    for (const each of text.trimEnd().split('\n')) {
      assert.match(
        each,
        /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? [\d.e+-]+)$/,
      );
    }
    const names = text.split('\n').flatMap((each) => /^# TYPE (\S+)/.exec(each)?.[1] ?? []);
    assert.equal(new Set(names).size, names.length);
    const buckets = [
      ...text.matchAll(/chancery_http_request_seconds_bucket\{work="list",le="[^"]*"\} (\d+)/g),
    ];
    const counts = buckets.map(([, count]) => Number(count));
    assert.ok(counts.length > 5);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
    );
    assert.equal(counts.at(-1), numberOf(text, 'chancery_http_request_seconds_count{work="list"}'));
  });

  test('the queue is counted, and health says when nobody delivers', async () => {
    assert.equal((await site.request('GET', '/health', { as: null })).text, '{"status":"ok"}');
    const hook = {
      webhook_doctype: 'Note',
      webhook_docevent: 'on_update',
      request_url: 'http://127.0.0.1:9/',
    };
    const made = await site.request('POST', '/api/resource/Webhook', { body: hook });
    const { name } = made.body.data;
    for (const note of ['one', 'two']) {
      await site.request('POST', '/api/resource/Note', { body: { name: note, title: 'x' } });
      await site.request('PUT', `/api/resource/Note/${note}`, { body: { title: 'y' } });
    }
    await site.request('PUT', '/api/resource/Note/two', { body: { title: 'z' } });
    const { site: open } = site;
    const fresh = () => new QueueWatch(open);
    const { deliveries, oldest } = await fresh().figures();
    assert.deepEqual(deliveries, { waiting: 2, sending: 0, held: 0, parked: 1 });
    assert.ok(oldest >= 0 && oldest < 600, String(oldest));
    assert.equal(await fresh().isStuck(), false);

    const age = (millis: number) =>
      open.database.transaction((connection) =>
        connection.run(sql`update "_webhook_delivery" set "due_at" = "due_at" - ${millis} where "state" = 0`),
      );
    await age(LIMITS.deliveriesLate + 1_000);
    const late = fresh();
    assert.equal(late.wasStuck(), false);
    assert.equal(await late.isStuck(), true);
    assert.equal(late.wasStuck(), true);
    // A paused receiver is no fault of ours, nor one that rests since it failed for another webhook.
    const beside = await site.make('Webhook', { ...hook, webhook_docevent: 'on_trash' });
    const soon = Date.now() + 60_000;
    for (const rest of [
      sql`("webhook", "paused_until") values (${name}, ${soon})`,
      sql`("webhook", "breaker_until") values (${String(beside.name)}, ${soon})`,
    ]) {
      await open.database.transaction((connection) =>
        connection.run(sql`insert into "_webhook_endpoint" ${rest}`),
      );
      assert.equal(await fresh().isStuck(), false);
      await open.database.transaction((connection) => connection.run(sql`delete from "_webhook_endpoint"`));
      assert.equal(await fresh().isStuck(), true);
    }
    // Neither is one that answered lately, if badly.
    await open.database.transaction((connection) =>
      connection.run(
        sql`update "_webhook_delivery" set "attempt" = 1, "due_at" = ${Date.now() + 5_000}
              where "state" = 0 and "reference_document" = 'one'`,
      ),
    );
    assert.equal(await fresh().isStuck(), false);
  });
});
