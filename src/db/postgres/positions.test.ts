import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Row } from '../database.ts';
import { Positions } from './positions.ts';

const DAY = 24 * 60 * 60_000;

/** Questions whose answers the test gives. */
function questions(positions: Positions) {
  return () => {
    const { promise, resolve, reject } = Promise.withResolvers<Row>();
    const asked = positions.ask(() => promise);
    return {
      async answer(lsn: string, timeline = '00000001') {
        resolve({ lsn, timeline });
        await asked;
      },
      async fail() {
        reject(new Error('lost'));
        assert.equal(await asked, null);
      },
    };
  };
}

describe('positions of a process', () => {
  test('an answer counts for a request that began before its question', async () => {
    const positions = new Positions(DAY);
    const ask = questions(positions);
    const early = positions.asked;
    const question = ask();
    const late = positions.asked;
    assert.equal(positions.latestAfter(early), null);
    await question.answer('16/B374D848');
    assert.deepEqual(positions.latestAfter(early), { timeline: 1, lsn: 0x16b374d848n });
    assert.equal(positions.latestAfter(late), null);
  });

  test('answers that overtake each other leave the later position', async () => {
    const positions = new Positions(DAY);
    const ask = questions(positions);
    const [first, second] = [ask(), ask()];
    await second.answer('0/10');
    await first.answer('0/20');
    assert.equal(positions.latestAfter(0)?.lsn, 0x20n);
  });

  test('of two timelines, the one that was asked for last counts', async () => {
    const positions = new Positions(DAY);
    const ask = questions(positions);
    const [first, second] = [ask(), ask()];
    await second.answer('0/10', '0000000A');
    await first.answer('0/20');
    assert.deepEqual(positions.latestAfter(0), { timeline: 10, lsn: 0x10n });
  });

  test('after a commit of unknown position, only later questions count', async () => {
    const positions = new Positions(DAY);
    const ask = questions(positions);
    await ask().answer('0/10');
    const before = ask();
    const own = ask();
    await own.fail();
    positions.lose();
    assert.equal(positions.latestAfter(0), null);
    await before.answer('0/20');
    assert.equal(positions.latestAfter(0), null);
    await ask().answer('0/30');
    assert.equal(positions.latestAfter(0)?.lsn, 0x30n);
  });

  test('a server is fresh at a position that has a mark, on its timeline', async () => {
    const positions = new Positions(DAY);
    assert.equal(positions.isDue(DAY), true);
    assert.equal(positions.isFresh({ timeline: 1, lsn: 0x10n }), false);
    await questions(positions)().answer('0/10');
    assert.equal(positions.isDue(DAY), false);
    for (const [timeline, lsn, isFresh] of [
      [1, 0x0fn, false],
      [1, 0x10n, true],
      [2, 0x11n, false],
    ] as const)
      assert.equal(positions.isFresh({ timeline, lsn }), isFresh, `${timeline} ${lsn}`);
    await questions(positions)().answer('0/11', '00000002');
    assert.equal(positions.isFresh({ timeline: 1, lsn: 0x10n }), false, 'the primary has left the timeline');
    assert.equal(positions.isFresh({ timeline: 2, lsn: 0x11n }), true);
  });
});
