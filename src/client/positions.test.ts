import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Positions } from './positions.ts';

const NAME = 'x-chancery-position';
const reply = (status: number, position: string | null) => ({ status, header: () => position });
const sent = (positions: Positions, method = 'GET') => positions.begin(method).headers[NAME];

test('the newest position is sent with each request', () => {
  const positions = new Positions(true);
  assert.equal(sent(positions), undefined);
  // [the position in the reply to a change, what is sent afterwards]
  const replies: readonly (readonly [string | null, string])[] = [
    ['1-ff-a', '1-ff-a'],
    ['1-100-b', '1-100-b'],
    ['1-fe-c', '1-100-b'],
    [null, '1-100-b'],
    ['1-1ff-d', '1-1ff-d'],
    ['1-1fa-e', '1-1ff-d'],
    ['2-1-f', '2-1-f'],
    ['1-fffff-g', '2-1-f'],
    ['10-1-h', '10-1-h'],
    ['a-2-i', '10-1-h'],
  ];
  for (const [position, expected] of replies) {
    positions.begin('POST').answered(reply(200, position));
    for (const method of ['GET', 'PUT']) assert.equal(sent(positions, method), expected);
  }
});

test('a cookie is not sent twice', () => {
  const positions = new Positions(false);
  positions.begin('POST').answered(reply(200, '1-1-a'));
  assert.equal(sent(positions), undefined);
});

test('what others changed is read from the primary, until an own change comes after it', () => {
  for (const keeps of [true, false]) {
    const positions = new Positions(keeps);
    const asksPrimary = () => sent(positions) === 'primary';
    assert.equal(asksPrimary(), false);
    positions.noteNews();
    assert.equal(asksPrimary(), true);
    positions.begin('GET').answered(reply(200, null));
    assert.equal(asksPrimary(), true);
    positions.begin('POST').answered(reply(200, null));
    assert.equal(asksPrimary(), true, 'it was no change');
    const early = positions.begin('POST');
    positions.noteNews();
    early.answered(reply(200, '1-1-a'));
    assert.equal(asksPrimary(), true, 'the change began before the news');
    positions.begin('PUT').answered(reply(200, '1-2-a'));
    early.answered(reply(200, '1-1-a'));
    assert.equal(asksPrimary(), false);
    for (const lost of [reply(503, null), reply(500, ''), reply(409, ''), null]) {
      positions.begin('GET').answered(lost);
      positions.begin('PUT').answered(reply(417, null));
      assert.equal(asksPrimary(), false, 'nothing was changed');
      positions.begin('PUT').answered(lost);
      positions.begin('PUT').answered(reply(417, null));
      assert.equal(asksPrimary(), true, 'the change may have been made');
      positions.begin('PUT').answered(reply(200, '1-3-a'));
      assert.equal(asksPrimary(), false);
    }
  }
});
