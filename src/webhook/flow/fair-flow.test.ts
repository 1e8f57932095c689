import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deliveryError } from '../send/delivery-error.ts';
import type { Outcome } from '../send/delivery-request.ts';
import { FairFlow, type FlowAttempt, type Ruling } from './fair-flow.ts';

const OPTIONS = { inFlight: 64, perOrigin: 16, breaker: { firstWait: 30_000, longestWait: 600_000 } };

const OK: Outcome = {
  error: null,
  status: 200,
  response: '',
  remoteIp: '192.0.2.1',
  retryAfter: null,
  millis: 1,
};
const TIMEOUT: Outcome = { ...OK, status: 0, error: deliveryError('timeout', 'no response within 15 s') };
const SILENT: Outcome = { ...OK, status: 0, remoteIp: null, error: deliveryError('dns_error', 'EAI_AGAIN') };

/** What a receiver does with an attempt that begins at `now`: how long it takes, and what comes of it. */
type Behaviour = (now: number) => readonly [number, Outcome];

const fast: Behaviour = () => [5, OK];
const slow: Behaviour = () => [4_000, OK];
const hanging: Behaviour = () => [15_000, TIMEOUT];
const failing: Behaviour = () => [
  3,
  { ...OK, status: 500, error: deliveryError('http_status', 'status 500') },
];
const busy: Behaviour = () => [
  3,
  { ...OK, status: 429, retryAfter: 20_000, error: deliveryError('http_status', '') },
];
const absent: Behaviour = () => [100, SILENT];

interface Begun {
  readonly webhook: string;
  readonly at: number;
  readonly origin: string;
}

/** A dispatcher over a clock of its own. Failed deliveries are not tried again. */
class World {
  now = 0;
  readonly flow = new FairFlow({ ...OPTIONS, now: () => this.now });
  readonly begun: Begun[] = [];
  readonly rulings: Ruling[] = [];
  readonly underWay = new Map<string, number>();
  readonly most = new Map<string, number>();
  readonly #waiting = new Map<string, { left: number; origin: string; perMinute: number }>();
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #ends: { at: number; turn: FlowAttempt; outcome: Outcome; origin: string }[] = [];

  receiver(origin: string, behaviour: Behaviour): void {
    this.#behaviours.set(origin, behaviour);
  }

