import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ProxyError } from '../../net/connect-error.ts';
import { classify, deliveryError } from '../send/delivery-error.ts';
import { Breaker } from './breaker.ts';
import { Chain, Linked } from './chain.ts';
import { Concurrency } from './concurrency.ts';
import { NetworkGuard } from './network-guard.ts';
import { Ramp } from './ramp.ts';
import { Timeline } from './timeline.ts';
import { TokenBucket } from './token-bucket.ts';
import { verdictOf } from './verdict.ts';

const RULES = { firstWait: 30_000, longestWait: 600_000 };

class Item extends Linked<Item> {}

test('a chain keeps its order when items leave it', () => {
  const step = fc.tuple(fc.constantFrom('add', 'remove'), fc.nat(9));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const items = Array.from({ length: 10 }, () => new Item());
      const chain = new Chain<Item>();
      let expected: Item[] = [];
      for (const [what, index] of steps) {
        const item = items[index] as Item;
        expected = expected.filter((each) => each !== item);
        if (what === 'add') expected.push(item);
        if (what === 'add') chain.add(item);
        else chain.remove(item);
        const found: Item[] = [];
        for (let each = chain.first; each; each = each.next) found.push(each);
        assert.ok(found.length === expected.length && found.every((each, at) => each === expected[at]));
        assert.equal(chain.size, expected.length);
      }
    }),
  );
});

test('a timeline returns due items, the earliest first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000)), fc.nat(1_000), (times, now) => {
      const timeline = new Timeline<number>();
      for (const at of times) timeline.add(at, at);
      const taken: number[] = [];
      for (let at = timeline.take(now); at !== null; at = timeline.take(now)) taken.push(at);
      const sorted = times.toSorted((left, right) => left - right);
      assert.deepEqual(
        taken,
        sorted.filter((at) => at <= now),
      );
      assert.equal(timeline.next, sorted.find((at) => at > now) ?? Number.POSITIVE_INFINITY);
    }),
  );
});

test('a token bucket never exceeds its rate and burst', () => {
  const gaps = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6_000 }),
      fc.integer({ min: 1, max: 50 }),
      gaps,
      (perMinute, burst, steps) => {
        const bucket = new TokenBucket({ perMinute, burst }, 0);
        let [now, passed] = [0, 0];
        for (const gap of steps) {
          now += gap;
          while (bucket.wait(now) === 0) {
            bucket.take(now);
            passed += 1;
          }
          assert.ok(passed <= burst + (now * perMinute) / 60_000 + 1e-6);
          // What it says of the wait is true, and no more than that.
          const wait = bucket.wait(now);
          assert.ok(wait <= Math.ceil(60_000 / perMinute));
        }
        const wait = bucket.wait(now);
        assert.equal(bucket.wait(now + wait), 0);
      },
    ),
    // Found in the wild: thirds and fifteenths that did not add up to one.
    { examples: [[4, 1, [0, 2958, 1569, 1168, 52, 158]]] },
  );
});

test('after a pause one delivery passes in the first second, two in the next, then four', () => {
  const ramp = new Ramp();
  assert.equal(ramp.wait(0), 0);
  ramp.start(1_000);
  const passed: number[] = [];
  for (let second = 0; second < 10; second += 1) {
    let count = 0;
    for (let now = 1_000 + second * 1_000; now < 2_000 + second * 1_000; now += 1) {
      if (ramp.wait(now) > 0) continue;
      ramp.began(now);
      count += 1;
    }
    passed.push(count);
  }
  assert.deepEqual(passed, [1, 2, 4, 8, 16, 32, 64, 128, 256, 1_000]);
});

