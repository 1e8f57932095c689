/** The work of an idle node for PostgreSQL: statements and connections. */

import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import pg from 'pg';
import { sql } from '../../src/db/sql.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const PULSES = 6;

describe('an idle node', () => {
  const sent: string[] = [];
  const clients = new Set<pg.Client>();
  let site: TestSite;
  before(async () => {
    const query = pg.Client.prototype.query;
    mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
      const [first] = args;
      sent.push(typeof first === 'string' ? first : String((first as { text?: unknown }).text));
      clients.add(this);
      return Reflect.apply(query, this, args);
    });
    site = await startTestSite('postgres', { worker: true });
    await site.request('GET', '/api/resource/User');
  });
  after(async () => {
    await site.stop();
    mock.restoreAll();
  });

  const pulses = () => sent.filter((text) => text.includes('_webhook_node')).length;

  test('sends at most three statements with each heartbeat of its webhook worker, once a second', async () => {
    await until(() => pulses() > 2);
    sent.length = 0;
    await until(() => pulses() > PULSES);
    // What belongs to the last heartbeat may be on its way.
    const counted = sent.slice(
      0,
      sent.findLastIndex((text) => text.includes('_webhook_node')),
    );
    assert.ok(
      counted.length <= 3 * PULSES,
      `${counted.length} statements: ${counted.map((text) => text.slice(0, 90)).join('\n')}`,
    );
  });

  test('keeps at most five connections', async () => {
    const open = async () => {
      const pids = [...clients].map((client) =>
        Number((client as unknown as { processID: number }).processID),
      );
      const row = await site.site.database.reader.get(
        sql`select count(*) as n from pg_stat_activity where pid in (select value::int from json_array_elements_text(${JSON.stringify(pids)}))`,
      );
      return Number(row?.['n']);
    };
    assert.ok((await until(open, (count) => count <= 5)) >= 1);
  });
});