  add(webhook: string, origin: string, count: number, perMinute = 0): void {
    const left = (this.#waiting.get(webhook)?.left ?? 0) + count;
    this.#waiting.set(webhook, { left, origin, perMinute });
    this.flow.ready(webhook, origin, perMinute === 0 ? null : { perMinute, burst: 1 });
  }

  count(webhook: string): number {
    return this.begun.filter((each) => each.webhook === webhook).length;
  }

  /** Runs until `until`, or until nothing is left to happen. */
  run(until: number): void {
    for (;;) {
      this.#begin();
      this.#ends.sort((left, right) => left.at - right.at);
      const wait = this.flow.wait();
      const next = Math.min(this.#ends[0]?.at ?? Number.POSITIVE_INFINITY, this.now + Math.max(1, wait));
      if (next > until || next === Number.POSITIVE_INFINITY) break;
      this.now = next;
      while ((this.#ends[0]?.at ?? Number.POSITIVE_INFINITY) <= this.now) this.#end();
    }
    if (until !== Number.POSITIVE_INFINITY) this.now = until;
  }

  #begin(): void {
    for (let webhook = this.flow.pick(); webhook !== null; webhook = this.flow.pick()) {
      const line = this.#waiting.get(webhook);
      assert.ok(line && line.left > 0, `${webhook} has nothing to begin`);
      line.left -= 1;
      const { origin } = line;
      if (line.left === 0) this.flow.idle(webhook);
      const turn = this.flow.began(webhook, origin);
      const [millis, outcome] = (this.#behaviours.get(origin) ?? fast)(this.now);
      this.#ends.push({ at: this.now + millis, turn, outcome, origin });
      this.begun.push({ webhook, at: this.now, origin });
      const underWay = (this.underWay.get(origin) ?? 0) + 1;
      this.underWay.set(origin, underWay);
      this.most.set(origin, Math.max(this.most.get(origin) ?? 0, underWay));
      assert.ok(this.flow.inFlight <= OPTIONS.inFlight);
    }
  }

  #end(): void {
    const end = this.#ends.shift();
    if (!end) return;
    this.underWay.set(end.origin, (this.underWay.get(end.origin) ?? 0) - 1);
    this.rulings.push(this.flow.ended(end.turn, end.outcome));
  }
}

test('a hanging first attempt delays its origin only until it counts as late', () => {
  const world = new World();
  let attempts = 0;
  world.receiver('a', (now) => {
    attempts += 1;
    return attempts === 1 ? hanging(now) : fast(now);
  });
  world.add('hook', 'a', 100);
  world.run(3_000);
  assert.equal(world.count('hook'), 100);
});

test('processes that send to the same receivers share the attempts to each', () => {
  const world = new World();
  world.add('hook', 'a', 200);
  world.run(500);
  assert.equal(world.most.get('a'), OPTIONS.perOrigin);
  for (const [processes, most] of [
    [3, 5],
    [100, 1],
    [1, OPTIONS.perOrigin],
  ] as const) {
    world.flow.divide(processes);
    world.most.clear();
    world.add('hook', 'a', 200);
    world.add('hook b', 'b', 200);
    world.run(world.now + 5_000);
    assert.deepEqual([world.most.get('a'), world.most.get('b')], [most, most]);
  }
});

test('a known receiver does not wait behind many untested ones', () => {
  const world = new World();
  world.receiver('known', fast);
  world.add('well', 'known', 20);
  world.run(1_000);
  for (let index = 0; index < 50; index += 1) world.add(`w${index}`, `o${index}`, 10);
  world.add('well', 'known', 1);
  const before = world.begun.length;
  world.run(1_010);
  assert.equal(world.begun[before]?.webhook, 'well');
});

test('when many receivers hang, few of them get a second attempt', () => {
  const world = new World();
  for (let index = 0; index < 50; index += 1) {
    world.receiver(`o${index}`, hanging);
    world.add(`w${index}`, `o${index}`, 10);
  }
  world.run(10_000);
  assert.ok(world.begun.length <= 51, `${world.begun.length} attempts`);
});

test('every waiting webhook gets a turn within the limits, whatever receivers do', () => {
  const behaviours = [fast, slow, hanging, failing, busy, absent];
  const line = fc.tuple(fc.nat(11), fc.integer({ min: 1, max: 40 }), fc.constantFrom(0, 0, 60, 600));
  const receivers = fc.array(fc.constantFrom(...behaviours), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(receivers, fc.array(line, { minLength: 1, maxLength: 30 }), (kinds, lines) => {
      const world = new World();
      for (const [index, kind] of kinds.entries()) world.receiver(`o${index}`, kind);
      for (const [index, [origin, count, rate]] of lines.entries())
        world.add(`w${index}`, `o${origin}`, count, rate);
      world.run(Number.POSITIVE_INFINITY);
      for (const [index, [, count]] of lines.entries()) assert.equal(world.count(`w${index}`), count);
      for (const most of world.most.values()) assert.ok(most <= OPTIONS.perOrigin);
      assert.equal(world.flow.inFlight, 0);
    }),
    { numRuns: 60 },
  );
});

test('webhooks with one receiver take turns, whatever their backlogs', () => {
  const world = new World();
  world.add('large', 'o', 10_000);
  world.run(2_000);
  const before = world.count('large');
  world.add('small', 'o', 40);
  world.run(2_100);
  assert.equal(world.count('small'), 40);
  assert.ok(world.count('large') - before >= 40);
});

test('two hundred hanging receivers do not slow a healthy one', () => {
  const world = new World();
  for (let index = 0; index < 200; index += 1) {
    world.receiver(`hanging${index}`, hanging);
    world.add(`hanging${index}`, `hanging${index}`, 50);
  }
  world.run(120_000);
  let latest = 0;
  for (let second = 0; second < 60; second += 1) {
    world.add('healthy', 'healthy', 5);
    world.run(121_000 + second * 1_000);
    const begun = world.begun.filter(({ webhook }) => webhook === 'healthy');
    assert.equal(begun.length, second * 5 + 5);
    latest = Math.max(latest, (begun.at(-1)?.at ?? 0) - 120_000 - second * 1_000);
  }
  assert.ok(latest <= 20, `${latest} ms`);
});

test('a hanging receiver soon gets one attempt at a time, then occasional probes', () => {
  const world = new World();
  world.receiver('o', hanging);
  world.add('w', 'o', 1_000);
  world.run(10 * 60_000);
  // The second finds out whether it was the first attempt only.
  assert.equal(world.most.get('o'), 2);
  const late = world.begun.filter(({ at }) => at > 5 * 60_000);
  assert.ok(late.length <= 3, `${late.length} attempts`);
});

test('a recovered receiver is served slowly at first', () => {
  const world = new World();
  world.receiver('o', (now) => (now < 60_000 ? failing(now) : fast(now)));
  world.add('w', 'o', 1_000);
  world.run(Number.POSITIVE_INFINITY);
  const well = world.begun.filter(({ at }) => at >= 60_000).map(({ at }) => at);
  const first = well[0] ?? 0;
  assert.ok(well.length > 900);
  const within = (millis: number) => well.filter((at) => at < first + millis).length;
  assert.ok(within(1_000) <= 3, `${within(1_000)} in the first second`);
  assert.ok(within(2_900) <= 9, `${within(2_900)} in three seconds`);
});

test('a receiver counts as recovering while it is served slowly', () => {
  const world = new World();
  world.receiver('o', (now) => (now < 60_000 ? failing(now) : fast(now)));
  world.add('w', 'o', 1_000);
  const recovering: number[] = [];
  for (let second = 1; second < 120; second += 1) {
    world.run(second * 1_000);
    if (world.flow.isRecovering('w')) recovering.push(second);
  }
  assert.ok(recovering.length >= 8 && recovering.length <= 10, recovering.join());
  assert.ok(Math.min(...recovering) >= 60);
  assert.equal(world.flow.isRecovering('unknown'), false);
});

test('Retry-After pauses only its webhook, until the webhook changes', () => {
  const world = new World();
  world.receiver('o', (now) => (now < 10 ? busy(now) : fast(now)));
  world.add('w', 'o', 1);
  world.run(10);
  world.add('w', 'o', 1);
  world.add('other', 'o', 1);
  assert.equal(world.flow.appetite('w'), 0);
  assert.ok(world.flow.appetite('other') > 0);
  world.run(5_000);
  assert.deepEqual([world.count('w'), world.count('other')], [1, 1]);
  world.run(20_100);
  assert.equal(world.count('w'), 2);
  world.receiver('o', busy);
  world.add('w', 'o', 1);
  world.run(23_000);
  world.receiver('o', fast);
  world.add('w', 'o', 5);
  world.run(25_000);
  assert.equal(world.count('w'), 3);
  world.flow.changed('w');
  world.run(25_100);
  assert.equal(world.count('w'), 8);
});

test('after a pause that another process was asked for, its webhook is served slowly at first', () => {
  const world = new World();
  world.flow.pause('w', 5_000);
  world.add('w', 'o', 100);
  world.run(5_900);
  assert.equal(world.count('w'), 1);
  world.run(7_900);
  assert.equal(world.count('w'), 7);
});

test('a rate limit applies only to its webhook', () => {
  const world = new World();
  world.add('limited', 'o', 100, 60);
  world.add('free', 'o', 100);
  world.run(9_999);
  assert.deepEqual([world.count('limited'), world.count('free')], [10, 100]);
});

test('when no receiver is reachable, sending stops without counting failures until one answers', () => {
  const world = new World();
  const outage: Behaviour = (now) => (now < 60_000 ? absent(now) : fast(now));
  for (let index = 0; index < 20; index += 1) {
    world.receiver(`o${index}`, outage);
    world.add(`w${index}`, `o${index}`, 100);
  }
  world.run(59_999);
  const during = world.begun.length;
  assert.ok(during < 60, `${during} attempts during the outage`);
  assert.ok(world.rulings.filter(({ refund }) => refund === null).length <= 8);
  world.run(70_000);
  assert.ok(world.begun.length > during + 100);
});

test('finding the next webhook stays cheap among ten thousand blocked ones', () => {
  const world = new World();
  for (let index = 0; index < 10_000; index += 1) world.add(`w${index}`, 'o', 1);
  world.run(Number.POSITIVE_INFINITY);
  assert.equal(world.begun.length, 10_000);
});