describe('breaker', () => {
  function opened(): Breaker {
    const breaker = new Breaker(RULES);
    for (let count = 0; count < 5; count += 1) breaker.ended(0, 'bad', breaker.began());
    return breaker;
  }

  test('five failures in a row open it, four do not', () => {
    const breaker = new Breaker(RULES);
    for (const verdict of ['bad', 'bad', 'bad', 'bad', 'good', 'bad', 'bad', 'bad', 'bad'] as const) {
      breaker.ended(0, verdict, breaker.began());
    }
    assert.equal(breaker.wait(0), 0);
    breaker.ended(0, 'bad', breaker.began());
    assert.equal(breaker.wait(0), 30_000);
    assert.equal(breaker.wait(30_000), 0);
  });

  test('a failure rate of 70 % opens it after twenty attempts', () => {
    const even = new Breaker(RULES);
    for (let count = 0; count < 100; count += 1)
      even.ended(count, count % 3 === 0 ? 'good' : 'bad', even.began());
    assert.equal(even.isOpen, false);
    const other = new Breaker(RULES);
    for (let count = 0; count < 20; count += 1) {
      assert.equal(other.isOpen, false);
      other.ended(count, count % 4 === 0 ? 'good' : 'bad', other.began());
    }
    assert.equal(other.isOpen, true);
  });

  test('an open breaker sends one probe at a time, with doubling pauses', () => {
    const breaker = opened();
    let now = 0;
    for (const wait of [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
      assert.equal(breaker.wait(now), wait);
      now += wait;
      assert.equal(breaker.wait(now), 0);
      const probe = breaker.began();
      assert.equal(probe, true);
      assert.equal(breaker.wait(now), Number.POSITIVE_INFINITY);
      breaker.ended(now, 'bad', probe);
    }
  });

  test('two successes close it; failures that began before it opened do not count', () => {
    const breaker = opened();
    breaker.ended(10, 'bad', false);
    assert.equal(breaker.wait(10), 29_990);
    assert.equal(breaker.ended(30_000, 'good', breaker.began()), false);
    assert.equal(breaker.wait(30_000), 0);
    assert.equal(breaker.ended(30_000, 'good', breaker.began()), true);
    assert.equal(breaker.isUntroubled, true);
  });

  test('an inconclusive probe allows another', () => {
    const breaker = opened();
    breaker.ended(30_000, 'none', breaker.began());
    assert.equal(breaker.wait(30_000), 0);
  });
});

describe('concurrency', () => {
  const after = (...outcomes: readonly (readonly [number, boolean, number])[]) => {
    const concurrency = new Concurrency(32);
    for (const [millis, good, times] of outcomes) {
      for (let count = 0; count < times; count += 1) concurrency.ended(millis, good);
    }
    return concurrency;
  };

  test('concurrency begins small and grows up to its limit while responses are quick', () => {
    assert.equal(after().limit, 1);
    assert.equal(after([5, true, 7]).limit, 8);
    assert.equal(after([5, true, 30]).limit, 10);
    assert.equal(after([5, true, 2_000]).limit, 32);
  });

  test('failures and very slow responses halve it, down to one; slow ones keep it', () => {
    assert.equal(after([5, true, 7], [5, false, 1]).limit, 4);
    assert.equal(after([5, true, 7], [5, false, 9]).limit, 1);
    assert.equal(after([5, true, 7], [15_000, true, 3]).limit, 1);
    assert.equal(after([1_000, true, 50]).limit, 1);
  });

  test('untested, failing and late origins count as slow', () => {
    assert.equal(after().isSlow, true);
    assert.equal(after([5, true, 1]).isSlow, false);
    assert.equal(after([5, true, 9], [5, false, 1]).isSlow, true);
    assert.equal(after([3_000, true, 20]).isSlow, true);
    const late = after([5, true, 9]);
    late.isLate();
    assert.equal(late.isSlow, true);
  });

  for (const [what, pace, ...outcomes] of [
    ['untested', null],
    ['quick', 'fast', [5, true, 7]],
    ['quick with a rare failure', null, [5, true, 30], [5, false, 1]],
    ['quick again', 'fast', [5, true, 30], [5, false, 1], [5, true, 9]],
    ['failing', 'slow', [5, true, 30], [5, false, 3]],
    ['often late', 'slow', [5, true, 30], [3_000, true, 3]],
    ['neither quick nor late', 'slow', [1_000, true, 50]],
  ] as const) {
    test(`the pace of an origin that is ${what}: ${pace}`, () => assert.equal(after(...outcomes).pace, pace));
  }

  test('an origin of which this process has a small part is fast with few attempts at once', () => {
    const concurrency = after([5, true, 30]);
    concurrency.allow(3);
    assert.deepEqual([concurrency.limit, concurrency.pace], [3, 'fast']);
    concurrency.ended(5, true);
    assert.equal(concurrency.limit, 3);
  });
});

describe('guard against faults of the own network', () => {
  const fail = (guard: NetworkGuard, now: number, ...origins: readonly string[]) =>
    origins.map((origin) => guard.ended(now, origin, 'unreached', guard.began()));

  test('five origins that become unreachable without a response in between stop sending', () => {
    const guard = new NetworkGuard();
    assert.deepEqual(fail(guard, 0, 'a', 'b', 'c', 'd', 'd', 'e', 'f'), [
      false,
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    assert.equal(guard.wait(0), 5_000);
    assert.equal(guard.wait(5_000), 0);
    const probe = guard.began();
    assert.equal(guard.wait(5_000), Number.POSITIVE_INFINITY);
    assert.equal(guard.ended(5_100, 'a', 'unreached', probe), true);
    assert.equal(guard.wait(5_100), 5_000);
    assert.equal(guard.ended(10_100, 'b', 'answered', guard.began()), false);
    assert.equal(guard.wait(10_100), 0);
  });

  test('a response in between, or more time, blames the receivers', () => {
    const answered = new NetworkGuard();
    fail(answered, 0, 'a', 'b', 'c', 'd');
    answered.ended(0, 'z', 'answered', false);
    fail(answered, 0, 'a', 'b', 'c', 'd', 'e');
    assert.equal(answered.isTripped, false);
    const slow = new NetworkGuard();
    for (const [index, origin] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) fail(slow, index * 8_000, origin);
    assert.equal(slow.isTripped, false);
  });

  test('origins that were dead before do not stop sending again', () => {
    const guard = new NetworkGuard();
    fail(guard, 0, 'a', 'b', 'c', 'd', 'e');
    guard.ended(6_000, 'z', 'answered', guard.began());
    for (let round = 1; round < 10; round += 1) fail(guard, round * 10_000, 'a', 'b', 'c', 'd', 'e');
    assert.equal(guard.isTripped, false);
  });

  test('after a quarter of an hour failures count again', () => {
    const guard = new NetworkGuard();
    fail(guard, 0, 'a', 'b', 'c', 'd', 'e');
    assert.deepEqual(fail(guard, 14 * 60_000, 'a'), [true]);
    assert.deepEqual(fail(guard, 15 * 60_000, 'a', 'b', 'c', 'd', 'e'), [false, false, false, false, false]);
  });

  test('a shortage of sockets stops everything at once', () => {
    const guard = new NetworkGuard();
    assert.equal(guard.ended(0, 'a', 'own', false), true);
    assert.equal(guard.wait(0), 5_000);
  });
});

test('an outcome counts for the receiver, the network or neither', () => {
  const base = { status: 0, response: null, remoteIp: null, retryAfter: null, millis: 1 };
  const failed = (kind: Parameters<typeof deliveryError>[0], text: string, more: object = {}) => {
    const { origin, network } = verdictOf({ ...base, ...more, error: deliveryError(kind, text) });
    return [origin, network];
  };
  const status = (code: number) =>
    failed('http_status', `status ${code}`, { status: code, remoteIp: '192.0.2.1' });
  assert.deepEqual(verdictOf({ ...base, error: null, status: 200 }), { origin: 'good', network: 'answered' });
  assert.deepEqual(status(404), ['good', 'answered']);
  assert.deepEqual(status(410), ['good', 'answered']);
  for (const code of [408, 429, 500, 503]) assert.deepEqual(status(code), ['bad', 'answered'], String(code));
  assert.deepEqual(failed('connection_refused', 'connect ECONNREFUSED'), ['bad', 'none']);
  assert.deepEqual(failed('timeout', 'no response', { remoteIp: '192.0.2.1' }), ['bad', 'none']);
  assert.deepEqual(failed('timeout', 'no response'), ['bad', 'unreached']);
  assert.deepEqual(failed('dns_error', 'getaddrinfo EAI_AGAIN a.test'), ['bad', 'unreached']);
  assert.deepEqual(failed('blocked_address', 'loopback'), ['none', 'none']);
});

test('a failure to connect counts by its system error', () => {
  for (const [code, origin, network] of [
    ['ENETUNREACH', 'bad', 'unreached'],
    ['ENETDOWN', 'bad', 'unreached'],
    ['EHOSTUNREACH', 'bad', 'unreached'],
    ['EAI_AGAIN', 'bad', 'unreached'],
    ['EMFILE', 'none', 'own'],
    ['ECONNREFUSED', 'bad', 'none'],
  ] as const) {
    const failure = Object.assign(new Error(`connect ${code} 192.0.2.1:443`), { code });
    const error = classify(failure, 1_000);
    const outcome = { error, status: 0, response: null, remoteIp: null, retryAfter: null, millis: 1 };
    assert.deepEqual(verdictOf(outcome), { origin, network }, code);
  }
  const error = classify(new ProxyError('the proxy cannot be reached'), 1_000);
  const outcome = { error, status: 0, response: null, remoteIp: null, retryAfter: null, millis: 1 };
  assert.deepEqual(verdictOf(outcome), { origin: 'bad', network: 'unreached' });
});
