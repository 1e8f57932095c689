/** Two sites in two schemas of one database, both behind a PgBouncer in transaction mode. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listen } from '../support/events.ts';
import { notes } from '../support/notes/app.ts';
import { NO_PGBOUNCER, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { asPostgresAdmin, freshDatabaseUrl, postgresUrl } from '../support/postgres.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const READ = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const BILL = {
  name: 'Bill',
  custom: 1,
  autoname: 'B-.####',
  fields: [{ fieldname: 'total', fieldtype: 'Int' }],
  permissions: READ,
};
const TUS = { 'tus-resumable': '1.0.0' };

describe('sites behind PgBouncer', { skip: NO_PGBOUNCER }, () => {
  let pooler: PgBouncer;
  let receiver: WebhookReceiver;
  const schemas: { url: string; drop(): Promise<void> }[] = [];
  const sites: TestSite[] = [];
  const site = (place = 0) => sites[place] as TestSite;

  before(async () => {
    const [server, one, other] = await Promise.all([
      postgresUrl(),
      freshDatabaseUrl('postgres'),
      freshDatabaseUrl('postgres'),
    ]);
    schemas.push(one, other);
    pooler = await startPgBouncer(server);
    receiver = await WebhookReceiver.start();
    for (const { url } of schemas) {
      const config = { database: pooler.through(url) };
      sites.push(await startTestSite('postgres', { apps: [notes], worker: true, config, doctypes: [BILL] }));
    }
  });
  after(async () => {
    for (const one of sites) await one.stop();
    for (const { drop } of schemas) await drop();
    await receiver.close();
    await pooler.stop();
  });

  test('each site has its tables in its own schema', async () => {
    await asPostgresAdmin(async (client) => {
      const { rows } = await client.query(
        `select n.nspname as schema, count(*)::int as tables from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relname in ('Note', '_migration', '_webhook_delivery', 'Bill') group by 1 order by 1`,
      );
      const mine = sites.map((one) => one.site.database.dialect.schema);
      const found = rows.filter(({ schema }) => mine.includes(schema) || schema === 'public');
      assert.deepEqual(new Set(found.map(({ schema }) => schema)), new Set(mine));
      assert.deepEqual(
        found.map(({ tables }) => tables),
        [4, 4],
      );
    });
  });

  test('documents are written, listed, renamed and deleted, in one site only', async () => {
    await site().make('Note', { name: 'one', title: 'First', items: [] });
    await site().did('PUT', 'Note/one', { title: 'Second' });
    const listed = `Note?fields=["name","title"]&filters=${encodeURIComponent('[["title","like","%eco%"]]')}`;
    assert.deepEqual(await site().did('GET', listed), [{ name: 'one', title: 'Second' }]);
    assert.equal((await site(1).request('GET', '/api/resource/Note/one')).status, 404);
    await site().call('frappe.client.rename_doc', { doctype: 'Note', old_name: 'one', new_name: 'two' });
    assert.equal((await site().did('GET', 'Note/two')).title, 'Second');
    await site().did('DELETE', 'Note/two');
  });

  test('a doctype gets columns and indexes while others read it', async () => {
    const reading = Promise.all(Array.from({ length: 30 }, () => site().did('GET', 'Bill')));
    const fields = [...BILL.fields, { fieldname: 'due', fieldtype: 'Date', search_index: 1 }];
    await site().did('PUT', 'DocType/Bill', { fields });
    await reading;
    const bill = await site().make('Bill', { due: '2026-01-31' });
    assert.equal((await site().did('GET', `Bill/${bill.name}`)).due, '2026-01-31');
  });

  test('names of a series are used once and without gaps, in each site', async () => {
    const make = (place: number) => site(place).make('Bill', { total: 1 });
    const made = await Promise.all(Array.from({ length: 60 }, (_, i) => make(i % 2)));
    for (const place of [0, 1]) {
      const numbers = made.filter((_, i) => i % 2 === place).map(({ name }) => Number(name.slice(2)));
      numbers.sort((a, b) => a - b);
      const [first = 0] = numbers;
      assert.deepEqual(
        numbers,
        Array.from({ length: 30 }, (_, i) => first + i),
      );
    }
  });

  test('requests with one Idempotency-Key make one document', async () => {
    const headers = { 'idempotency-key': 'pooled' };
    const send = () => site().request('POST', '/api/resource/Bill', { body: { total: 7 }, headers });
    const statuses = (await Promise.all(Array.from({ length: 10 }, send))).map(({ status }) => status);
    assert.ok(statuses.includes(200) && statuses.every((status) => status === 200 || status === 409));
    const made = await site().did('GET', `Bill?filters=${encodeURIComponent('{"total":7}')}`);
    assert.equal(made.length, 1);
    assert.equal((await send()).body.data.name, made[0].name);
  });

  test('a file arrives in parts', async () => {
    const begun = await site().request('POST', '/api/files/tus', {
      headers: { ...TUS, 'upload-length': '6', 'upload-metadata': `filename ${btoa('a.txt')}` },
    });
    assert.equal(begun.status, 201, begun.text);
    const path = begun.headers.get('location') ?? '';
    let last = begun;
    for (const [offset, part] of [
      [0, 'abc'],
      [3, 'def'],
    ] as const)
      last = await site().request('PATCH', path, {
        headers: {
          ...TUS,
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body: part,
      });
    assert.equal(last.status, 204, last.text);
    const file = await site().did('GET', `File/${last.headers.get('upload-document')}`);
    assert.equal((await site().request('GET', file.file_url)).text, 'abcdef');
  });

  test('listeners of the feed hear of changes', async () => {
    const stream = await listen(site().url, 'doctype=Note', `token ${site().adminKey}`);
    assert.equal((await stream.next())?.event, 'open');
    await site().make('Note', { name: 'heard', title: 'x' });
    assert.match(await stream.change(), /heard/);
    await stream.close();
  });

  test('webhooks are delivered once, and in order', async () => {
    await site().make('Webhook', {
      webhook_doctype: 'Note',
      webhook_docevent: 'on_update',
      request_url: receiver.url,
    });
    await site().make('Note', { name: 'told', title: '0' });
    receiver.received.length = 0;
    for (let time = 1; time <= 20; time += 1) await site().did('PUT', 'Note/told', { title: String(time) });
    await receiver.count(20);
    assert.deepEqual(
      receiver.received.map(({ body }) => Number(JSON.parse(body.toString()).title)),
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  test('connections to PostgreSQL stay few', async () => {
    const { length } = await pooler.servers();
    assert.ok(length > 0 && length <= 4, `${length} connections`);
  });
});
