/** An idempotency key is taken in the database, so that nodes that know nothing of each other agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { claimKey, findReply, storeReply } from '../../src/site/stored-replies.ts';
import { startTestSite } from '../support/site.ts';

test('a key that another node is using is refused, one that it has used is not taken again', async () => {
  const { site, stop } = await startTestSite('postgres');
  try {
    const claimed = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const first = unitOfWork(site, ADMINISTRATOR, async (ctx) => {
      assert.equal(await claimKey(ctx, 'key', 'digest'), true);
      claimed.resolve();
      await finish.promise;
      await storeReply(ctx, 'key', { status: 200, etag: '"1"', body: '{"data":"ok"}', rights: '{}' });
    });
    await claimed.promise;
    const claim = () => unitOfWork(site, ADMINISTRATOR, (ctx) => claimKey(ctx, 'key', 'digest'));
    await assert.rejects(claim(), { type: 'IdempotencyInProgressError' });
    assert.equal(await findReply(site, 'key'), null);
    finish.resolve();
    await first;
    assert.equal(await claim(), false);
    assert.deepEqual(await findReply(site, 'key'), {
      digest: 'digest',
      status: 200,
      etag: '"1"',
      body: '{"data":"ok"}',
      rights: '{}',
    });
  } finally {
    await stop();
  }
});
