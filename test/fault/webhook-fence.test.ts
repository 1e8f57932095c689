/** A server whose heartbeats fail sends nothing, and goes on as soon as they succeed again. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import type { Connection } from '../../src/db/database.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { ENGINES } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';

/** Longer than the time after which a server without heartbeats begins nothing; milliseconds. */
const FENCED = 7_000;
/** Heartbeats in which a delivery that may begin begins. One that was forgotten takes sixty. */
const BEATS = 20;

type Reads = Pick<Connection, 'get'>;

describe('heartbeats that fail', { skip: !ENGINES.includes('postgres') }, () => {
  const waiting: ServerResponse[] = [];
  let isSlow = true;
  let received = 0;
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    received += 1;
    void text(request).then((body) => bodies.push(JSON.parse(body).name));
    if (isSlow) waiting.push(response);
    else response.end();
  });
  let hooks: WebhookSite;
  before(async () => {
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    hooks = await startWebhookSite('postgres');
  });
  after(async () => {
    await hooks.stop();
    receiver.closeAllConnections();
    receiver.close();
  });

  const number = async (query: Sql, from: Reads = hooks.site.database.reader) =>
    Number((await from.get(query))?.['value']);
  const inState = (state: number, from?: Reads) =>
    number(sql`select count(*) as "value" from "_webhook_delivery" where "state" = ${state}`, from);
  const seenAt = () => number(sql`select max("seen_at") as "value" from "_webhook_node"`);

  test('what is in memory is sent once they succeed', async () => {
    const { port } = receiver.address() as AddressInfo;
    await hooks.webhook({ request_url: `http://127.0.0.1:${port}/`, timeout: 60 });
    for (let made = 0; made < 6; made += 1) await hooks.note();
    await until(async () => received > 0 && (await inState(1)) > received);
    let begun = 0;
    await hooks.site.database.transaction(async (connection) => {
      await connection.run(sql`lock table "_webhook_node" in exclusive mode`);
      const age = sql`select extract(epoch from clock_timestamp()) * 1000 - max("seen_at") as "value"
        from "_webhook_node"`;
      await until(
        () => number(age, connection),
        (found) => found > FENCED,
      );
      begun = received;
      assert.ok((await inState(1, connection)) > begun, 'some are in memory');
      // Another server, which dies soon after, has taken over the last of them.
      await connection.run(sql`insert into "_webhook_node" ("node", "seen_at")
        values ('other', extract(epoch from clock_timestamp()) * 1000)`);
      await connection.run(sql`update "_webhook_delivery" set "owner" = 'other', "epoch" = "epoch" + 1
        where "id" = (select max("id") from "_webhook_delivery" where "state" = 1)`);
      isSlow = false;
      for (const response of waiting) response.end();
      await until(
        () => inState(2, connection),
        (delivered) => delivered >= begun,
      );
      assert.equal(received, begun, 'nothing begins');
    });
    let last = await seenAt();
    for (let beats = 0; received === begun; ) {
      const seen = await until(seenAt, (found) => found > last || received > begun);
      if (seen > last) beats += 1;
      last = seen;
      assert.ok(beats < BEATS, `${beats} heartbeats`);
    }
    await until(
      () => inState(2),
      (delivered) => delivered === 6,
    );
    assert.equal(new Set(bodies).size, 6);
    assert.equal(bodies.length, 6, 'each is sent once');
  });
});
