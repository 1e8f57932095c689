/** The judge of the chaos suite finds every kind of fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, type Entry, gaps, losses, outcomeOf, type Stored } from './journal.ts';

const ENTRY: Entry = {
  kind: 'document',
  title: 'a',
  outcome: 'acknowledged',
  name: 'C-1',
  step: 1,
  maybe: 2,
  log: ['POST: 200'],
};
const stored = (more: Partial<Stored> = {}): Stored => ({ title: 'a', name: 'C-1', step: 1, ...more });

const CASES: readonly [string, Partial<Entry>, readonly Stored[], RegExp | null][] = [
  ['all is there', {}, [stored()], null],
  ['a change may be stored', {}, [stored({ step: 2 })], null],
  ['a refusal is not stored', { outcome: 'refused' }, [], null],
  ['an unknown creation is there', { outcome: 'unknown' }, [stored()], null],
  ['an unknown creation is not there', { outcome: 'unknown' }, [], null],
  ['a document is lost', {}, [], /acknowledged and is lost/],
  ['a document is there twice', {}, [stored(), stored({ name: 'C-2' })], /more than once/],
  [
    'an unknown one is there twice',
    { outcome: 'unknown' },
    [stored(), stored({ name: 'C-2' })],
    /more than once/,
  ],
  ['a refusal is stored', { outcome: 'refused' }, [stored()], /was refused and is stored/],
  ['another name', {}, [stored({ name: 'C-2' })], /was acknowledged as C-1/],
  ['a change is lost', {}, [stored({ step: 0 })], /has step 0, not 1 to 2/],
  ['a change that nobody made', {}, [stored({ step: 3 })], /has step 3/],
  ['a document that nobody made', {}, [stored(), stored({ title: 'b' })], /nobody made it/],
];

for (const [what, entry, documents, wanted] of CASES) {
  test(what, () => {
    const found = compare([{ ...ENTRY, ...entry }], documents);
    if (wanted === null) assert.deepEqual(found, []);
    else assert.match(found.join('\n'), wanted);
  });
}

test('a series without a gap', () => {
  assert.deepEqual(gaps(['C-0002', 'C-0001', 'C-0003']), []);
  assert.deepEqual(gaps(['C-1', 'C-3']), ['the series goes from 1 to 3']);
  assert.deepEqual(gaps(['C-1', 'C-1']), ['the series goes from 1 to 1']);
});

const REPLIES: readonly [number, string, string | null, string, boolean][] = [
  [200, '{"data": {}}', null, 'acknowledged', false],
  [503, '{"exc_type": "ServiceUnavailableError"}', '1', 'refused', false],
  [503, '{"exc_type": "ServiceUnavailableError"}', null, 'refused', true],
  [503, '<html>', null, 'unknown', false],
  [0, 'terminated', null, 'unknown', false],
  [504, '{"exc_type": "OutcomeUnknownError"}', null, 'unknown', false],
  [504, '{"exc_type": "OutcomeUnknownError"}', '1', 'unknown', true],
  [409, '{"exc_type": "IdempotencyInProgressError"}', '1', 'unknown', false],
  [500, '{"exc_type": "InternalError"}', null, 'unknown', true],
  [417, '{"exc_type": "ValidationError"}', null, 'refused', true],
];

for (const [status, text, retryAfter, outcome, isFault] of REPLIES) {
  test(`${status} ${text} with Retry-After ${retryAfter} is ${outcome}`, () => {
    const found = outcomeOf({ status, text, headers: { get: () => retryAfter } });
    assert.equal(found.outcome, outcome);
    assert.equal(found.fault !== null, isFault);
  });
}

test('what is lost is counted', () => {
  const all = [ENTRY, { ...ENTRY, title: 'b', name: 'C-2' }, { ...ENTRY, title: 'c', name: 'C-3' }];
  const refused: Entry = { ...ENTRY, title: 'd', name: null, outcome: 'refused' };
  const found = losses([...all, refused], [stored(), stored({ title: 'b', name: 'C-2', step: 0 })]);
  assert.deepEqual(
    found.map(({ title }) => title),
    ['b', 'c'],
  );
});
