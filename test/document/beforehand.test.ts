/** Slow work that no transaction lasts: it is done between two runs of the unit. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { OutcomeUnknown } from '../../src/db/driver-errors.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeEither } from '../support/describe-site.ts';

describeEither('work beforehand', {}, (site) => {
  const role = (ctx: Parameters<Parameters<typeof unitOfWork>[2]>[0], role_name: string) =>
    createDocument(ctx, 'Role', { role_name });

  test('is done outside of every transaction, once, and what was written before it is written once', async () => {
    let prepared = 0;
    const effects: string[] = [];
    const value = await unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
      ctx.onRollback(() => void effects.push('undone'));
      ctx.afterCommit(() => void effects.push('done'));
      await role(ctx, 'Before');
      return ctx.beforehand('key', async () => {
        prepared += 1;
        // SQLite's one writer would never get to this, were it waiting for us.
        await unitOfWork(site.site, ADMINISTRATOR, (other) => role(other, 'Between'));
        return 'made';
      });
    });
    assert.deepEqual([value, prepared], ['made', 1]);
    await new Promise(setImmediate);
    assert.deepEqual(effects, ['undone', 'done']);
    for (const name of ['Before', 'Between']) {
      await site.ok('GET', `/api/resource/Role/${name}`);
    }
  });

  test('its failure is the failure of the unit, and nothing is written', async () => {
    const unit = unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
      await role(ctx, 'Never');
      await ctx.beforehand('key', () => Promise.reject(new Error('no')));
    });
    await assert.rejects(unit, /no/);
    assert.equal((await site.request('GET', '/api/resource/Role/Never')).status, 404);
  });

  test('a unit that wants very much of it does the rest inside', async () => {
    const values = await unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
      const all: number[] = [];
      for (let n = 0; n < 20; n += 1) all.push(await ctx.beforehand(`key ${n}`, async () => n));
      return all;
    });
    assert.deepEqual(values, [...Array(20).keys()]);
  });

  for (const [what, error, undone] of [
    ['was not made', new ServiceError('ValidationError', 'no'), 20],
    ['may have been made', new OutcomeUnknown(null), 0],
  ] as const) {
    test(`is undone ${undone} times out of 20 when the commit ${what}`, async () => {
      const undos: number[] = [];
      const { database } = site.site;
      const { transaction } = database;
      mock.method(database, 'transaction', async (work: Parameters<typeof transaction>[0]) => {
        await transaction.call(database, work);
        throw error;
      });
      const unit = unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
        for (let n = 0; n < 20; n += 1)
          await ctx.beforehand(
            `key ${n}`,
            async () => n,
            (made) => void undos.push(made),
          );
      });
      await assert.rejects(unit, { type: error.type });
      mock.restoreAll();
      await new Promise(setImmediate);
      assert.equal(undos.length, undone);
    });
  }

  test('passwords of a bulk of users are hashed, and each opens its own account', async () => {
    const docs = Array.from({ length: 8 }, (_, n) => ({
      doctype: 'User',
      email: `bulk${n}@example.com`,
      first_name: 'B',
      new_password: `lagoon trombone ${n}`,
    }));
    await site.call('frappe.client.insert_many', { docs });
    for (const n of [0, 7]) {
      const body = { usr: `bulk${n}@example.com`, pwd: `lagoon trombone ${n}` };
      await site.call('login', body, null);
    }
  });
});
