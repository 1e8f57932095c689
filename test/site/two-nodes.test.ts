/**
 * Two servers, each a process of its own, on one PostgreSQL database: doctypes and settings that one of them
 * changes.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const KEY = 'admin-key:admin-secret-0123456789';
const PERMISSIONS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const FIELDS = [
  { fieldname: 'title', fieldtype: 'Data' },
  { fieldname: 'size', fieldtype: 'Int' },
];

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  readonly body: any;
}

describe('two nodes', () => {
  const root = mkdtempSync(join(tmpdir(), 'chancery-two-nodes-'));
  const nodes: ServerProcess[] = [];
  let env: Record<string, string> = {};
  let drop = async () => {};

  before(async () => {
    const database = await freshDatabaseUrl('postgres');
    drop = database.drop;
    env = {
      CHANCERY_ADMIN_API_KEY: KEY,
      CHANCERY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      CHANCERY_DATABASE: database.url,
      CHANCERY_FILES: join(root, 'files'),
    };
    for (const name of ['a', 'b']) {
      nodes.push(await startServerProcess(['--data', join(root, name), '--apps', ''], { env }));
    }
  });
  after(async () => {
    for (const node of nodes) await node.end('SIGKILL');
    await drop();
    rmSync(root, { recursive: true, force: true });
  });

  async function request(node: number, method: string, path: string, body?: object): Promise<Reply> {
    const response = await fetch(`${nodes[node]?.url}/api/resource/${path}`, {
      method,
      headers: { authorization: `token ${KEY}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: await response.json() };
  }

  async function ok(node: number, method: string, path: string, body?: object) {
    const reply = await request(node, method, path, body);
    assert.ok(reply.status === 200 || reply.status === 202, JSON.stringify(reply.body));
    return reply.body.data;
  }

  const define = (name: string) =>
    ok(0, 'POST', 'DocType', { name, module: 'Test', fields: FIELDS, permissions: PERMISSIONS });
  const known = (node: number, name: string) => async () => (await request(node, 'GET', name)).status === 200;

  test('a node with files of its own does not start, and says what to set', async () => {
    const { CHANCERY_FILES: _, ...others } = env;
    await assert.rejects(
      startServerProcess(['--data', join(root, 'c'), '--apps', ''], { env: others }),
      /^Error: the server ended with 1: \S+c\/files is not the place of this database's files\. .*set --files to a directory that they share, or to a bucket[^\n]+\n$/,
    );
  });

  test('the other node sees a new doctype, custom field and property setter', async () => {
    await define('Shared');
    await until(known(1, 'Shared'));
    await ok(0, 'POST', 'Custom%20Field', { dt: 'Shared', fieldname: 'colour', fieldtype: 'Data' });
    await until(async () => {
      const doc = await ok(1, 'POST', 'Shared', { title: 'x', colour: 'red' });
      return doc.colour === 'red';
    });
    await ok(0, 'POST', 'Property%20Setter', {
      doctype_or_field: 'DocField',
      doc_type: 'Shared',
      field_name: 'colour',
      property: 'reqd',
      value: '1',
    });
    await until(async () => (await request(1, 'POST', 'Shared', { title: 'x' })).status === 417);
    await ok(0, 'DELETE', 'Custom%20Field/Shared-colour');
    await until(async () => !('colour' in (await ok(1, 'POST', 'Shared', { title: 'x', colour: 'red' }))));
  });

  test('a node with the old definition writes as before the change', async () => {
    await define('Stale');
    await until(known(1, 'Stale'));
    const { name } = await ok(1, 'POST', 'Stale', { title: 'one', size: 1 });
    const widened = [
      FIELDS[0],
      { fieldname: 'size', fieldtype: 'Float' },
      { fieldname: 'more', fieldtype: 'Int' },
    ];
    await ok(0, 'PUT', 'DocType/Stale', { fields: widened });
    const late = await ok(1, 'POST', 'Stale', { title: 'two', size: 2 });
    await ok(1, 'PUT', `Stale/${name}`, { size: 3 });
    for (const [doc, size] of [
      [late.name, 2],
      [name, 3],
    ]) {
      const stored = await ok(0, 'GET', `Stale/${doc}`);
      assert.deepEqual([stored.size, stored.more], [size, 0]);
    }
    await ok(0, 'PUT', 'DocType/Stale', { fields: [{ ...FIELDS[0], unique: 1 }, ...widened.slice(1)] });
    const twin = await request(1, 'POST', 'Stale', { title: 'two', size: 9 });
    assert.deepEqual([twin.status, twin.body.exc_type], [417, 'UniqueValidationError']);
  });

  test('a doctype dropped by the other node gives 404 or 503', async () => {
    await define('Brief');
    await until(known(1, 'Brief'));
    await ok(0, 'DELETE', 'DocType/Brief');
    for (const reply of await Promise.all([
      request(1, 'POST', 'Brief', { title: 'x' }),
      request(1, 'GET', 'Brief'),
      request(1, 'GET', 'Brief/x'),
    ])) {
      assert.ok([404, 503].includes(reply.status), JSON.stringify(reply));
    }
    await until(async () => (await request(1, 'GET', 'Brief')).status === 404);
  });

  test('a setting applies on this node with the reply, on the other within a second', async () => {
    const path = 'System%20Settings/System%20Settings';
    await ok(0, 'PUT', path, { timestamp_precision: 'microseconds' });
    const digits = async (node: number) => (await ok(node, 'GET', 'Role/All')).modified.length;
    assert.equal(await digits(0), 26);
    await until(async () => (await digits(1)) === 26);
    // Each node goes on from what the other saved.
    await ok(1, 'PUT', path, { timestamp_precision: 'seconds' });
    assert.equal(await digits(1), 19);
    await until(async () => (await digits(0)) === 19);
  });

  test('both nodes change one doctype at once, and each sees both changes', async () => {
    await define('Busy');
    await until(known(1, 'Busy'));
    const names = Array.from({ length: 6 }, (_, index) => `extra_${index}`);
    await Promise.all(
      names.map((fieldname, index) =>
        ok(index % 2, 'POST', 'Custom%20Field', { dt: 'Busy', fieldname, fieldtype: 'Data' }),
      ),
    );
    const values = Object.fromEntries(names.map((fieldname) => [fieldname, 'x']));
    for (const node of [0, 1]) {
      await until(async () => {
        const doc = await ok(node, 'POST', 'Busy', values);
        return names.every((fieldname) => doc[fieldname] === 'x');
      });
    }
  });
});
