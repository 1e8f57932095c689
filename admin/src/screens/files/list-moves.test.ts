import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moved, rangeOf } from './list-moves.ts';

const LIST = { count: 100, columns: 1, page: 10, isRtl: false };
const GRID = { count: 10, columns: 4, page: 2, isRtl: false };

describe('moving in a list', () => {
  it('stays within it', () => {
    assert.deepEqual(moved({ at: 0, anchor: 0 }, 'ArrowUp', false, LIST), { at: 0, anchor: 0 });
    assert.deepEqual(moved({ at: 95, anchor: 0 }, 'PageDown', false, LIST), { at: 99, anchor: 99 });
    assert.equal(moved({ at: 0, anchor: 0 }, 'ArrowRight', false, LIST), null);
    assert.equal(moved({ at: 0, anchor: 0 }, 'End', false, { ...LIST, count: 0 }), null);
  });

  it('selects a range with Shift', () => {
    const first = moved({ at: 5, anchor: 5 }, 'ArrowDown', true, LIST);
    assert.deepEqual(first, { at: 6, anchor: 5 });
    assert.deepEqual(rangeOf({ at: 3, anchor: 5 }), [3, 6]);
  });

  it('follows rows in a grid, and the writing direction', () => {
    assert.equal(moved({ at: 1, anchor: 1 }, 'ArrowDown', false, GRID)?.at, 5);
    assert.equal(moved({ at: 7, anchor: 7 }, 'ArrowDown', false, GRID)?.at, 9);
    assert.equal(moved({ at: 1, anchor: 1 }, 'ArrowRight', false, GRID)?.at, 2);
    assert.equal(moved({ at: 1, anchor: 1 }, 'ArrowRight', false, { ...GRID, isRtl: true })?.at, 0);
  });
});
