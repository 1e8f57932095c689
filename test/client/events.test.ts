/** `events` of chancery/client: connections that break, servers that refuse. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import type { DocTypes } from '../../apps/crm/doctypes.d.ts';
import { type Client, type ClientEvent, createClient } from '../../src/client.ts';
import { sql } from '../../src/db/sql.ts';
import { ChangeFeed } from '../../src/feed/feed.ts';
import { pruneChanges } from '../../src/feed/prune-changes.ts';
import { describeEither } from '../support/describe-site.ts';

describeEither("the client's events", { apps: [crm] }, (site, engine) => {
  let client: Client<DocTypes>;
  /** Breaks the connections that are open. */
  let cut = () => {};
  /** What happens before the next connection. */
  let meanwhile = async () => {};
  before(async () => {
    client = createClient<DocTypes>({
      url: site.url,
      token: site.adminKey,
      async fetch(input, init) {
        if (!String(input).includes('/api/events')) return fetch(input, init);
        await meanwhile();
        const response = await fetch(input, init);
        if (!response.body) return response;
        const broken = new TransformStream<Uint8Array, Uint8Array>({
          start(controller) {
            cut = () => controller.error(new TypeError('cut'));
          },
        });
        // The server asks for two seconds; a test has no time.
        const hurried = new TransformStream<string, string>({
          transform: (text, controller) => controller.enqueue(text.replace(/^retry: \d+/, 'retry: 1')),
        });
        const text = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(hurried);
        const body = text.pipeThrough(new TextEncoderStream()).pipeThrough(broken);
        return new Response(body, { status: response.status, headers: response.headers });
      },
    });
  });

  const create = (name: string) => client.create('Customer', { customer_name: name });
  async function next(events: AsyncGenerator<ClientEvent<'Customer'>>): Promise<string> {
    const { value } = await events.next();
    if (!value) return 'end';
    return value.type === 'change' ? `${value.event} ${value.name}` : value.type;
  }

  test('a loop continues after broken connections, without gaps or repeats', async () => {
    const end = new AbortController();
    const events = client.events({ doctype: 'Customer', signal: end.signal });
    assert.equal(await next(events), 'open');
    for (const round of [1, 2, 3]) {
      await create(`Heard ${round}`);
      assert.equal(await next(events), `after_insert Heard ${round}`);
      meanwhile = async () => {
        meanwhile = async () => {};
        await create(`Missed ${round}`);
      };
      cut();
      assert.equal(await next(events), `after_insert Missed ${round}`);
    }
    await client.update('Customer', 'Heard 1', { phone: '1' });
    assert.equal(await next(events), 'on_update Heard 1');
    const waiting = next(events);
    end.abort();
    assert.equal(await waiting, 'end');
  });

  test('the first connection waits for a server that asks for it, and for no other', async () => {
    for (const [status, headers, expected] of [
      [503, { 'retry-after': '1' }, 'open'],
      [429, { 'retry-after': '1' }, 'open'],
      [503, {}, 'refused'],
      [403, { 'retry-after': '1' }, 'refused'],
    ] as const) {
      let asked = 0;
      const refused = createClient<DocTypes>({
        url: site.url,
        token: site.adminKey,
        fetch(input, init) {
          asked += 1;
          return asked === 1 ? Promise.resolve(new Response('{}', { status, headers })) : fetch(input, init);
        },
      });
      const events = refused.events({ doctype: 'Customer' });
      assert.equal(
        await next(events).catch(() => 'refused'),
        expected,
        `${status} ${JSON.stringify(headers)}`,
      );
      await events.return();
    }
  });

  test('lost events give a reset; names select documents; an id resumes', async () => {
    const events = client.events({ doctype: ['Customer'], name: 'One' });
    const first = await events.next();
    assert.ok(first.value?.type === 'open');
    await create('Another');
    await create('One');
    assert.equal(await next(events), 'after_insert One');
    meanwhile = async () => {
      meanwhile = async () => {};
      await create('Forgotten');
      await pruneChanges(site.site, 0);
    };
    cut();
    assert.equal(await next(events), 'reset');
    const later = await create('Later');
    await client.update('Customer', 'One', { phone: '2' });
    const change = await events.next();
    assert.ok(change.value?.type === 'change');
    await events.return();

    await client.update('Customer', later.name, { phone: '3' });
    const going = client.events({ doctype: 'Customer', after: change.value.id });
    assert.equal(await next(going), 'open');
    assert.equal(await next(going), 'on_update Later');
    await going.return();
  });

  if (engine === 'postgres')
    test('a listener begins once the transactions before the deleted changes have ended', async () => {
      const customers = new Set(['Customer']);
      const feed = new ChangeFeed(site.site);
      await feed.follow(customers);
      const begun = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const older = site.site.database.transaction(async (db) => {
        await db.get(sql`select pg_current_xact_id()`);
        begun.resolve();
        await end.promise;
      });
      await begun.promise;
      await create('Forgotten too');
      await pruneChanges(site.site, 0);
      const beginning = feed.now(customers);
      setTimeout(end.resolve, 300);
      assert.equal(await feed.reaches(await beginning, customers), true);
      await older;
    });

  test('a refusal is an error', async () => {
    const nobody = createClient<DocTypes>({ url: site.url });
    await assert.rejects(nobody.events({ doctype: 'Customer' }).next(), { type: 'PermissionError' });
    const nowhere = createClient<DocTypes>({ url: 'http://127.0.0.1:1', token: 'a:b' });
    await assert.rejects(nowhere.events({ doctype: 'Customer' }).next(), { type: 'ConnectionError' });
  });
});
